/* Parses the values of keys. */
#include "config/parse.h"

#include <stdio.h>
#include <string.h>

#define SECONDS_MAX INT64_C(1000000000)
#define NS_PER_S INT64_C(1000000000)

/* ---- numbers ---- */

/* Reads a whole number. Returns false for any other text, and for more than INT64_MAX. */
static bool read_number(struct pinsight_config_piece piece, int64_t *number) {
    uint64_t value = 0;

    for (size_t i = 0; i < piece.length; i++) {
        if (piece.text[i] < '0' || piece.text[i] > '9')
            return false;
        unsigned digit = (unsigned)(piece.text[i] - '0');
        if (value > ((uint64_t)INT64_MAX - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    *number = (int64_t)value;
    return piece.length > 0;
}

bool pinsight_config_seconds(struct pinsight_config_piece piece, int64_t *ns) {
    size_t dot = pinsight_config_find(piece, 0, ".");
    int64_t whole, part = 0;

    if (!read_number(pinsight_config_part(piece, 0, dot), &whole) || whole > SECONDS_MAX)
        return false;
    if (dot < piece.length) {
        size_t digits = piece.length - dot - 1;
        struct pinsight_config_piece rest = pinsight_config_part(piece, dot + 1, piece.length);
        if (digits > 9 || rest.length != digits || !read_number(rest, &part))
            return false;
        for (; digits < 9; digits++)
            part *= 10;
    }
    *ns = whole * NS_PER_S + part;
    return *ns <= SECONDS_MAX * NS_PER_S;
}

/* Reads a percentage with up to three decimals, in thousandths of a percent; or "none", which is 0.
 */
static bool read_percent(struct pinsight_config_piece piece, int64_t *number) {
    int64_t billionths;

    *number = 0;
    if (pinsight_config_is(piece, "none"))
        return true;
    if (piece.length < 2 || piece.text[piece.length - 1] != '%' ||
        !pinsight_config_seconds(pinsight_config_part(piece, 0, piece.length - 1), &billionths))
        return false;
    *number = billionths / (NS_PER_S / 1000);
    return *number >= 1 && *number <= 1000000;
}

/* Reads the number of a lexgion's key. */
static bool read_count(struct pinsight_config_parser *parser, enum pinsight_config_key key,
                       struct pinsight_config_piece piece, int64_t *number) {
    char shown[PINSIGHT_CONFIG_SHOWN_ROOM];
    const char *range;

    piece = pinsight_config_bare(piece);
    if (key == PINSIGHT_KEY_TIMEOUT) {
        range = "seconds from 0 to 1000000000, where 0 is no limit";
        if (pinsight_config_seconds(piece, number))
            return true;
    } else if (key == PINSIGHT_KEY_MAX_TRACES) {
        range = "a number of executions from 0 to 9223372036854775807, or -1 for no limit";
        *number = -1;
        if (pinsight_config_is(piece, "-1") || read_number(piece, number))
            return true;
    } else if (key == PINSIGHT_KEY_RATE) {
        range = "a number of executions from 1 to 9223372036854775807";
        if (read_number(piece, number) && *number >= 1)
            return true;
    } else if (key == PINSIGHT_KEY_BUDGET) {
        range = "a percentage from 0.001% to 1000% such as 10%, or none";
        if (read_percent(piece, number))
            return true;
    } else if (key == PINSIGHT_KEY_SHORTEST_VECTOR) {
        range = "a number of elements from 0 to 9223372036854775807";
        if (read_number(piece, number))
            return true;
    } else {
        range = "a number of executions from 0 to 9223372036854775807";
        if (read_number(piece, number))
            return true;
    }
    PINSIGHT_CONFIG_ERROR(parser, piece, "%s takes %s, not '%s'", pinsight_config_key_word(key),
                          range, pinsight_config_shown(piece.text, piece.length, shown));
    return false;
}

/* ---- lists ---- */

struct items {
    struct pinsight_config_piece *list;
    size_t count, room;
};

static bool add_item(struct pinsight_config_parser *parser, struct items *items,
                     struct pinsight_config_piece piece) {
    if (items->count == items->room) {
        size_t room = items->room ? 2 * items->room : 4;
        struct pinsight_config_piece *list = pinsight_config_take(parser, room * sizeof *list);
        if (!list)
            return false;
        if (items->count)
            memcpy(list, items->list, items->count * sizeof *list);
        items->list = list;
        items->room = room;
    }
    items->list[items->count++] = piece;
    return true;
}

/* Adds the items of one line. `*wanted` is true if an item must come next, before and after the
 * call. */
static bool add_line(struct pinsight_config_parser *parser, struct items *items,
                     struct pinsight_config_piece line, bool *wanted) {
    for (size_t from = 0; from < line.length;) {
        size_t comma = pinsight_config_find(line, from, ",");
        struct pinsight_config_piece item = pinsight_config_part(line, from, comma);
        if (item.length) {
            if (!add_item(parser, items, item))
                return false;
            *wanted = false;
        }
        if (comma < line.length) {
            if (*wanted) {
                PINSIGHT_CONFIG_ERROR(parser, pinsight_config_part(line, comma, comma + 1),
                                      "nothing stands before this comma");
                return false;
            }
            *wanted = true;
        }
        from = comma + 1;
    }
    return true;
}

struct pinsight_config_piece *pinsight_config_split(struct pinsight_config_parser *parser,
                                                    struct pinsight_config_piece piece,
                                                    size_t *count) {
    struct items items = {0};
    bool wanted = true;

    if (!add_line(parser, &items, piece, &wanted))
        return NULL;
    if (wanted) {
        PINSIGHT_CONFIG_ERROR(parser, piece, "%s",
                              items.count ? "nothing stands after the last comma"
                                          : "nothing stands here");
        return NULL;
    }
    *count = items.count;
    return items.list;
}

/* Returns whether the list continues on this line. */
static bool goes_on(const struct pinsight_config_line *line, bool wanted) {
    struct pinsight_config_piece piece = line->piece;

    if (line->open_quote || !piece.length)
        return false;
    if (!wanted)
        return piece.text[0] == ',';
    return piece.text[0] != '[' && pinsight_config_find(piece, 0, "=") == piece.length;
}

/* Reads the next line if it continues the list. Otherwise the reader does not advance. */
static bool next_of_list(struct pinsight_config_parser *parser, bool wanted,
                         struct pinsight_config_line *line) {
    struct pinsight_config_reader before = parser->reader;

    if (pinsight_config_reader_next(&parser->reader, line) && goes_on(line, wanted))
        return true;
    parser->reader = before;
    return false;
}

static bool ends_with_comma(struct pinsight_config_piece piece) {
    return piece.length && piece.text[piece.length - 1] == ',';
}

void pinsight_config_skip_value(struct pinsight_config_parser *parser,
                                struct pinsight_config_piece rest) {
    struct pinsight_config_line line = {.piece = rest};

    while (next_of_list(parser, !line.piece.length || ends_with_comma(line.piece), &line))
        continue;
}

/* Reads a list that begins at `rest` and can continue on further lines. Returns NULL after an
 * error. */
static struct pinsight_config_piece *read_list(struct pinsight_config_parser *parser,
                                               struct pinsight_config_piece key,
                                               struct pinsight_config_piece rest, size_t *count) {
    struct items items = {0};
    struct pinsight_config_line line = {.piece = rest};
    bool wanted = true;

    do {
        if (!add_line(parser, &items, line.piece, &wanted)) {
            pinsight_config_skip_value(parser, line.piece);
            return NULL;
        }
    } while (next_of_list(parser, wanted, &line));
    if (wanted) {
        char shown[PINSIGHT_CONFIG_SHOWN_ROOM];
        pinsight_config_shown(key.text, key.length, shown);
        if (items.count)
            PINSIGHT_CONFIG_ERROR(parser, key, "nothing stands after the last comma of '%s'",
                                  shown);
        else
            PINSIGHT_CONFIG_ERROR(parser, key, "'%s' has no value", shown);
        return NULL;
    }
    *count = items.count;
    return items.list;
}

/* ---- values of a domain's keys ---- */

static bool read_events(struct pinsight_config_parser *parser, unsigned domain,
                        const struct pinsight_config_piece *items, size_t count, uint64_t *events) {
    const struct pinsight_description *description = &parser->domains[domain];
    const char *words[PINSIGHT_EVENT_KINDS_MAX + 2] = {NULL};
    char where[80];
    size_t kinds = description->event_count;

    for (size_t i = 0; i < kinds; i++)
        words[i] = description->events[i].name;
    words[kinds] = "none";
    snprintf(where, sizeof where, " of %s", description->name);
    *events = 0;
    for (size_t i = 0; i < count; i++) {
        struct pinsight_config_piece item = pinsight_config_bare(items[i]);
        int found = pinsight_config_choose(parser, item, words, "event", where);
        if (found < 0)
            return false;
        if ((size_t)found == kinds && count > 1) {
            PINSIGHT_CONFIG_ERROR(parser, item, "'none' stands alone in events");
            return false;
        }
        if ((size_t)found < kinds)
            *events |= UINT64_C(1) << found;
    }
    return true;
}

/* Returns the fault of a module's name, or NULL. */
static const char *module_fault(const char *name) {
    if (!*name || *name == '.' || name[strlen(name) - 1] == '.' || strstr(name, ".."))
        return "is not the name of a module, such as numpy.linalg";
    if (strpbrk(name, "*?"))
        return "has a wildcard; a package includes its submodules, so its name is enough";
    if (strpbrk(name, "/:[]()=\""))
        return "is not the name of a module, such as numpy.linalg";
    if (strpbrk(name, " \t"))
        return "is not one name; names are separated by commas";
    return NULL;
}

/* Returns the fault of a type's name, or NULL. */
static const char *type_fault(const char *name) {
    if (strpbrk(name, " \t"))
        return "is not one name; names are separated by commas";
    if (module_fault(name) || !strchr(name, '.'))
        return "is not the name of a type, such as numpy.ndarray";
    return NULL;
}

/* Returns the fault of a pattern of code, or NULL. */
static const char *pattern_fault(const char *name) {
    if (strpbrk(name, " \t?\""))
        return "is no pattern of modules or files; patterns are separated by commas";
    return strcmp(name, "+") == 0 ? "has no pattern after the +" : NULL;
}

/* Reads names, which `fault_in` checks. `nothing` is the word for a list without items. */
static bool read_list_of(struct pinsight_config_parser *parser,
                         const struct pinsight_config_piece *items, size_t count,
                         const char *nothing, const char *(*fault_in)(const char *),
                         struct pinsight_config_list *names) {
    char shown[PINSIGHT_CONFIG_SHOWN_ROOM];

    names->count = 0;
    if (count == 1 && pinsight_config_is(items[0], nothing))
        return true;
    const char **list = pinsight_config_take(parser, count * sizeof *list);
    if (!list)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (!(list[i] = pinsight_config_text(parser, items[i])))
            return false;
        const char *fault = fault_in(list[i]);
        if (fault) {
            PINSIGHT_CONFIG_ERROR(parser, items[i], "'%s' %s",
                                  pinsight_config_shown(items[i].text, items[i].length, shown),
                                  fault);
            return false;
        }
    }
    names->count = count;
    names->items = list;
    return true;
}

static bool read_names(struct pinsight_config_parser *parser, struct pinsight_config_piece piece,
                       bool *registry) {
    static const char *const words[] = {"inline", "registry", NULL};
    int found =
        pinsight_config_choose(parser, pinsight_config_bare(piece), words, "value", " of names");

    *registry = found == 1;
    return found >= 0;
}

static bool read_choice(struct pinsight_config_parser *parser, struct pinsight_config_piece piece,
                        enum pinsight_config_key key, unsigned *choice) {
    char where[32];

    snprintf(where, sizeof where, " of %s", pinsight_config_key_word(key));
    int found = pinsight_config_choose(parser, pinsight_config_bare(piece),
                                       pinsight_config_choices(key), "value", where);
    *choice = found < 0 ? 0 : (unsigned)found;
    return found >= 0;
}

static bool is_list(enum pinsight_config_key key) {
    return key == PINSIGHT_KEY_EVENTS || key == PINSIGHT_KEY_MODULE_FILTER ||
           key == PINSIGHT_KEY_MODULE_EXCLUDE || key == PINSIGHT_KEY_OPERATORS ||
           key == PINSIGHT_KEY_PROPERTIES || key == PINSIGHT_KEY_MINE ||
           key == PINSIGHT_KEY_RANGE || key == PINSIGHT_KEY_MODE_AFTER;
}

bool pinsight_config_value(struct pinsight_config_parser *parser,
                           const struct pinsight_config_section *section,
                           struct pinsight_config_piece key, struct pinsight_config_piece rest,
                           struct pinsight_config_setting *setting) {
    struct pinsight_config_piece *items = &rest, bare = pinsight_config_bare(rest);
    size_t count = 1;
    int mode;

    if (is_list(setting->key)) {
        items = read_list(parser, key, rest, &count);
        if (!items)
            return false;
    } else if (!bare.length) {
        PINSIGHT_CONFIG_ERROR(parser, key, "'%s' has no value",
                              pinsight_config_key_word(setting->key));
        return false;
    }
    switch (setting->key) {
    case PINSIGHT_KEY_TRACE_MODE:
        mode = pinsight_config_choose_mode(parser, bare);
        setting->mode = mode < 0 ? PINSIGHT_MODE_OFF : (enum pinsight_mode)mode;
        return mode >= 0;
    case PINSIGHT_KEY_EVENTS:
        return read_events(parser, section->domain, items, count, &setting->events);
    case PINSIGHT_KEY_MODULE_FILTER:
        return read_list_of(parser, items, count, "*", module_fault, &setting->modules);
    case PINSIGHT_KEY_MODULE_EXCLUDE:
        return read_list_of(parser, items, count, "none", module_fault, &setting->modules);
    case PINSIGHT_KEY_NAMES:
        return read_names(parser, rest, &setting->registry);
    case PINSIGHT_KEY_IMPORT:
    case PINSIGHT_KEY_ALLOCATIONS:
    case PINSIGHT_KEY_EXCEPTIONS:
    case PINSIGHT_KEY_DEVICE_ACTIVITY:
    case PINSIGHT_KEY_NESTED:
    case PINSIGHT_KEY_LINES:
        return read_choice(parser, rest, setting->key, &setting->choice);
    case PINSIGHT_KEY_OPERATORS:
    case PINSIGHT_KEY_PROPERTIES:
        return read_list_of(parser, items, count, "none", type_fault, &setting->types);
    case PINSIGHT_KEY_MINE:
        return read_list_of(parser, items, count, "default", pattern_fault, &setting->types);
    case PINSIGHT_KEY_RANGE:
        return pinsight_config_ranges_read(
            parser, items, count,
            parser->domains[section->domain].named_punits >> section->punit & 1, &setting->ranges);
    case PINSIGHT_KEY_MODE_AFTER:
        return pinsight_config_after_read(parser, items, count, &setting->after);
    default:
        return read_count(parser, setting->key, rest, &setting->number);
    }
}
