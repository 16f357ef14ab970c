/* Section headers: [Python], [Python.punit.thread], [Lexgion...], and the limits after them. */
#include "config/parse.h"

#include <stdio.h>
#include <string.h>

/* Returns the position of the "]" that closes the header, outside quotes and parentheses. Returns
 * the length if there is none. */
static size_t find_close(struct pinsight_config_piece line) {
    return pinsight_config_find(line, 1, "]");
}

/* Splits `*rest` before the first letter that is one of `letters`. Returns the part before it. */
static struct pinsight_config_piece cut(struct pinsight_config_piece *rest, const char *letters) {
    size_t at = pinsight_config_find(*rest, 0, letters);
    struct pinsight_config_piece part = pinsight_config_part(*rest, 0, at);

    *rest = pinsight_config_part(*rest, at, rest->length);
    return part;
}

static int choose_punit(struct pinsight_config_parser *parser, struct pinsight_config_piece piece,
                        unsigned domain) {
    const struct pinsight_description *description = &parser->domains[domain];
    char where[80];

    snprintf(where, sizeof where, " of %s", description->name);
    return pinsight_config_choose(parser, piece, description->punit_kinds, "unit", where);
}

/* ---- limits ---- */

/* Reads one limit, such as "MPI.rank(0-3)". */
static bool read_limit(struct pinsight_config_parser *parser, struct pinsight_config_piece piece,
                       const struct pinsight_config_section *section,
                       struct pinsight_config_limit *limit) {
    char shown[PINSIGHT_CONFIG_SHOWN_ROOM];
    struct pinsight_config_piece rest = piece, domain = cut(&rest, "."), unit = {0};
    size_t count = 0;

    if (rest.length) {
        rest = pinsight_config_part(rest, 1, rest.length);
        unit = cut(&rest, "(");
    }
    if (!domain.length || !unit.length || rest.length < 2 || rest.text[rest.length - 1] != ')') {
        PINSIGHT_CONFIG_ERROR(parser, piece,
                              "'%s' is not a limit; write DOMAIN.UNIT(RANGE) such as MPI.rank(0)",
                              pinsight_config_shown(piece.text, piece.length, shown));
        return false;
    }
    int number = pinsight_config_choose_domain(parser, domain, NULL, "domain", "");
    if (number < 0)
        return false;
    if (section->kind != PINSIGHT_SECTION_LEXGIONS && section->domain == (unsigned)number) {
        const struct pinsight_description *own = &parser->domains[number];
        PINSIGHT_CONFIG_ERROR(parser, piece,
                              "a section of %s is limited by units of other domains; its own have "
                              "[%s.punit.%s]",
                              own->name, own->name,
                              own->punit_kinds[0] ? own->punit_kinds[0] : "UNIT");
        return false;
    }
    limit->domain = (unsigned)number;
    number = choose_punit(parser, unit, limit->domain);
    if (number < 0)
        return false;
    limit->punit = (unsigned)number;
    const struct pinsight_description *of = &parser->domains[limit->domain];
    if (!(of->process_punits >> number & 1)) {
        PINSIGHT_CONFIG_ERROR(parser, piece,
                              "a section cannot be limited to a %s of %s, because it holds for a "
                              "whole process; limit it to a unit such as MPI.rank(0), or write "
                              "[%s.punit.%s] to record only some",
                              of->punit_kinds[number], of->name, of->name, of->punit_kinds[number]);
        return false;
    }
    struct pinsight_config_piece inside = pinsight_config_part(rest, 1, rest.length - 1);
    struct pinsight_config_piece *items = pinsight_config_split(parser, inside, &count);
    return items && pinsight_config_ranges_read(parser, items, count, false, &limit->ranges);
}

/* Reads the text after a header: nothing, or ": MPI.rank(0), ...". */
static bool read_limits(struct pinsight_config_parser *parser, struct pinsight_config_piece rest,
                        struct pinsight_config_section *section) {
    char shown[PINSIGHT_CONFIG_SHOWN_ROOM];

    if (!rest.length)
        return true;
    if (rest.text[0] != ':') {
        PINSIGHT_CONFIG_ERROR(parser, rest,
                              "'%s' stands after the section; what may follow is a limit such as "
                              "': MPI.rank(0)'",
                              pinsight_config_shown(rest.text, rest.length, shown));
        return false;
    }
    rest = pinsight_config_part(rest, 1, rest.length);
    struct pinsight_config_piece *items =
        pinsight_config_split(parser, rest, &section->limit_count);
    if (!items)
        return false;
    struct pinsight_config_limit *limits =
        pinsight_config_take(parser, section->limit_count * sizeof *limits);
    if (!limits)
        return false;
    for (size_t i = 0; i < section->limit_count; i++)
        if (!read_limit(parser, items[i], section, &limits[i]))
            return false;
    section->limits = limits;
    return true;
}

/* ---- sections ---- */

static bool read_lexgion(struct pinsight_config_parser *parser, struct pinsight_config_piece whole,
                         struct pinsight_config_piece rest,
                         struct pinsight_config_section *section) {
    size_t count = parser->domain_count;

    if (rest.length > 2 && rest.text[0] == '(' && rest.text[rest.length - 1] == ')') {
        section->kind = PINSIGHT_SECTION_LEXGION;
        return pinsight_config_selector_read(parser, pinsight_config_part(rest, 1, rest.length - 1),
                                             section);
    }
    if (rest.length < 2 || rest.text[0] != '.') {
        PINSIGHT_CONFIG_ERROR(parser, whole,
                              "which lexgions? Write [Lexgion.default], [Lexgion.%s] or "
                              "[Lexgion(%s:...)]",
                              count ? parser->domains[0].name : "DOMAIN",
                              count ? parser->domains[0].name : "DOMAIN");
        return false;
    }
    rest = pinsight_config_part(rest, 1, rest.length);
    int found =
        pinsight_config_choose_domain(parser, rest, "default", "domain", " after 'Lexgion.'");
    section->kind = PINSIGHT_SECTION_LEXGIONS;
    if (found >= 0 && (size_t)found < count) {
        section->kind = PINSIGHT_SECTION_DOMAIN_LEXGIONS;
        section->domain = (unsigned)found;
    }
    return found >= 0;
}

static bool read_punit(struct pinsight_config_parser *parser, struct pinsight_config_piece whole,
                       struct pinsight_config_piece rest, struct pinsight_config_section *section) {
    static const char *const words[] = {"punit", NULL};
    const char *domain = parser->domains[section->domain].name;
    char where[PINSIGHT_CONFIG_SHOWN_ROOM + 16], shown[PINSIGHT_CONFIG_SHOWN_ROOM];

    rest = pinsight_config_part(rest, 1, rest.length);
    struct pinsight_config_piece word = cut(&rest, ".");
    snprintf(where, sizeof where, " in [%s]",
             pinsight_config_shown(whole.text, whole.length, shown));
    if (pinsight_config_choose(parser, word, words, "word", where) < 0)
        return false;
    if (rest.length < 2) {
        const char *const *kinds = parser->domains[section->domain].punit_kinds;
        PINSIGHT_CONFIG_ERROR(parser, whole, "which unit of %s? Write [%s.punit.%s]", domain,
                              domain, kinds[0] ? kinds[0] : "UNIT");
        return false;
    }
    rest = pinsight_config_part(rest, 1, rest.length);
    int found = choose_punit(parser, rest, section->domain);
    section->kind = PINSIGHT_SECTION_PUNIT;
    section->punit = found > 0 ? (unsigned)found : 0;
    return found >= 0;
}

static bool read_name(struct pinsight_config_parser *parser, struct pinsight_config_piece whole,
                      struct pinsight_config_section *section) {
    struct pinsight_config_piece rest = whole, first = cut(&rest, ".(");
    char shown[PINSIGHT_CONFIG_SHOWN_ROOM];

    int found = pinsight_config_choose_domain(parser, first, "Lexgion", "section", "");
    if (found < 0)
        return false;
    if ((size_t)found == parser->domain_count)
        return read_lexgion(parser, whole, rest, section);
    section->domain = (unsigned)found;
    section->kind = PINSIGHT_SECTION_DOMAIN;
    if (!rest.length)
        return true;
    if (rest.text[0] == '.')
        return read_punit(parser, whole, rest, section);
    PINSIGHT_CONFIG_ERROR(parser, rest,
                          "'%s' stands after the domain; did you mean '[Lexgion(%s:%s]'?",
                          pinsight_config_shown(rest.text, rest.length, shown),
                          parser->domains[found].name, shown + 1);
    return false;
}

/* Returns the section's title with its words in their proper case. */
static char *make_title(struct pinsight_config_parser *parser,
                        const struct pinsight_config_section *section,
                        struct pinsight_config_piece whole) {
    const struct pinsight_description *domain =
        section->kind == PINSIGHT_SECTION_LEXGIONS ? NULL : &parser->domains[section->domain];
    size_t room = whole.length + 128;
    char *title = pinsight_config_take(parser, room);

    if (!title)
        return NULL;
    switch (section->kind) {
    case PINSIGHT_SECTION_DOMAIN:
        snprintf(title, room, "[%s]", domain->name);
        break;
    case PINSIGHT_SECTION_PUNIT:
        snprintf(title, room, "[%s.punit.%s]", domain->name, domain->punit_kinds[section->punit]);
        break;
    case PINSIGHT_SECTION_LEXGIONS:
        snprintf(title, room, "[Lexgion.default]");
        break;
    case PINSIGHT_SECTION_DOMAIN_LEXGIONS:
        snprintf(title, room, "[Lexgion.%s]", domain->name);
        break;
    case PINSIGHT_SECTION_LEXGION: {
        size_t from = pinsight_config_find(whole, 0, "(");
        snprintf(title, room, "[Lexgion%.*s]", (int)(whole.length - from), whole.text + from);
        break;
    }
    }
    return title;
}

struct pinsight_config_section *pinsight_config_header(struct pinsight_config_parser *parser,
                                                       struct pinsight_config_piece line) {
    char shown[PINSIGHT_CONFIG_SHOWN_ROOM];
    size_t close = find_close(line);

    if (close == line.length) {
        PINSIGHT_CONFIG_ERROR(parser, line, "the section '%s' is not closed; a %s is missing",
                              pinsight_config_shown(line.text, line.length, shown),
                              memchr(line.text, ']', line.length) ? "')'" : "']'");
        return NULL;
    }
    struct pinsight_config_piece whole = pinsight_config_part(line, 1, close);
    if (!whole.length) {
        PINSIGHT_CONFIG_ERROR(parser, line,
                              "a section without a name; write [%s] or "
                              "[Lexgion.default]",
                              parser->domain_count ? parser->domains[0].name : "DOMAIN");
        return NULL;
    }
    struct pinsight_config_section *section = pinsight_config_take(parser, sizeof *section);
    if (!section)
        return NULL;
    section->origin.source = PINSIGHT_FROM_FILE;
    section->origin.name = parser->path;
    section->origin.line = line.line;
    if (!read_name(parser, whole, section) ||
        !read_limits(parser, pinsight_config_part(line, close + 1, line.length), section))
        return NULL;
    section->title = make_title(parser, section, whole);
    return section->title ? section : NULL;
}
