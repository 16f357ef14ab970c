/* The sections from outside the file: the defaults below it, and the environment above it. */
#include "config/parse.h"

#include <stdio.h>
#include <string.h>

/* ---- defaults: everything is recorded, without a limit ---- */

static struct pinsight_config_section *add_section(struct pinsight_config_parser *parser,
                                                   enum pinsight_config_section_kind kind,
                                                   const char *title) {
    struct pinsight_config_section *section = pinsight_config_take(parser, sizeof *section);
    char *copy = pinsight_arena_text(parser->arena, title, strlen(title));

    parser->no_memory = parser->no_memory || !copy;
    if (!section || !copy)
        return NULL;
    section->kind = kind;
    section->title = copy;
    pinsight_config_append(parser, section);
    return section;
}

static struct pinsight_config_setting *add_setting(struct pinsight_config_parser *parser,
                                                   struct pinsight_config_section *section,
                                                   enum pinsight_config_key key) {
    struct pinsight_config_setting *setting = pinsight_config_take(parser, sizeof *setting);

    if (setting) {
        setting->key = key;
        setting->origin = section->origin;
        setting->section = section;
        section->settings[key] = setting;
    }
    return setting;
}

/* The default types whose operators are recorded. */
static const char *const numpy_types[] = {"numpy.ndarray", "numpy.generic"};

static void fill(const struct pinsight_config_parser *parser,
                 struct pinsight_config_setting *setting) {
    const struct pinsight_description *domain = &parser->domains[setting->section->domain];

    switch (setting->key) {
    case PINSIGHT_KEY_TRACE_MODE:
        setting->mode = PINSIGHT_MODE_TRACING;
        break;
    case PINSIGHT_KEY_EVENTS:
        for (size_t i = 0; i < domain->event_count; i++)
            setting->events |= (uint64_t)domain->events[i].on_by_default << i;
        break;
    case PINSIGHT_KEY_OPERATORS:
        setting->types =
            (struct pinsight_config_list){sizeof numpy_types / sizeof *numpy_types, numpy_types};
        break;
    case PINSIGHT_KEY_DEVICE_ACTIVITY:
        setting->choice = PINSIGHT_DEVICE_ACTIVITY_ON;
        break;
    case PINSIGHT_KEY_SHORTEST_VECTOR:
        setting->number = PINSIGHT_SHORTEST_VECTOR;
        break;
    case PINSIGHT_KEY_RATE:
        setting->number = 1;
        break;
    case PINSIGHT_KEY_MAX_TRACES:
        setting->number = -1;
        break;
    case PINSIGHT_KEY_MODE_AFTER:
        setting->after.kind = PINSIGHT_AFTER_LEXGION;
        setting->after.mode = PINSIGHT_MODE_STANDBY;
        break;
    default: /* 0 or false, and no items: all modules, no exclusion, all units */
        break;
    }
}

static void fill_section(struct pinsight_config_parser *parser,
                         struct pinsight_config_section *section) {
    const struct pinsight_description *domain = &parser->domains[section->domain];

    for (int key = 0; key < PINSIGHT_KEYS; key++) {
        if (!pinsight_config_key_allowed(section->kind, domain, (enum pinsight_config_key)key))
            continue;
        struct pinsight_config_setting *setting =
            add_setting(parser, section, (enum pinsight_config_key)key);
        if (setting)
            fill(parser, setting);
    }
}

void pinsight_config_defaults(struct pinsight_config_parser *parser) {
    struct pinsight_config_section *section;
    char title[160];

    for (size_t i = 0; i < parser->domain_count; i++) {
        const struct pinsight_description *domain = &parser->domains[i];
        snprintf(title, sizeof title, "[%s]", domain->name);
        if (!(section = add_section(parser, PINSIGHT_SECTION_DOMAIN, title)))
            return;
        section->domain = (unsigned)i;
        fill_section(parser, section);
        for (unsigned j = 0; domain->punit_kinds[j]; j++) {
            snprintf(title, sizeof title, "[%s.punit.%s]", domain->name, domain->punit_kinds[j]);
            if (!(section = add_section(parser, PINSIGHT_SECTION_PUNIT, title)))
                return;
            section->domain = (unsigned)i;
            section->punit = j;
            fill_section(parser, section);
        }
    }
    if ((section = add_section(parser, PINSIGHT_SECTION_LEXGIONS, "[Lexgion.default]")))
        fill_section(parser, section);
}

/* ---- environment ---- */

/* Puts a variable's name in front of all errors after the first `count`. */
static void name_variable(struct pinsight_config_errors *errors, size_t count,
                          const char *variable) {
    char text[PINSIGHT_CONFIG_ERROR_ROOM];

    for (; count < errors->count; count++) {
        struct pinsight_config_error *error = &errors->list[count];
        strcpy(text, error->text);
        snprintf(error->text, sizeof error->text, "%s: %.400s", variable, text);
    }
}

/* Gets the value of a variable without blanks at both ends. Returns false if it is not set, or
 * after an error. */
static bool get_value(struct pinsight_config_parser *parser,
                      const char *(*environment)(const char *name), const char *variable,
                      struct pinsight_config_piece *value) {
    const char *text = environment(variable);

    if (!text)
        return false;
    *value = (struct pinsight_config_piece){.text = text, .length = strlen(text)};
    *value = pinsight_config_part(*value, 0, value->length);
    if (value->length)
        return true;
    pinsight_config_error(parser->errors, 0, 0, "%s has no value; give it one, or unset it",
                          variable);
    return false;
}

/* Adds a section for a domain, with a variable as its origin. Returns NULL without memory. */
static struct pinsight_config_section *add_of_domain(struct pinsight_config_parser *parser,
                                                     unsigned domain, const char *variable) {
    char title[160];

    snprintf(title, sizeof title, "[%s]", parser->domains[domain].name);
    struct pinsight_config_section *section = add_section(parser, PINSIGHT_SECTION_DOMAIN, title);
    char *name = pinsight_arena_text(parser->arena, variable, strlen(variable));
    parser->no_memory = parser->no_memory || !name;
    if (!section || !name)
        return NULL;
    section->domain = domain;
    section->origin.source = PINSIGHT_FROM_ENVIRONMENT;
    section->origin.name = name;
    return section;
}

/* Reads a variable whose value has the form of a key's value in a file. */
static void read_key(struct pinsight_config_parser *parser,
                     const char *(*environment)(const char *name), const char *variable,
                     unsigned domain, enum pinsight_config_key key) {
    struct pinsight_config_piece name = {.text = variable, .length = strlen(variable)}, value;
    size_t count = parser->errors->count;

    if (!get_value(parser, environment, variable, &value))
        return;
    struct pinsight_config_section *section = add_of_domain(parser, domain, variable);
    struct pinsight_config_setting *setting = section ? add_setting(parser, section, key) : NULL;
    if (setting && !pinsight_config_value(parser, section, name, value, setting))
        name_variable(parser->errors, count, variable);
}

/* Reads PINSIGHT_DOMAINS. Domains that it does not name are OFF. */
static void read_domains(struct pinsight_config_parser *parser,
                         const char *(*environment)(const char *name)) {
    static const char variable[] = "PINSIGHT_DOMAINS";
    struct pinsight_config_piece value;
    size_t errors = parser->errors->count, count = 0;
    bool *wanted = pinsight_config_take(parser, parser->domain_count * sizeof *wanted);

    if (!wanted || !get_value(parser, environment, variable, &value))
        return;
    struct pinsight_config_piece *items = pinsight_config_split(parser, value, &count);
    for (size_t i = 0; items && i < count; i++) {
        int domain = pinsight_config_choose_domain(parser, pinsight_config_bare(items[i]), NULL,
                                                   "domain", "");
        if (domain >= 0)
            wanted[domain] = true;
    }
    name_variable(parser->errors, errors, variable);
    for (unsigned i = 0; i < parser->domain_count; i++) {
        if (wanted[i] || parser->domains[i].is_own)
            continue;
        struct pinsight_config_section *section = add_of_domain(parser, i, variable);
        struct pinsight_config_setting *setting =
            section ? add_setting(parser, section, PINSIGHT_KEY_TRACE_MODE) : NULL;
        if (setting)
            setting->mode = PINSIGHT_MODE_OFF;
    }
}

/* Variables for a key of one domain, whose names do not contain the domain. */
static const struct {
    const char *variable, *domain;
    enum pinsight_config_key key;
} of_one_domain[] = {
    {"PINSIGHT_EVENTS", "Python", PINSIGHT_KEY_EVENTS},
    {"PINSIGHT_NAMES", "Python", PINSIGHT_KEY_NAMES},
    {"PINSIGHT_IMPORT", "Python", PINSIGHT_KEY_IMPORT},
    {"PINSIGHT_ALLOCATIONS", "Python", PINSIGHT_KEY_ALLOCATIONS},
    {"PINSIGHT_EXCEPTIONS", "Python", PINSIGHT_KEY_EXCEPTIONS},
    {"PINSIGHT_BUDGET", "Python", PINSIGHT_KEY_BUDGET},
    {"PINSIGHT_DEVICE_ACTIVITY", "CUDA", PINSIGHT_KEY_DEVICE_ACTIVITY},
};

/* Reads PINSIGHT_LINES: regions of Python code, whose lines are measured. */
static void read_lines(struct pinsight_config_parser *parser,
                       const char *(*environment)(const char *name)) {
    static const char variable[] = "PINSIGHT_LINES";
    struct pinsight_config_piece value;
    size_t errors = parser->errors->count, count = 0;
    char shown[PINSIGHT_CONFIG_SHOWN_ROOM];

    if (!get_value(parser, environment, variable, &value))
        return;
    struct pinsight_config_piece *items = pinsight_config_split(parser, value, &count);
    for (size_t i = 0; items && i < count; i++) {
        struct pinsight_config_piece item = pinsight_config_bare(items[i]);
        const size_t room = item.length + sizeof "[Lexgion(Python:)]";
        char *title = pinsight_config_take(parser, room);
        if (!title)
            return;
        snprintf(title, room, "[Lexgion(Python:%.*s)]", (int)item.length, item.text);
        struct pinsight_config_section *section =
            add_section(parser, PINSIGHT_SECTION_LEXGION, title);
        if (!section)
            return;
        section->origin.source = PINSIGHT_FROM_ENVIRONMENT;
        section->origin.name = variable;
        const size_t before = strlen("[Lexgion(");
        item = (struct pinsight_config_piece){.text = title + before,
                                              .length = strlen(title) - before - strlen(")]")};
        if (!pinsight_config_selector_read(parser, item, section))
            continue;
        if (section->selector.kind == PINSIGHT_SELECT_CALLEE)
            pinsight_config_error(parser->errors, 0, 0,
                                  "'%s': a C callable has no lines; name Python code, such as "
                                  "solver.py:Solver.step",
                                  pinsight_config_shown(section->selector.name,
                                                        strlen(section->selector.name), shown));
        struct pinsight_config_setting *setting = add_setting(parser, section, PINSIGHT_KEY_LINES);
        if (setting)
            setting->choice = true;
    }
    name_variable(parser->errors, errors, "--lines (PINSIGHT_LINES)");
}

void pinsight_config_environment(struct pinsight_config_parser *parser,
                                 const char *(*environment)(const char *name)) {
    /* A list in a variable must not continue on the file's next line. */
    pinsight_config_reader_start(&parser->reader, "", 0);
    read_lines(parser, environment);
    read_domains(parser, environment); /* first: later sections, which are more specific, win */
    for (unsigned i = 0; i < parser->domain_count; i++) {
        const char *domain = parser->domains[i].name;
        char variable[96];
        size_t start = (size_t)snprintf(variable, sizeof variable, "PINSIGHT_TRACE_%s", domain);
        if (start >= sizeof variable)
            continue;
        for (char *at = variable; *at; at++)
            if (*at >= 'a' && *at <= 'z')
                *at = (char)(*at - 'a' + 'A');
        read_key(parser, environment, variable, i, PINSIGHT_KEY_TRACE_MODE);
        for (size_t j = 0; j < sizeof of_one_domain / sizeof *of_one_domain; j++)
            if (strcmp(of_one_domain[j].domain, domain) == 0)
                read_key(parser, environment, of_one_domain[j].variable, i, of_one_domain[j].key);
    }
}
