/* Answers from the current configuration; see resolve.h. */
#include "tracer/core/resolve.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the domain's setting in force. Called between pinsight_settings_begin() and _end(). */
static const struct pinsight_config_setting *setting_of(const struct pinsight_config *config,
                                                        const struct pinsight_domain *domain,
                                                        enum pinsight_config_key key) {
    int number = pinsight_settings_domain(domain->name);
    return config && number >= 0 ? pinsight_config_domain_setting(config, (unsigned)number, key,
                                                                  &pinsight_settings_place)
                                 : NULL;
}

uint64_t pinsight_resolve_events(const struct pinsight_domain *domain) {
    const struct pinsight_config_setting *setting =
        setting_of(pinsight_settings_begin(), domain, PINSIGHT_KEY_EVENTS);
    uint64_t events = setting ? setting->events : 0;
    pinsight_settings_end();
    return events;
}

bool pinsight_resolve_registry(const struct pinsight_domain *domain) {
    const struct pinsight_config_setting *setting =
        setting_of(pinsight_settings_begin(), domain, PINSIGHT_KEY_NAMES);
    bool registry = setting && setting->registry;
    pinsight_settings_end();
    return registry;
}

/* Returns the index of the chosen word, or `none` without a setting. */
static unsigned choice_of(const struct pinsight_domain *domain, enum pinsight_config_key key,
                          unsigned none) {
    const struct pinsight_config_setting *setting =
        setting_of(pinsight_settings_begin(), domain, key);
    unsigned choice = setting ? (unsigned)setting->choice : none;
    pinsight_settings_end();
    return choice;
}

enum pinsight_import_events pinsight_resolve_import(const struct pinsight_domain *domain) {
    return (enum pinsight_import_events)choice_of(domain, PINSIGHT_KEY_IMPORT,
                                                  PINSIGHT_IMPORT_MODULES);
}

enum pinsight_allocations pinsight_resolve_allocations(const struct pinsight_domain *domain) {
    return (enum pinsight_allocations)choice_of(domain, PINSIGHT_KEY_ALLOCATIONS,
                                                PINSIGHT_ALLOCATIONS_OFF);
}

bool pinsight_resolve_exceptions(const struct pinsight_domain *domain) {
    return choice_of(domain, PINSIGHT_KEY_EXCEPTIONS, 0);
}

enum pinsight_device_activity
pinsight_resolve_device_activity(const struct pinsight_domain *domain) {
    return (enum pinsight_device_activity)choice_of(domain, PINSIGHT_KEY_DEVICE_ACTIVITY,
                                                    PINSIGHT_DEVICE_ACTIVITY_ON);
}

static struct pinsight_config_region source_region(int domain, const char *file, const char *name) {
    return (struct pinsight_config_region){
        .domain = (unsigned)domain, .kind = PINSIGHT_SELECT_SOURCE, .file = file, .name = name};
}

bool pinsight_resolve_lines(const struct pinsight_domain *domain, const char *file,
                            const char *name) {
    int number = pinsight_settings_domain(domain->name);
    const struct pinsight_config *config = pinsight_settings_begin();
    struct pinsight_config_region region = source_region(number, file, name);
    bool on =
        config && number >= 0 && pinsight_config_lines(config, &region, &pinsight_settings_place);
    pinsight_settings_end();
    return on;
}

void pinsight_resolve_line_sections(const struct pinsight_domain *domain, const char *file,
                                    const char *name,
                                    void (*visit)(const char *title, bool names)) {
    int number = pinsight_settings_domain(domain->name);
    const struct pinsight_config *config = pinsight_settings_begin();
    struct pinsight_config_region region = source_region(number, file, name);
    const struct pinsight_config_section *section = config && number >= 0 ? config->sections : NULL;
    for (; section; section = section->next) {
        const struct pinsight_config_setting *lines = section->settings[PINSIGHT_KEY_LINES];
        if (lines && lines->choice)
            visit(section->title, name && pinsight_config_section_matches(section, &region));
    }
    pinsight_settings_end();
}

uint64_t pinsight_resolve_shortest_vector(const struct pinsight_domain *domain) {
    const struct pinsight_config_setting *setting =
        setting_of(pinsight_settings_begin(), domain, PINSIGHT_KEY_SHORTEST_VECTOR);
    uint64_t elements = setting ? (uint64_t)setting->number : 0;
    pinsight_settings_end();
    return elements;
}

bool pinsight_resolve_nested(const struct pinsight_domain *domain) {
    return choice_of(domain, PINSIGHT_KEY_NESTED, 0);
}

uint32_t pinsight_resolve_budget(const struct pinsight_domain *domain, char *rule, size_t room) {
    const struct pinsight_config_setting *setting =
        setting_of(pinsight_settings_begin(), domain, PINSIGHT_KEY_BUDGET);
    uint32_t budget = setting ? (uint32_t)setting->number : 0;
    rule[0] = '\0';
    if (setting)
        pinsight_config_format_origin(&setting->origin, rule, room);
    pinsight_settings_end();
    return budget;
}

/* Returns a list of modules in force, or NULL. Called between pinsight_settings_begin() and
 * _end(). */
static const struct pinsight_config_list *modules_of(const struct pinsight_config *config,
                                                     const struct pinsight_domain *domain,
                                                     enum pinsight_config_key key) {
    const struct pinsight_config_setting *setting = setting_of(config, domain, key);
    return setting && setting->modules.count ? &setting->modules : NULL;
}

bool pinsight_resolve_has_modules(const struct pinsight_domain *domain) {
    const struct pinsight_config *config = pinsight_settings_begin();
    bool any = modules_of(config, domain, PINSIGHT_KEY_MODULE_FILTER) ||
               modules_of(config, domain, PINSIGHT_KEY_MODULE_EXCLUDE);
    pinsight_settings_end();
    return any;
}

/* Returns whether a key's list has the module; `without_list` if there is no list. */
static bool in_modules(const struct pinsight_domain *domain, enum pinsight_config_key key,
                       const char *module, bool without_list) {
    const struct pinsight_config_list *modules = modules_of(pinsight_settings_begin(), domain, key);
    bool found = modules ? pinsight_config_in_modules(modules, module) : without_list;
    pinsight_settings_end();
    return found;
}

bool pinsight_resolve_module_excluded(const struct pinsight_domain *domain, const char *module) {
    return in_modules(domain, PINSIGHT_KEY_MODULE_EXCLUDE, module, false);
}

bool pinsight_resolve_module(const struct pinsight_domain *domain, const char *module) {
    return in_modules(domain, PINSIGHT_KEY_MODULE_FILTER, module, true) &&
           !pinsight_resolve_module_excluded(domain, module);
}

bool pinsight_resolve_no_c_calls(const struct pinsight_domain *domain) {
    int number = pinsight_settings_domain(domain->name);
    const struct pinsight_config *config = pinsight_settings_begin();
    bool none = config && number >= 0 &&
                pinsight_config_none_recorded(config, (unsigned)number, PINSIGHT_SELECT_CALLEE,
                                              &pinsight_settings_place);
    pinsight_settings_end();
    return none;
}

bool pinsight_resolve_all_recorded(const struct pinsight_domain *domain) {
    int number = pinsight_settings_domain(domain->name);
    const struct pinsight_config *config = pinsight_settings_begin();
    bool all = !config || number < 0 || pinsight_config_all_recorded(config, (unsigned)number);
    pinsight_settings_end();
    return all;
}

char **pinsight_resolve_types(const struct pinsight_domain *domain, enum pinsight_config_key key,
                              size_t *count, bool *is_default) {
    const struct pinsight_config_setting *setting =
        setting_of(pinsight_settings_begin(), domain, key);
    size_t wanted = setting ? setting->types.count : 0;
    char **names = wanted ? calloc(wanted, sizeof *names) : NULL;
    *count = 0;
    *is_default = setting && setting->origin.source == PINSIGHT_FROM_DEFAULT;
    while (names && *count < wanted && (names[*count] = strdup(setting->types.items[*count])))
        ++*count;
    pinsight_settings_end();
    return names;
}

/* Appends "; key = value". Cuts off a value that is longer than a line. */
static void add_value(const struct pinsight_config *config, const char *key,
                      const struct pinsight_config_setting *setting, char *text, size_t room) {
    enum { LONGEST = 120 };
    char value[LONGEST + 1];
    size_t length = strlen(text);
    pinsight_config_format(config, setting, value, sizeof value);
    snprintf(text + length, room - length, "%s%s = %s%s", length ? "; " : "", key, value,
             strlen(value) == LONGEST ? "..." : "");
}

/* Returns the range of the domain's units that have names, or NULL. */
static const struct pinsight_config_setting *named_range(const struct pinsight_config *config,
                                                         int domain) {
    unsigned named = config->domains[domain].named_punits;
    return named ? pinsight_config_punit_range(config, (unsigned)domain,
                                               (unsigned)__builtin_ctz(named),
                                               &pinsight_settings_place)
                 : NULL;
}

void pinsight_resolve_selection(const struct pinsight_domain *domain, unsigned punit, char *text,
                                size_t room) {
    int number = pinsight_settings_domain(domain->name);
    const struct pinsight_config *config = pinsight_settings_begin();
    const struct pinsight_config_setting *only =
        setting_of(config, domain, PINSIGHT_KEY_MODULE_FILTER);
    const struct pinsight_config_setting *without =
        setting_of(config, domain, PINSIGHT_KEY_MODULE_EXCLUDE);
    const struct pinsight_config_setting *operators =
        setting_of(config, domain, PINSIGHT_KEY_OPERATORS);
    const struct pinsight_config_setting *range =
        only
            ? pinsight_config_punit_range(config, (unsigned)number, punit, &pinsight_settings_place)
            : NULL;
    const struct pinsight_config_setting *named = only ? named_range(config, number) : NULL;
    *text = '\0';
    if (only && only->modules.count)
        add_value(config, "module_filter", only, text, room);
    if (without && without->modules.count)
        add_value(config, "module_exclude", without, text, room);
    if (operators && !operators->types.count)
        add_value(config, "operators", operators, text, room);
    if (range && range->ranges.count)
        add_value(config, "range of threads", range, text, room);
    if (named && (named->ranges.count || named->ranges.name_count))
        add_value(config, "range of processes", named, text, room);
    if (!*text)
        snprintf(text, room, "-");
    pinsight_settings_end();
}

static const struct pinsight_config_ranges *ranges_of(const struct pinsight_config *config,
                                                      const struct pinsight_domain *domain,
                                                      unsigned punit) {
    int number = pinsight_settings_domain(domain->name);
    return config && number >= 0 ? &pinsight_config_punit_range(config, (unsigned)number, punit,
                                                                &pinsight_settings_place)
                                        ->ranges
                                 : NULL;
}

bool pinsight_resolve_in_range(const struct pinsight_domain *domain, unsigned punit,
                               uint32_t number) {
    const struct pinsight_config_ranges *ranges =
        ranges_of(pinsight_settings_begin(), domain, punit);
    bool in = !ranges || !ranges->count || pinsight_config_in_ranges(ranges, number);
    pinsight_settings_end();
    return in;
}

bool pinsight_resolve_some_processes(const struct pinsight_domain *domain, unsigned punit) {
    const struct pinsight_config_ranges *ranges =
        ranges_of(pinsight_settings_begin(), domain, punit);
    bool some = ranges && (ranges->count || ranges->name_count);
    pinsight_settings_end();
    return some;
}

bool pinsight_resolve_process(const struct pinsight_domain *domain, unsigned punit, int64_t number,
                              const char *const *names) {
    const struct pinsight_config_ranges *ranges =
        ranges_of(pinsight_settings_begin(), domain, punit);
    bool in = !ranges || pinsight_config_in_names(ranges, number, names);
    pinsight_settings_end();
    return in;
}

uint32_t pinsight_resolve_range_end(const struct pinsight_domain *domain, unsigned punit) {
    const struct pinsight_config_ranges *ranges =
        ranges_of(pinsight_settings_begin(), domain, punit);
    uint32_t end = !ranges || !ranges->count ? UINT32_MAX : 0;
    for (size_t i = 0; ranges && i < ranges->count; i++)
        if (ranges->items[i].last > end)
            end = ranges->items[i].last;
    pinsight_settings_end();
    return end;
}

/* Gets the settings of an owner's window. Returns true if every execution is recorded. Called
 * between pinsight_settings_begin() and _end(). */
static bool window_of(const struct pinsight_config *config,
                      const struct pinsight_window_owner *owner,
                      struct pinsight_config_window *settings) {
    int number = pinsight_settings_domain(owner->domain->name);
    if (!config || number < 0)
        return true;
    struct pinsight_config_region region = {
        .domain = (unsigned)number,
        .kind = owner->is_named    ? PINSIGHT_SELECT_NAME
                : owner->is_region ? PINSIGHT_SELECT_NATIVE
                : owner->is_c_call ? PINSIGHT_SELECT_CALLEE
                                   : PINSIGHT_SELECT_SOURCE,
        .file = owner->is_c_call ? NULL : owner->filename,
        .name = owner->is_region ? owner->symbol : owner->name,
        .call = owner->call,
        .has_offset = owner->is_region,
        .offset = owner->offset,
    };
    pinsight_config_window(config, &region, &pinsight_settings_place, settings);
    return pinsight_window_is_open(settings);
}

static struct pinsight_window *new_window(const struct pinsight_window_owner *owner) {
    struct pinsight_window *window = calloc(1, sizeof *window);
    if (window)
        window->owner = *owner;
    return window;
}

struct pinsight_window *pinsight_resolve_window(struct pinsight_window *window,
                                                const struct pinsight_window_owner *owner,
                                                uint32_t config_version,
                                                enum pinsight_mode *after) {
    struct pinsight_config_window settings;
    uint32_t window_version = atomic_load(&pinsight_window_version);
    bool open = window_of(pinsight_settings_begin(), owner, &settings);

    *after = PINSIGHT_MODE_STANDBY;
    if (open) {
        window = NULL;
    } else {
        if (!window || !pinsight_window_is_same(window, &settings, window_version))
            window = new_window(owner);
        if (window)
            pinsight_window_set(window, &settings, config_version, window_version);
        *after = pinsight_window_after(&settings);
    }
    pinsight_settings_end();
    return window;
}
