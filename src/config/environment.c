/* What does not stand in the file: the defaults below it, the environment above it. */
#include "config/parse.h"

#include <stdio.h>
#include <string.h>

/* ---- defaults: everything that is present is recorded, without an end ---- */

static struct pinsight_config_section *add_section(struct pinsight_config_parser *parser,
                                                   enum pinsight_config_section_kind kind,
                                                   const char *title) {
    struct pinsight_config_section *section = pinsight_config_take(parser, sizeof *section);
    char *copy = pinsight_config_arena_text(parser->arena, title, strlen(title));

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
    default: /* 0, false, and no item: all modules, no module, all units */
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

static void read_mode(struct pinsight_config_parser *parser, unsigned domain, const char *variable,
                      const char *value) {
    struct pinsight_config_piece piece = {.text = value, .length = strlen(value)};
    struct pinsight_config_errors *errors = parser->errors;
    char title[160], text[PINSIGHT_CONFIG_ERROR_ROOM];
    size_t count = errors->count;

    int mode = pinsight_config_choose_mode(parser, piece);
    if (mode < 0) {
        if (errors->count > count) {
            struct pinsight_config_error *error = &errors->list[count];
            strcpy(text, error->text);
            snprintf(error->text, sizeof error->text, "%s: %.400s", variable, text);
        }
        return;
    }
    snprintf(title, sizeof title, "[%s]", parser->domains[domain].name);
    struct pinsight_config_section *section = add_section(parser, PINSIGHT_SECTION_DOMAIN, title);
    char *name = pinsight_config_arena_text(parser->arena, variable, strlen(variable));
    parser->no_memory = parser->no_memory || !name;
    if (!section || !name)
        return;
    section->domain = domain;
    section->origin.source = PINSIGHT_FROM_ENVIRONMENT;
    section->origin.name = name;
    struct pinsight_config_setting *setting = add_setting(parser, section, PINSIGHT_KEY_TRACE_MODE);
    if (setting)
        setting->mode = (enum pinsight_mode)mode;
}

void pinsight_config_environment(struct pinsight_config_parser *parser,
                                 const char *(*environment)(const char *name)) {
    for (unsigned i = 0; i < parser->domain_count; i++) {
        char variable[96];
        size_t start = (size_t)snprintf(variable, sizeof variable, "PINSIGHT_TRACE_%s",
                                        parser->domains[i].name);
        if (start >= sizeof variable)
            continue;
        for (char *at = variable; *at; at++)
            if (*at >= 'a' && *at <= 'z')
                *at = (char)(*at - 'a' + 'A');
        const char *value = environment(variable);
        if (value)
            read_mode(parser, i, variable, value);
    }
}
