/* Parses trace_mode_after in its three forms: a mode, modes of domains, an introspection. */
#include "config/parse.h"

#include <string.h>

/* Returns the path of a script. A relative path starts at the folder of the configuration file, so
 * that it does not depend on the program's current folder. */
static const char *script_path(struct pinsight_config_parser *parser, const char *written) {
    const char *slash = parser->path ? strrchr(parser->path, '/') : NULL;

    if (*written == '/' || !slash)
        return written;
    size_t folder = (size_t)(slash - parser->path) + 1, rest = strlen(written) + 1;
    char *path = pinsight_config_take(parser, folder + rest);
    if (path) {
        memcpy(path, parser->path, folder);
        memcpy(path + folder, written, rest);
    }
    return path;
}

static bool read_introspect(struct pinsight_config_parser *parser,
                            struct pinsight_config_piece piece,
                            struct pinsight_config_after *after) {
    char shown[PINSIGHT_CONFIG_SHOWN_ROOM];
    size_t first = pinsight_config_find(piece, 0, ":");
    size_t second = pinsight_config_find(piece, first + 1, ":");
    size_t last = second, next = pinsight_config_find(piece, second + 1, ":");

    while (next < piece.length) { /* a script's name may contain colons */
        last = next;
        next = pinsight_config_find(piece, last + 1, ":");
    }
    if (last == second) {
        PINSIGHT_CONFIG_ERROR(parser, piece,
                              "'%s' is not an introspection; write INTROSPECT:SECONDS:SCRIPT:MODE, "
                              "such as INTROSPECT:30:./look.sh:TRACING",
                              pinsight_config_shown(piece.text, piece.length, shown));
        return false;
    }
    struct pinsight_config_piece seconds = pinsight_config_part(piece, first + 1, second);
    struct pinsight_config_piece script = pinsight_config_part(piece, second + 1, last);
    struct pinsight_config_piece mode = pinsight_config_part(piece, last + 1, piece.length);
    after->kind = PINSIGHT_AFTER_INTROSPECT;
    if (pinsight_config_is(seconds, "-1")) {
        after->pause_ns = -1;
    } else if (!pinsight_config_seconds(seconds, &after->pause_ns)) {
        PINSIGHT_CONFIG_ERROR(parser, seconds,
                              "INTROSPECT pauses for seconds from 0 to 1000000000, or -1 for as "
                              "long as the script takes, not '%s'",
                              pinsight_config_shown(seconds.text, seconds.length, shown));
        return false;
    }
    after->script = after->script_written = NULL;
    if (!pinsight_config_is(script, "-")) {
        char *written = pinsight_config_text(parser, script);
        if (!written)
            return false;
        if (!*written) {
            PINSIGHT_CONFIG_ERROR(parser, script, "INTROSPECT names no script; write - for none");
            return false;
        }
        after->script_written = written;
        if (!(after->script = script_path(parser, written)))
            return false;
    }
    int found = pinsight_config_choose_mode(parser, mode);
    after->mode = found < 0 ? PINSIGHT_MODE_OFF : (enum pinsight_mode)found;
    return found >= 0;
}

static bool read_domains(struct pinsight_config_parser *parser,
                         const struct pinsight_config_piece *items, size_t count,
                         struct pinsight_config_after *after) {
    char shown[PINSIGHT_CONFIG_SHOWN_ROOM];
    struct pinsight_config_domain_mode *list = pinsight_config_take(parser, count * sizeof *list);

    if (!list)
        return false;
    for (size_t i = 0; i < count; i++) {
        size_t colon = pinsight_config_find(items[i], 0, ":");
        if (colon == items[i].length) {
            PINSIGHT_CONFIG_ERROR(parser, items[i],
                                  "'%s' is not DOMAIN:MODE; one mode stands alone, several name "
                                  "their domains",
                                  pinsight_config_shown(items[i].text, items[i].length, shown));
            return false;
        }
        struct pinsight_config_piece name = pinsight_config_part(items[i], 0, colon);
        int domain = pinsight_config_choose_domain(parser, name, NULL, "domain", "");
        int mode = domain < 0
                       ? -1
                       : pinsight_config_choose_mode(
                             parser, pinsight_config_part(items[i], colon + 1, items[i].length));
        if (mode < 0)
            return false;
        for (size_t j = 0; j < i; j++) {
            if (list[j].domain == (unsigned)domain) {
                PINSIGHT_CONFIG_ERROR(parser, name, "the domain '%s' stands here twice",
                                      parser->domains[domain].name);
                return false;
            }
        }
        list[i].domain = (unsigned)domain;
        list[i].mode = (enum pinsight_mode)mode;
    }
    after->kind = PINSIGHT_AFTER_DOMAINS;
    after->domains = list;
    after->count = count;
    return true;
}

bool pinsight_config_after_read(struct pinsight_config_parser *parser,
                                const struct pinsight_config_piece *items, size_t count,
                                struct pinsight_config_after *after) {
    struct pinsight_config_piece first = pinsight_config_bare(items[0]);
    size_t colon = pinsight_config_find(first, 0, ":");

    if (pinsight_config_is(pinsight_config_part(first, 0, colon), "INTROSPECT")) {
        if (count > 1) {
            PINSIGHT_CONFIG_ERROR(parser, items[1],
                                  "INTROSPECT stands alone; quote a script with a comma in its "
                                  "name");
            return false;
        }
        return read_introspect(parser, first, after);
    }
    if (count == 1 && colon == first.length) {
        int mode = pinsight_config_choose_mode(parser, first);
        after->kind = PINSIGHT_AFTER_LEXGION;
        after->mode = mode < 0 ? PINSIGHT_MODE_OFF : (enum pinsight_mode)mode;
        return mode >= 0;
    }
    return read_domains(parser, items, count, after);
}
