/*
 * Finds the setting in force. Of all sections that apply and set a key, the strongest section
 * decides. The first rule that distinguishes two sections decides which is stronger:
 *
 *   1. The environment is stronger than the file, and the file is stronger than the defaults.
 *   2. A section for one region is stronger than one for a domain, and that than one for all code.
 *   3. A selector without wildcards is stronger than one with wildcards.
 *   4. A selector with more letters outside wildcards is stronger.
 *   5. A section with more limits to units of domains is stronger.
 *   6. The later section is stronger.
 *
 * The order of the file therefore matters only between equally precise sections.
 */
#include "config/config.h"

#include <string.h>

int pinsight_config_stronger(const struct pinsight_config_section *a,
                             const struct pinsight_config_section *b, const char **why) {
    const char *unused;
    const char **reason = why ? why : &unused;

    if (a->origin.source != b->origin.source) {
        const struct pinsight_config_section *winner = a->origin.source > b->origin.source ? a : b;
        *reason = winner->origin.source == PINSIGHT_FROM_ENVIRONMENT
                      ? "the environment wins over the file"
                      : "a file wins over the defaults";
        return winner == a ? 1 : -1;
    }
    if (a->kind != b->kind) {
        *reason = a->kind == PINSIGHT_SECTION_LEXGION || b->kind == PINSIGHT_SECTION_LEXGION
                      ? "one region wins over all of its domain"
                      : "one domain wins over all code";
        return a->kind > b->kind ? 1 : -1;
    }
    if (a->selector.exact != b->selector.exact) {
        *reason = "a name without wildcards wins over one with wildcards";
        return a->selector.exact ? 1 : -1;
    }
    if (a->selector.precision != b->selector.precision) {
        *reason = "more letters are given";
        return a->selector.precision > b->selector.precision ? 1 : -1;
    }
    if (a->limit_count != b->limit_count) {
        *reason = "a section with more limits wins over one with fewer";
        return a->limit_count > b->limit_count ? 1 : -1;
    }
    *reason = "of two that are equally precise, the later wins";
    return 1;
}

bool pinsight_config_limits_hold(const struct pinsight_config_section *section,
                                 const struct pinsight_config_place *place) {
    for (size_t i = 0; i < section->limit_count; i++) {
        const struct pinsight_config_limit *limit = &section->limits[i];
        int64_t unit = place ? place->unit(place->data, limit->domain, limit->punit) : -1;
        if (unit < 0 || unit > UINT32_MAX ||
            !pinsight_config_in_ranges(&limit->ranges, (uint32_t)unit))
            return false;
    }
    return true;
}

/* Returns the stronger of `best`, which may be NULL, and the section's setting, if the limits
 * hold. */
static const struct pinsight_config_setting *better(const struct pinsight_config_setting *best,
                                                    const struct pinsight_config_section *section,
                                                    enum pinsight_config_key key,
                                                    const struct pinsight_config_place *place) {
    if (!section->settings[key] || !pinsight_config_limits_hold(section, place))
        return best;
    if (best && pinsight_config_stronger(section, best->section, NULL) < 0)
        return best;
    return section->settings[key];
}

const struct pinsight_config_setting *
pinsight_config_domain_setting(const struct pinsight_config *config, unsigned domain,
                               enum pinsight_config_key key,
                               const struct pinsight_config_place *place) {
    const struct pinsight_config_setting *best = NULL;

    for (const struct pinsight_config_section *section = config->sections; section;
         section = section->next)
        if (section->kind == PINSIGHT_SECTION_DOMAIN && section->domain == domain)
            best = better(best, section, key, place);
    return best;
}

const struct pinsight_config_setting *
pinsight_config_punit_range(const struct pinsight_config *config, unsigned domain, unsigned punit,
                            const struct pinsight_config_place *place) {
    const struct pinsight_config_setting *best = NULL;

    for (const struct pinsight_config_section *section = config->sections; section;
         section = section->next)
        if (section->kind == PINSIGHT_SECTION_PUNIT && section->domain == domain &&
            section->punit == punit)
            best = better(best, section, PINSIGHT_KEY_RANGE, place);
    return best;
}

const struct pinsight_config_setting *pinsight_config_lexgion_setting(
    const struct pinsight_config *config, const struct pinsight_config_region *region,
    enum pinsight_config_key key, const struct pinsight_config_place *place) {
    const struct pinsight_config_setting *best = NULL;

    for (const struct pinsight_config_section *section = config->sections; section;
         section = section->next)
        if (pinsight_config_section_matches(section, region))
            best = better(best, section, key, place);
    return best;
}

void pinsight_config_window(const struct pinsight_config *config,
                            const struct pinsight_config_region *region,
                            const struct pinsight_config_place *place,
                            struct pinsight_config_window *window) {
    *window = (struct pinsight_config_window){0};
    for (const struct pinsight_config_section *section = config->sections; section;
         section = section->next) {
        if (!pinsight_config_section_matches(section, region))
            continue;
        window->starts_at = better(window->starts_at, section, PINSIGHT_KEY_STARTS_AT, place);
        window->rate = better(window->rate, section, PINSIGHT_KEY_RATE, place);
        window->max_traces = better(window->max_traces, section, PINSIGHT_KEY_MAX_TRACES, place);
        window->timeout = better(window->timeout, section, PINSIGHT_KEY_TIMEOUT, place);
        window->mode_after = better(window->mode_after, section, PINSIGHT_KEY_MODE_AFTER, place);
    }
}

/* Returns whether a region with these settings records nothing and causes no change of a mode. NULL
 * stands for a setting that is absent. */
static bool is_nothing(const struct pinsight_config_setting *max_traces,
                       const struct pinsight_config_setting *mode_after) {
    return (!max_traces || max_traces->number == 0) &&
           (!mode_after || (mode_after->after.kind == PINSIGHT_AFTER_LEXGION &&
                            mode_after->after.mode <= PINSIGHT_MODE_STANDBY));
}

bool pinsight_config_none_recorded(const struct pinsight_config *config, unsigned domain,
                                   enum pinsight_selector_kind kind,
                                   const struct pinsight_config_place *place) {
    /* An empty name matches only sections that match every name. */
    const struct pinsight_config_region any = {
        .domain = domain, .kind = kind, .file = "", .name = ""};
    struct pinsight_config_window window;

    pinsight_config_window(config, &any, place, &window);
    if (!is_nothing(window.max_traces, window.mode_after))
        return false;
    for (const struct pinsight_config_section *section = config->sections; section;
         section = section->next) {
        bool chooses = section->kind == PINSIGHT_SECTION_LEXGION && section->domain == domain &&
                       section->selector.kind == kind;
        bool general =
            section->kind == PINSIGHT_SECTION_LEXGIONS ||
            (section->kind == PINSIGHT_SECTION_DOMAIN_LEXGIONS && section->domain == domain);
        /* The section's limit may begin to hold. */
        if ((chooses || (general && section->limit_count)) &&
            !is_nothing(section->settings[PINSIGHT_KEY_MAX_TRACES],
                        section->settings[PINSIGHT_KEY_MODE_AFTER]))
            return false;
    }
    return true;
}

/* Returns whether a section leaves every execution in its window. */
static bool is_open(const struct pinsight_config_section *section) {
    const struct pinsight_config_setting *starts_at = section->settings[PINSIGHT_KEY_STARTS_AT];
    const struct pinsight_config_setting *rate = section->settings[PINSIGHT_KEY_RATE];
    const struct pinsight_config_setting *max_traces = section->settings[PINSIGHT_KEY_MAX_TRACES];
    const struct pinsight_config_setting *timeout = section->settings[PINSIGHT_KEY_TIMEOUT];

    return (!starts_at || starts_at->number == 0) && (!rate || rate->number == 1) &&
           (!max_traces || max_traces->number < 0) && (!timeout || timeout->number == 0);
}

bool pinsight_config_all_recorded(const struct pinsight_config *config, unsigned domain) {
    for (const struct pinsight_config_section *section = config->sections; section;
         section = section->next) {
        bool of_regions = section->kind == PINSIGHT_SECTION_LEXGIONS ||
                          ((section->kind == PINSIGHT_SECTION_DOMAIN_LEXGIONS ||
                            section->kind == PINSIGHT_SECTION_LEXGION) &&
                           section->domain == domain);
        if (of_regions && !is_open(section))
            return false;
    }
    return true;
}

bool pinsight_config_in_modules(const struct pinsight_config_list *list, const char *module) {
    for (size_t i = 0; i < list->count; i++) {
        size_t length = strlen(list->items[i]);
        if (strncmp(module, list->items[i], length) == 0 &&
            (module[length] == '\0' || module[length] == '.'))
            return true;
    }
    return false;
}
