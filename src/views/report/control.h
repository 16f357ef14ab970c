/* What control did, as the forms of a report show it: windows that ended by their rules, and
 * changes on the axis of time, those that say the same together. */
#ifndef PINSIGHT_VIEWS_CONTROL_H
#define PINSIGHT_VIEWS_CONTROL_H

#include "base/json.h"
#include "views/report/report.h"

/* Code regions whose windows were ended by one setting, and go on in one way. */
struct pinsight_window_group {
    const char *rule, *after; /* "" where the trace does not say */
    uint8_t cause, kind;
    uint64_t regions;              /* different ones */
    uint64_t executions, recorded; /* of all */
    const struct pinsight_past_window *first;
};

struct pinsight_window_groups {
    struct pinsight_window_group *groups; /* most regions first */
    size_t count;
};

struct pinsight_window_groups pinsight_windows_group(const struct pinsight_report *report);
void pinsight_window_groups_free(struct pinsight_window_groups *groups);

/* "300 functions", or "1 C callable". */
char *pinsight_regions_text(uint8_t kind, uint64_t count);

/* Whether fresh windows follow, so that what ended is recorded again; and whether it is counted. */
bool pinsight_window_reopens(const struct pinsight_window_group *group);
bool pinsight_window_counts(const struct pinsight_window_group *group);

/* The words of the enums `mode`, `window_cause` and `introspect_end`; "?" for what is none. */
const char *pinsight_mode_word(uint32_t mode);
const char *pinsight_window_cause_word(unsigned cause);
const char *pinsight_introspect_end_word(unsigned how);

/* As sections of a screen, at most limit rows each (0 is all); nothing where there is nothing. */
void pinsight_section_windows(const struct pinsight_report *report, FILE *out, size_t limit);
void pinsight_section_changes(const struct pinsight_report *report, FILE *out, size_t limit);

/* As lists under the keys "windows" and "changes", whole. */
void pinsight_control_json(const struct pinsight_report *report, struct pinsight_json *json,
                           size_t limit);

#endif
