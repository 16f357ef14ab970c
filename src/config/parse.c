/* Parses lines into sections with settings. */
#include "config/parse.h"

#include <string.h>

void *pinsight_config_take(struct pinsight_config_parser *parser, size_t size) {
    void *taken = pinsight_arena_take(parser->arena, size);

    parser->no_memory = parser->no_memory || !taken;
    return taken;
}

char *pinsight_config_text(struct pinsight_config_parser *parser,
                           struct pinsight_config_piece piece) {
    char *text = pinsight_config_take(parser, piece.length + 1);

    if (text)
        pinsight_config_unquote(piece, text);
    return text;
}

void pinsight_config_append(struct pinsight_config_parser *parser,
                            struct pinsight_config_section *section) {
    if (parser->last)
        parser->last->next = section;
    else
        parser->first = section;
    parser->last = section;
}

/* Returns the key that a piece names, or -1 after an error. */
static int choose_key(struct pinsight_config_parser *parser,
                      const struct pinsight_config_section *section,
                      struct pinsight_config_piece piece) {
    const struct pinsight_description *domain = &parser->domains[section->domain];
    const char *words[PINSIGHT_KEYS + 1];
    enum pinsight_config_key keys[PINSIGHT_KEYS];
    char where[PINSIGHT_CONFIG_SHOWN_ROOM + 8] = " in ", shown[PINSIGHT_CONFIG_SHOWN_ROOM];
    int count = 0;

    for (int key = 0; key < PINSIGHT_KEYS; key++) {
        if (pinsight_config_key_allowed(section->kind, domain, (enum pinsight_config_key)key)) {
            keys[count] = (enum pinsight_config_key)key;
            words[count] = pinsight_config_key_word(keys[count]);
            count++;
        }
    }
    words[count] = NULL;
    strcat(where, pinsight_config_shown(section->title, strlen(section->title), shown));
    int found = pinsight_config_choose(parser, piece, words, "key", where);
    return found < 0 ? -1 : (int)keys[found];
}

/* Reads "key = value" into the section. */
static void read_setting(struct pinsight_config_parser *parser,
                         struct pinsight_config_section *section, struct pinsight_config_piece line,
                         size_t equals) {
    struct pinsight_config_piece word = pinsight_config_part(line, 0, equals);
    struct pinsight_config_piece rest = pinsight_config_part(line, equals + 1, line.length);

    if (!word.length) {
        PINSIGHT_CONFIG_ERROR(parser, line, "a key is missing before '='");
        return;
    }
    int key = choose_key(parser, section, word);
    if (key < 0) {
        pinsight_config_skip_value(parser, rest);
        return;
    }
    struct pinsight_config_setting *setting = pinsight_config_take(parser, sizeof *setting);
    if (!setting)
        return;
    setting->key = (enum pinsight_config_key)key;
    setting->origin = section->origin;
    setting->origin.line = line.line;
    setting->section = section;
    bool good = pinsight_config_value(parser, section, word, rest, setting);
    unsigned before = parser->seen[key];
    parser->seen[key] = line.line;
    if (good && key == PINSIGHT_KEY_LINES && section->kind == PINSIGHT_SECTION_LEXGION &&
        section->selector.kind == PINSIGHT_SELECT_CALLEE)
        PINSIGHT_CONFIG_ERROR(parser, word,
                              "a C callable has no lines; name Python code, such as "
                              "[Lexgion(Python:solver.py:Solver.step)]");
    if (before)
        PINSIGHT_CONFIG_ERROR(parser, word,
                              "'%s' stands twice in this section, first in line %u; remove one",
                              pinsight_config_key_word(setting->key), before);
    else if (good)
        section->settings[key] = setting;
}

/* Reports a line that is neither a section nor "key = value". */
static void report_error(struct pinsight_config_parser *parser, struct pinsight_config_piece line,
                         bool after_list) {
    char shown[PINSIGHT_CONFIG_SHOWN_ROOM];

    PINSIGHT_CONFIG_ERROR(parser, line, "'%s' is neither a [section] nor key = value%s",
                          pinsight_config_shown(line.text, line.length, shown),
                          after_list ? "; a list goes on after a comma" : "");
}

void pinsight_config_parse(struct pinsight_config_parser *parser) {
    struct pinsight_config_section *section = NULL;
    struct pinsight_config_line line;
    bool skipping = false, after_key = false; /* in an invalid section; after key = value */

    while (!parser->no_memory && pinsight_config_reader_next(&parser->reader, &line)) {
        struct pinsight_config_piece piece = line.piece;
        if (line.open_quote) {
            char shown[PINSIGHT_CONFIG_SHOWN_ROOM];
            PINSIGHT_CONFIG_ERROR(parser, line.quote, "the quote in '%s' is not closed",
                                  pinsight_config_shown(line.quote.text, line.quote.length, shown));
            skipping = skipping || (piece.length && piece.text[0] == '[');
            continue;
        }
        if (piece.text[0] == '[') {
            section = pinsight_config_header(parser, piece);
            skipping = !section;
            memset(parser->seen, 0, sizeof parser->seen);
            after_key = false;
            if (section)
                pinsight_config_append(parser, section);
            continue;
        }
        if (skipping)
            continue;
        size_t equals = pinsight_config_find(piece, 0, "=");
        if (equals == piece.length) {
            report_error(parser, piece, after_key);
            continue;
        }
        after_key = true;
        if (section) {
            read_setting(parser, section, piece, equals);
            continue;
        }
        PINSIGHT_CONFIG_ERROR(parser, piece,
                              "a key before the first section; begin with [%s] or "
                              "[Lexgion.default]",
                              parser->domain_count ? parser->domains[0].name : "DOMAIN");
        skipping = true;
    }
}
