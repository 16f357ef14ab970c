/* Windows that ended: one group for each setting that ended them. */
#include "reader/mem.h"
#include "views/cells.h"
#include "views/control.h"
#include "views/head.h"
#include "views/table.h"
#include "views/text.h"
#include "views/units.h"

#include <stdlib.h>
#include <string.h>

const char *pinsight_window_cause_word(uint8_t cause) {
    static const char *const words[] = {"max_num_traces", "window_timeout"};

    return cause < sizeof(words) / sizeof(words[0]) ? words[cause] : "?";
}

/* The group of a window; made if it is new. */
static struct pinsight_window_group *find_group(const struct pinsight_report *report,
                                                struct pinsight_window_groups *groups,
                                                struct pinsight_map *map,
                                                const struct pinsight_window *window) {
    const struct pinsight_strings *strings = &report->model->strings;
    uint32_t kind = (uint32_t)window->kind << 8 | window->cause;
    uint32_t number = pinsight_map_get(map, window->rule, window->after, kind);

    if (number == PINSIGHT_MAP_NONE) {
        number = (uint32_t)groups->count++;
        pinsight_map_set(map, window->rule, window->after, kind, number);
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

static int most_regions_first(const void *left, const void *right) {
    const struct pinsight_window_group *a = left, *b = right;

    if (a->regions != b->regions)
        return a->regions < b->regions ? 1 : -1;
    return (a->first > b->first) - (a->first < b->first);
}

struct pinsight_window_groups pinsight_windows_group(const struct pinsight_report *report) {
    const struct pinsight_history *history = &report->model->history;
    struct pinsight_window_groups groups = {0};
    struct pinsight_map map = {0}, regions = {0}, seen = {0};
    uint32_t region_count = 0;

    groups.groups = pinsight_calloc(history->window_count + 1, sizeof(*groups.groups));
    for (size_t i = 0; i < history->window_count; i++) {
        const struct pinsight_window *window = &history->windows[i];
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
    qsort(groups.groups, groups.count, sizeof(*groups.groups), most_regions_first);
    pinsight_map_clear(&map);
    pinsight_map_clear(&regions);
    pinsight_map_clear(&seen);
    return groups;
}

void pinsight_window_groups_free(struct pinsight_window_groups *groups) {
    free(groups->groups);
    *groups = (struct pinsight_window_groups){0};
}

char *pinsight_regions_text(uint8_t kind, uint64_t count) {
    char number[PINSIGHT_UNITS_SIZE];
    const char *what = kind == PINSIGHT_FUNCTION ? "function"
                       : kind == PINSIGHT_REGION ? "region"
                                                 : "C callable";

    return pinsight_format("%s %s%s", pinsight_units_count(number, count), what,
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

/* "max_num_traces, hpc.ini:12": which setting, and where it stands. */
static char *setting_of(const struct pinsight_window_group *group) {
    const char *slash = strrchr(group->rule, '/');
    char *text = pinsight_format("%s%s%s", pinsight_window_cause_word(group->cause),
                                 group->rule[0] ? ", " : "", slash ? slash + 1 : group->rule);
    char *clean = pinsight_text_clean(text);

    free(text);
    return clean;
}

/* The name of a group's only region, or how many there are. */
static char *regions_of(const struct pinsight_report *report,
                        const struct pinsight_window_group *group) {
    if (group->regions > 1)
        return pinsight_regions_text(group->kind, group->regions);
    return pinsight_text_clean(pinsight_strings_text(&report->model->strings, group->first->name));
}

static char *place_of(const struct pinsight_report *report,
                      const struct pinsight_window_group *group) {
    if (group->regions > 1 || group->kind == PINSIGHT_C_CALL)
        return pinsight_strdup("");
    return pinsight_text_place(pinsight_strings_text(&report->model->strings, group->first->file),
                               group->first->line);
}

void pinsight_section_windows(const struct pinsight_report *report, FILE *out, size_t limit) {
    struct pinsight_window_groups groups = pinsight_windows_group(report);
    struct pinsight_table table = pinsight_section_table(report);
    size_t shown = pinsight_rows_shown(groups.count, limit);
    char remark[80] = "";

    if (groups.count) {
        if (shown < groups.count)
            snprintf(remark, sizeof(remark), "%zu of %zu rules (--limit 0 shows all)", shown,
                     groups.count);
        pinsight_head_section(report, out, "Windows that ended", remark);
        pinsight_table_column(&table, "seen", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
        pinsight_table_column(&table, "recorded", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
        pinsight_table_column(&table, "ended by", PINSIGHT_LEFT, PINSIGHT_PLAIN);
        pinsight_table_column(&table, "then", PINSIGHT_FLEXIBLE, PINSIGHT_PLAIN);
        pinsight_table_column(&table, "what", PINSIGHT_FLEXIBLE, PINSIGHT_PYTHON);
        pinsight_table_column(&table, "where", PINSIGHT_FLEXIBLE, PINSIGHT_DIM);
        for (size_t i = 0; i < shown; i++) {
            const struct pinsight_window_group *group = &groups.groups[i];

            pinsight_number_cell(&table, group->executions);
            pinsight_number_cell(&table, group->recorded);
            pinsight_table_cell(&table, setting_of(group));
            pinsight_table_cell(&table, pinsight_text_clean(group->after));
            pinsight_table_cell(&table, regions_of(report, group));
            pinsight_table_cell(&table, place_of(report, group));
        }
        pinsight_table_print(&table, out);
    }
    pinsight_window_groups_free(&groups);
}
