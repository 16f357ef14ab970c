/* The actions of control for a report: windows that ended by their rules, and changes in the order
 * of time. Equal ones are grouped. */
#ifndef PINSIGHT_VIEWS_CONTROL_H
#define PINSIGHT_VIEWS_CONTROL_H

#include "base/json.h"
#include "views/report/report.h"

/* Code regions whose windows one setting ended, and which continue in the same way. */
struct pinsight_window_group {
    const char *rule, *after; /* "" if the trace does not have it */
    uint8_t cause, kind;
    uint64_t regions;              /* number of different regions */
    uint64_t executions, recorded; /* sums of all regions */
    const struct pinsight_past_window *first;
};

struct pinsight_window_groups {
    struct pinsight_window_group *groups; /* sorted by the number of regions */
    size_t count;
};

struct pinsight_window_groups pinsight_windows_group(const struct pinsight_report *report);
void pinsight_window_groups_free(struct pinsight_window_groups *groups);

/* Returns the number of functions and C callables that a budget left out. *text gets them as words,
 * such as "41 functions and 2 C callables"; the caller frees it. */
uint64_t pinsight_budget_left_out(const struct pinsight_report *report, char **text);

/* Returns a text such as "300 functions" or "1 C callable". The caller frees it. */
char *pinsight_regions_text(uint8_t kind, uint64_t count);

/* Return whether fresh windows follow, so that the regions are recorded again; and whether the
 * regions are counted. */
bool pinsight_window_reopens(const struct pinsight_window_group *group);
bool pinsight_window_counts(const struct pinsight_window_group *group);

/* Return the words of the enums `mode`, `window_cause` and `introspect_end`; "?" for other
 * numbers. */
const char *pinsight_mode_word(uint32_t mode);
const char *pinsight_window_cause_word(unsigned cause);
const char *pinsight_introspect_end_word(unsigned how);

/* Write sections on a screen, with at most `limit` rows each (0: all). Without rows they write
 * nothing. */
void pinsight_section_windows(const struct pinsight_report *report, FILE *out, size_t limit);
void pinsight_section_changes(const struct pinsight_report *report, FILE *out, size_t limit);

/* Writes complete lists under the keys "windows" and "changes". */
void pinsight_control_json(const struct pinsight_report *report, struct pinsight_json *json,
                           size_t limit);

#endif
