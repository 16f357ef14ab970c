/* Words with a fixed meaning, and error messages about unknown words. */
#include "base/words.h"
#include "config/parse.h"

#include <stdio.h>

static const char *const key_words[PINSIGHT_KEYS + 1] = {
    [PINSIGHT_KEY_TRACE_MODE] = "trace_mode",
    [PINSIGHT_KEY_EVENTS] = "events",
    [PINSIGHT_KEY_MODULE_FILTER] = "module_filter",
    [PINSIGHT_KEY_MODULE_EXCLUDE] = "module_exclude",
    [PINSIGHT_KEY_NAMES] = "names",
    [PINSIGHT_KEY_IMPORT] = "import",
    [PINSIGHT_KEY_ALLOCATIONS] = "allocations",
    [PINSIGHT_KEY_EXCEPTIONS] = "exceptions",
    [PINSIGHT_KEY_OPERATORS] = "operators",
    [PINSIGHT_KEY_PROPERTIES] = "properties",
    [PINSIGHT_KEY_DEVICE_ACTIVITY] = "device_activity",
    [PINSIGHT_KEY_SHORTEST_VECTOR] = "shortest_vector",
    [PINSIGHT_KEY_NESTED] = "nested",
    [PINSIGHT_KEY_BUDGET] = "budget",
    [PINSIGHT_KEY_MINE] = "mine",
    [PINSIGHT_KEY_RANGE] = "range",
    [PINSIGHT_KEY_STARTS_AT] = "trace_starts_at",
    [PINSIGHT_KEY_RATE] = "tracing_rate",
    [PINSIGHT_KEY_MAX_TRACES] = "max_num_traces",
    [PINSIGHT_KEY_TIMEOUT] = "window_timeout",
    [PINSIGHT_KEY_MODE_AFTER] = "trace_mode_after",
    [PINSIGHT_KEY_LINES] = "lines",
};

static const char *const mode_words[] = {
    [PINSIGHT_MODE_OFF] = "OFF",
    [PINSIGHT_MODE_STANDBY] = "STANDBY",
    [PINSIGHT_MODE_MONITORING] = "MONITORING",
    [PINSIGHT_MODE_TRACING] = "TRACING",
    NULL,
};

const char *const *pinsight_config_choices(enum pinsight_config_key key) {
    static const char *const import[] = {"modules", "full", NULL};
    static const char *const allocations[] = {"off", "on", "live", NULL};
    static const char *const exceptions[] = {"off", "on", NULL};
    static const char *const lines[] = {"off", "on", NULL};
    static const char *const nested[] = {"off", "on", NULL};
    static const char *const device_activity[] = {"off", "on", "one_per_node", NULL};

    return key == PINSIGHT_KEY_IMPORT            ? import
           : key == PINSIGHT_KEY_ALLOCATIONS     ? allocations
           : key == PINSIGHT_KEY_EXCEPTIONS      ? exceptions
           : key == PINSIGHT_KEY_LINES           ? lines
           : key == PINSIGHT_KEY_DEVICE_ACTIVITY ? device_activity
           : key == PINSIGHT_KEY_NESTED          ? nested
                                                 : NULL;
}

const char *pinsight_config_key_word(enum pinsight_config_key key) {
    return key_words[key];
}

const char *pinsight_config_mode_word(enum pinsight_mode mode) {
    return mode_words[mode];
}

bool pinsight_config_key_allowed(enum pinsight_config_section_kind kind,
                                 const struct pinsight_description *domain,
                                 enum pinsight_config_key key) {
    switch (kind) {
    case PINSIGHT_SECTION_DOMAIN:
        if (key == PINSIGHT_KEY_MODULE_FILTER || key == PINSIGHT_KEY_MODULE_EXCLUDE ||
            key == PINSIGHT_KEY_MINE)
            return domain->has_modules;
        if (key == PINSIGHT_KEY_EVENTS)
            return domain->event_count > 0;
        if (key == PINSIGHT_KEY_IMPORT)
            return domain->has_import;
        if (key == PINSIGHT_KEY_ALLOCATIONS)
            return domain->has_allocations;
        if (key == PINSIGHT_KEY_EXCEPTIONS)
            return domain->has_exceptions;
        if (key == PINSIGHT_KEY_OPERATORS)
            return domain->has_operators;
        if (key == PINSIGHT_KEY_PROPERTIES)
            return domain->has_properties;
        if (key == PINSIGHT_KEY_DEVICE_ACTIVITY)
            return domain->has_device_activity;
        if (key == PINSIGHT_KEY_SHORTEST_VECTOR)
            return domain->has_shortest_vector;
        if (key == PINSIGHT_KEY_NESTED)
            return domain->has_nested;
        if (key == PINSIGHT_KEY_BUDGET)
            return domain->has_budget;
        return key == PINSIGHT_KEY_TRACE_MODE || (key == PINSIGHT_KEY_NAMES && domain->has_names);
    case PINSIGHT_SECTION_PUNIT:
        return key == PINSIGHT_KEY_RANGE;
    case PINSIGHT_SECTION_LEXGIONS:
        return key >= PINSIGHT_KEY_STARTS_AT;
    default:
        return key >= PINSIGHT_KEY_STARTS_AT &&
               (key != PINSIGHT_KEY_LINES || domain->selectors & PINSIGHT_SELECT_SOURCE);
    }
}

static int find(struct pinsight_config_piece piece, const char *const *words) {
    return pinsight_word_index(piece.text, piece.length, words);
}

int pinsight_config_choose(struct pinsight_config_parser *parser,
                           struct pinsight_config_piece piece, const char *const *words,
                           const char *what, const char *where) {
    char shown[PINSIGHT_CONFIG_SHOWN_ROOM], valid[256];
    int found = find(piece, words);
    bool near;

    if (found >= 0)
        return found;
    const char *nearest = pinsight_word_nearest(piece.text, piece.length, words, &near);
    pinsight_config_shown(piece.text, piece.length, shown);
    if (!nearest)
        PINSIGHT_CONFIG_ERROR(parser, piece, "unknown %s '%s'%s; there is none here", what, shown,
                              where);
    else if (near)
        PINSIGHT_CONFIG_ERROR(parser, piece, "unknown %s '%s'%s; did you mean '%s'?", what, shown,
                              where, nearest);
    else if (!words[1])
        PINSIGHT_CONFIG_ERROR(parser, piece, "unknown %s '%s'%s; there is only '%s'", what, shown,
                              where, words[0]);
    else
        PINSIGHT_CONFIG_ERROR(parser, piece, "unknown %s '%s'%s; it is one of %s (nearest: '%s')",
                              what, shown, where, pinsight_word_list(words, valid, sizeof valid),
                              nearest);
    return -1;
}

/* Writes the names of the domains to `words`, ended by NULL. Returns their number. */
static size_t domain_words(const struct pinsight_config_parser *parser, const char **words,
                           size_t room) {
    size_t count = 0;

    for (; count < parser->domain_count && count + 1 < room; count++)
        words[count] = parser->domains[count].name;
    words[count] = NULL;
    return count;
}

static bool other_domain(struct pinsight_config_parser *parser,
                         struct pinsight_config_piece piece) {
    const char *words[PINSIGHT_CONFIG_WORDS_MAX];
    char valid[256];
    int other = find(piece, pinsight_domain_names);

    domain_words(parser, words, PINSIGHT_CONFIG_WORDS_MAX);
    if (other < 0 || find(piece, words) >= 0)
        return false;
    pinsight_word_list(words, valid, sizeof valid);
    PINSIGHT_CONFIG_ERROR(parser, piece, "this build of PInsight has no domain '%s'; it has %s",
                          pinsight_domain_names[other], valid);
    return true;
}

int pinsight_config_choose_domain(struct pinsight_config_parser *parser,
                                  struct pinsight_config_piece piece, const char *more,
                                  const char *what, const char *where) {
    const char *words[PINSIGHT_CONFIG_WORDS_MAX];
    size_t count = domain_words(parser, words, PINSIGHT_CONFIG_WORDS_MAX - 1);

    words[count] = more;
    words[count + 1] = NULL;
    if (other_domain(parser, piece))
        return -1;
    return pinsight_config_choose(parser, piece, words, what, where);
}

int pinsight_config_choose_mode(struct pinsight_config_parser *parser,
                                struct pinsight_config_piece piece) {
    return pinsight_config_choose(parser, piece, mode_words, "mode", "");
}
