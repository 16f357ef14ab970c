/* The table of windows that ended, with a group for each setting that ended them. */
#include "base/grid.h"
#include "base/memory.h"
#include "base/order.h"
#include "base/text.h"
#include "base/units.h"
#include "base/words.h"
#include "views/report/control.h"
#include "views/report/head.h"
#include "views/report/tables.h"

#include <stdlib.h>
#include <string.h>

const char *pinsight_window_cause_word(unsigned cause) {
    return PINSIGHT_WORD(cause, "?", "max_num_traces", "window_timeout", "budget");
}

/* Returns the group of a window, and makes it if it is new. */
static struct pinsight_window_group *find_group(const struct pinsight_report *report,
                                                struct pinsight_window_groups *groups,
                                                struct pinsight_map *map,
                                                const struct pinsight_past_window *window) {
    const struct pinsight_strings *strings = &report->model->strings;
    uint32_t kind = (uint32_t)window->kind << 8 | window->cause;
    uint32_t number = pinsight_map_number(map, window->rule, window->after, kind, groups->count);

    if (number == groups->count) {
        groups->count++;
        groups->groups[number] = (struct pinsight_window_group){
            .rule = pinsight_strings_text(strings, window->rule),
            .after = pinsight_strings_text(strings, window->after),
            .cause = window->cause,
            .kind = window->kind,
            .first = window,
        };
    }
    return &groups->groups[number];
}

ORDER(most_regions_first, struct pinsight_window_group,
      BY(b->regions, a->regions) ?: BY(a->first, b->first))

struct pinsight_window_groups pinsight_windows_group(const struct pinsight_report *report) {
    const struct pinsight_history *history = &report->model->history;
    struct pinsight_window_groups groups = {0};
    struct pinsight_map map = {0}, regions = {0}, seen = {0};
    uint32_t region_count = 0;

    groups.groups = pinsight_calloc(history->window_count + 1, sizeof(*groups.groups));
    for (size_t i = 0; i < history->window_count; i++) {
        const struct pinsight_past_window *window = &history->windows[i];
        struct pinsight_window_group *group = find_group(report, &groups, &map, window);
        uint32_t number = (uint32_t)(group - groups.groups);
        uint32_t region =
            pinsight_map_get(&regions, window->name, window->file, (uint32_t)window->line);

        if (region == PINSIGHT_MAP_NONE) {
            region = region_count++;
            pinsight_map_set(&regions, window->name, window->file, (uint32_t)window->line, region);
        }
        if (pinsight_map_get(&seen, region, number, 0) == PINSIGHT_MAP_NONE) {
            pinsight_map_set(&seen, region, number, 0, 0);
            group->regions++;
        }
        group->executions += window->executions;
        group->recorded += window->recorded;
    }
    PINSIGHT_SORT(groups.groups, groups.count, most_regions_first);
    PINSIGHT_MAPS_CLEAR(&map, &regions, &seen);
    return groups;
}

void pinsight_window_groups_free(struct pinsight_window_groups *groups) {
    free(groups->groups);
    *groups = (struct pinsight_window_groups){0};
}

char *pinsight_regions_text(uint8_t kind, uint64_t count) {
    const char *what = kind == PINSIGHT_FUNCTION ? "function"
                       : kind == PINSIGHT_REGION ? "region"
                                                 : "C callable";

    return pinsight_format("%s %s%s", pinsight_units_count(count).text, what,
                           count == 1 ? "" : "s");
}

static bool ends_with(const char *text, const char *end) {
    size_t length = strlen(text), of_end = strlen(end);

    return length >= of_end && !strcmp(text + length - of_end, end);
}

bool pinsight_window_reopens(const struct pinsight_window_group *group) {
    return !strncmp(group->after, "INTROSPECT:", 11) && ends_with(group->after, ":TRACING");
}

bool pinsight_window_counts(const struct pinsight_window_group *group) {
    if (!strncmp(group->after, "INTROSPECT:", 11))
        return ends_with(group->after, ":MONITORING");
    return strstr(group->after, "MONITORING") != NULL;
}

/* Returns the setting and its place, such as "max_num_traces, hpc.ini:12". */
static struct pinsight_value setting(const void *view, const void *row) {
    const struct pinsight_window_group *group = row;
    const char *slash = strrchr(group->rule, '/');
    char *text = pinsight_format("%s%s%s", pinsight_window_cause_word(group->cause),
                                 group->rule[0] ? ", " : "", slash ? slash + 1 : group->rule);
    char *clean = pinsight_text_clean(text);

    free(text);
    return pinsight_value_owned(clean);
}

/* Returns the name of a group's only region, or the number of regions. */
static struct pinsight_value regions(const void *view, const void *row) {
    const struct pinsight_window_group *group = row;

    if (group->regions > 1)
        return pinsight_value_owned(pinsight_regions_text(group->kind, group->regions));
    return pinsight_value_text(pinsight_report_string(view, group->first->name));
}

static struct pinsight_value place(const void *view, const void *row) {
    const struct pinsight_window_group *group = row;

    if (group->regions > 1 || group->kind == PINSIGHT_C_CALL)
        return pinsight_value_none();
    return pinsight_value_owned(
        pinsight_text_place(pinsight_report_string(view, group->first->file), group->first->line));
}

#define G(member) MEMBER(struct pinsight_window_group, member)
static const struct pinsight_column columns[] = {
    COLUMN("seen", "seen", COUNT, G(executions)),
    COLUMN("recorded", "recorded", COUNT, G(recorded)),
    GETTER("setting", "ended by", TEXT, setting, .align = PINSIGHT_LEFT),
    COLUMN("after", "then", TEXT, G(after), .align = PINSIGHT_FLEXIBLE),
    GETTER("regions", "what", TEXT, regions, NAMES_IN(PYTHON)),
    GETTER("place", "where", TEXT, place, NAMES_IN(DIM)),
};
static const struct pinsight_table table = {
    PINSIGHT_COLUMNS(columns),
    .screen = "seen recorded setting after regions place",
};

/* Removes the groups that a budget left out, which are in the notices. */
static void remove_left_out(struct pinsight_window_groups *groups) {
    size_t kept = 0;

    for (size_t i = 0; i < groups->count; i++)
        if (groups->groups[i].cause != PINSIGHT_WINDOW_LEFT_OUT)
            groups->groups[kept++] = groups->groups[i];
    groups->count = kept;
}

void pinsight_section_windows(const struct pinsight_report *report, FILE *out, size_t limit) {
    struct pinsight_window_groups groups = pinsight_windows_group(report);

    remove_left_out(&groups);
    size_t shown = pinsight_rows_shown(groups.count, limit);
    char remark[80] = "";

    if (shown < groups.count)
        snprintf(remark, sizeof(remark), "%zu of %zu rules (--limit 0 shows all)", shown,
                 groups.count);
    if (groups.count) {
        pinsight_head_section(report, out, "Windows that ended", remark);
        pinsight_report_table(report, out, &table, PINSIGHT_ROWS(groups.groups, groups.count),
                              limit);
    }
    pinsight_window_groups_free(&groups);
}
