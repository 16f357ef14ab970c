/* What stands out in a run: sentences, each with the line that it is about and the command that
 * shows more. Rules make them, each from what was recorded: a rule whose data is not there, or that
 * finds nothing beyond its thresholds, makes none. docs/insights.md lists the rules with their
 * thresholds. A domain's own rules are in its table, see views/domain.h. */
#ifndef PINSIGHT_VIEWS_INSIGHTS_INSIGHTS_H
#define PINSIGHT_VIEWS_INSIGHTS_INSIGHTS_H

#include "base/json.h"
#include "views/report/report.h"

#include <stdio.h>

/* So many stand on a screen. */
#define PINSIGHT_INSIGHTS_SHOWN 4

struct pinsight_insight {
    const char *rule; /* its name in the docs and in JSON: many_calls */
    char *text;       /* the sentence without a full stop, clean */
    const char *file; /* of the line, or NULL */
    int32_t line;
    uint64_t ns;        /* what it is about */
    uint64_t of_ns;     /* what that is a part of; 0: pinsight_insights_whole() */
    double share;       /* of that; the list is sorted by it */
    const char *option; /* of `pinsight report`, without its dashes: shows more */
};

/* All zero is none. */
struct pinsight_insights {
    struct pinsight_insight *list;
    size_t count, capacity;
};

/* Looks for something in a report, and adds it. */
typedef void pinsight_insight_rule(const struct pinsight_report *report,
                                   struct pinsight_insights *insights);

/* For rules. The text is printf's, of names that are not clean yet. */
void pinsight_insights_add(struct pinsight_insights *insights, struct pinsight_insight insight,
                           const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The time that shares are of: of all threads that did something, without imports and the start of
 * runtimes (MPI_Init), and without the time in which they had no processor. And what of it they
 * ran. Both are at least 1. */
uint64_t pinsight_insights_whole(const struct pinsight_report *report);
uint64_t pinsight_insights_running(const struct pinsight_report *report);
/* How long threads wanted a processor and had none, as far as clocks of threads tell. */
uint64_t pinsight_insights_ready(const struct pinsight_report *report);
/* Where calls were counted: how long threads may have waited, or wanted a processor, besides what
 * is known. That is all of their time for which no processor time was taken. */
uint64_t pinsight_insights_unknown(const struct pinsight_report *report);

/* Whether something was said of a line. */
bool pinsight_insights_told(const struct pinsight_insights *insights, const char *file,
                            int32_t line);

/* "app.py:47", to be freed. */
char *pinsight_insights_place(const char *file, int32_t line);

/* What all rules find, the largest share first; to be passed to pinsight_insights_clear. */
struct pinsight_insights pinsight_insights_make(const struct pinsight_report *report);
void pinsight_insights_clear(struct pinsight_insights *insights);

/* The forms: on a screen at most so many, with a title; nothing where there are none. */
void pinsight_insights_print(const struct pinsight_report *report, FILE *out, size_t most);
void pinsight_insights_json(const struct pinsight_report *report, struct pinsight_json *json);

/* ---- the rules that are of no domain ---- */

pinsight_insight_rule pinsight_rule_slow_call, pinsight_rule_many_calls, pinsight_rule_imports,
    pinsight_rule_garbage, pinsight_rule_ranks, pinsight_rule_starved, pinsight_rule_processors,
    pinsight_rule_chores, pinsight_rule_overhead, pinsight_rule_exceptions, pinsight_rule_growth;

#endif
