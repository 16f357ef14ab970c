/* Writes sentences on things that a configuration left out, by its windows, filters and ranges. */
#include "base/map.h"
#include "base/memory.h"
#include "base/units.h"
#include "views/report/control.h"
#include "views/report/not_recorded.h"
#include "views/report/not_recorded_notices.h"

#include <stdlib.h>
#include <string.h>

/* Returns the places of the groups' rules, such as "hpc.ini:12, hpc.ini:20 and 3 more", or "" if
 * they are unknown. The caller frees it. */
static char *rules_of(const struct pinsight_window_groups *groups,
                      bool (*wanted)(const struct pinsight_window_group *group)) {
    char *text = pinsight_strdup("");
    size_t named = 0, more = 0;

    for (size_t i = 0; i < groups->count; i++) {
        const char *rule = groups->groups[i].rule;
        const char *slash = strrchr(rule, '/');

        rule = slash ? slash + 1 : rule;
        if (!wanted(&groups->groups[i]) || !rule[0] || strstr(text, rule))
            continue;
        if (named == 3) {
            more++;
            continue;
        }
        pinsight_append(&text, "%s%s", named++ ? ", " : "", rule);
    }
    if (more)
        pinsight_append(&text, " and %zu more", more);
    return text;
}

static bool is_over_budget(const struct pinsight_window_group *group) {
    return group->cause == PINSIGHT_WINDOW_LEFT_OUT;
}

static bool goes_unrecorded(const struct pinsight_window_group *group) {
    return !is_over_budget(group) && !pinsight_window_reopens(group) &&
           !pinsight_window_counts(group);
}

static bool goes_on_counted(const struct pinsight_window_group *group) {
    return !pinsight_window_reopens(group) && pinsight_window_counts(group);
}

/* Returns a text such as "300 functions and 2 C callables". The caller frees it. */
static char *all_regions_text(const uint64_t *regions) {
    static const uint8_t kinds[] = {PINSIGHT_FUNCTION, PINSIGHT_C_CALL, PINSIGHT_REGION};
    char *text = pinsight_strdup("");
    unsigned left = 0;

    for (size_t i = 0; i < sizeof(kinds); i++)
        left += regions[kinds[i]] > 0;
    for (size_t i = 0; i < sizeof(kinds); i++) {
        char *one;

        if (!regions[kinds[i]])
            continue;
        one = pinsight_regions_text(kinds[i], regions[kinds[i]]);
        pinsight_append(&text, "%s%s", one, --left == 0 ? "" : left == 1 ? " and " : ", ");
        free(one);
    }
    return text;
}

/* Adds the regions of all groups that are wanted to `regions`, by kind. Returns their number. */
static uint64_t regions_of(const struct pinsight_window_groups *groups,
                           bool (*wanted)(const struct pinsight_window_group *group),
                           uint64_t *regions) {
    for (size_t i = 0; i < groups->count; i++)
        if (wanted(&groups->groups[i]) && groups->groups[i].kind <= PINSIGHT_REGION)
            regions[groups->groups[i].kind] += groups->groups[i].regions;
    return regions[0] + regions[1] + regions[2];
}

uint64_t pinsight_budget_left_out(const struct pinsight_report *report, char **text) {
    struct pinsight_window_groups groups = pinsight_windows_group(report);
    uint64_t regions[3] = {0, 0, 0}, all = regions_of(&groups, is_over_budget, regions);

    if (text)
        *text = all_regions_text(regions);
    pinsight_window_groups_free(&groups);
    return all;
}

static bool all_are(const struct pinsight_window_groups *groups,
                    bool (*wanted)(const struct pinsight_window_group *group)) {
    size_t i = 0;

    while (i < groups->count && wanted(&groups->groups[i]))
        i++;
    return groups->count && i == groups->count;
}

/* Passes on the functions and callables that a budget left out. */
static void notice_budget(struct pinsight_notices *notices, const struct pinsight_report *report) {
    char *text;
    uint64_t all = pinsight_budget_left_out(report, &text);

    if (all)
        pinsight_notice(notices, PINSIGHT_NOTICE_ALWAYS,
                        "%s %s left out after the first calls, because of the budget: the numbers "
                        "of calls are lower limits (≥), and later calls count with the function "
                        "around them.",
                        text, all == 1 ? "was" : "were");
    free(text);
}

/* Passes on a sentence such as "300 functions and 2 C callables are not recorded past their window
 * (hpc.ini:12)", with its consequence. */
static void notice_windows_that(struct pinsight_notices *notices,
                                const struct pinsight_window_groups *groups,
                                bool (*wanted)(const struct pinsight_window_group *group),
                                const char *what, const char *so) {
    uint64_t regions[3] = {0, 0, 0}, all = regions_of(groups, wanted, regions);
    char *text, *rules;

    if (!all)
        return;
    text = all_regions_text(regions);
    rules = rules_of(groups, wanted);
    pinsight_notice(notices, PINSIGHT_NOTICE_ALWAYS, "%s %s %s past %s window%s%s%s%s.", text,
                    all == 1 ? "is" : "are", what, all == 1 ? "its" : "their", rules[0] ? " (" : "",
                    rules, rules[0] ? ")" : "", so);
    free(text);
    free(rules);
}

void pinsight_notice_windows(struct pinsight_notices *notices,
                             const struct pinsight_report *report) {
    struct pinsight_window_groups groups = pinsight_windows_group(report);
    uint64_t outside = report->not_recorded.outside_windows;

    notice_budget(notices, report);
    notice_windows_that(notices, &groups, goes_unrecorded, "not recorded",
                        ": their time counts with the function around them");
    notice_windows_that(notices, &groups, goes_on_counted, "counted and not traced", "");
    if (outside && !all_are(&groups, is_over_budget))
        pinsight_notice(notices, PINSIGHT_NOTICE_ALWAYS, "%s %s seen outside %s and not recorded.",
                        pinsight_units_count(outside).text,
                        outside == 1 ? "call was" : "calls were",
                        outside == 1 ? "its window" : "their windows");
    PINSIGHT_NOTICE_COUNT(notices, PINSIGHT_NOTICE_MISSING, report->not_recorded.budget_processes,
                          "In %s %s, many rare calls cost more than the budget: from then on, no "
                          "calls of Python are recorded there.",
                          report->not_recorded.budget_processes == 1 ? "process" : "processes");
    PINSIGHT_NOTICE_COUNT(notices, PINSIGHT_NOTICE_MISSING, report->not_recorded.untotalled,
                          "Calls outside windows are not known of %s %s, which a signal ended, or "
                          "which still %s.",
                          report->not_recorded.untotalled == 1 ? "process" : "processes",
                          report->not_recorded.untotalled == 1 ? "runs" : "run");
    pinsight_window_groups_free(&groups);
}

/* Passes on the things of a domain that the configuration left out, from the first process that has
 * them. */
static void notice_selection_of(struct pinsight_notices *notices,
                                const struct pinsight_report *report, uint32_t name) {
    const struct pinsight_model *model = report->model;
    const struct pinsight_process_domain *shown = NULL;
    bool differs = false;
    const char *others = !strcmp(pinsight_strings_text(&model->strings, name), "Python")
                             ? " The time of other calls counts with the function around them."
                             : "";

    for (size_t i = 0; i < model->process_count; i++)
        for (size_t j = 0; j < model->processes[i]->domain_count; j++) {
            const struct pinsight_process_domain *domain = &model->processes[i]->domains[j];

            if (domain->name != name || !domain->has_info || !model->processes[i]->selected)
                continue;
            differs |=
                domain->selection_changed || (shown && shown->selection != domain->selection);
            if (!shown || domain->selection)
                shown = domain;
        }
    if (!shown || (!shown->selection && !differs))
        return;
    if (differs)
        pinsight_notice(
            notices, PINSIGHT_NOTICE_ALWAYS,
            "Which modules and threads were recorded changed while it ran, or differs between "
            "processes. The time of calls that are left out counts with the function around them.");
    else
        pinsight_notice(
            notices, PINSIGHT_NOTICE_ALWAYS, "Only the selection of the configuration%s%s: %s.%s",
            others[0] ? "" : " of ", others[0] ? "" : pinsight_strings_text(&model->strings, name),
            pinsight_strings_text(&model->strings, shown->selection), others);
}

void pinsight_notice_selection(struct pinsight_notices *notices,
                               const struct pinsight_report *report) {
    const struct pinsight_model *model = report->model;
    struct pinsight_map shown_groups = {0};

    for (size_t i = 0; i < model->process_count; i++)
        for (size_t j = 0; j < model->processes[i]->domain_count; j++) {
            uint32_t name = model->processes[i]->domains[j].name;

            if (pinsight_map_get(&shown_groups, name, 0, 0) != PINSIGHT_MAP_NONE)
                continue;
            pinsight_map_set(&shown_groups, name, 0, 0, 0);
            notice_selection_of(notices, report, name);
        }
    pinsight_map_clear(&shown_groups);
}
