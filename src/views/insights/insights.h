/* Insights: sentences about notable things in a run, each with its line and the option that shows
 * more. Rules make them from the recorded data. A rule makes none without its data, or below its
 * thresholds. docs/insights.md lists the rules with their thresholds. The rules of a domain are in
 * its table, see views/domain.h. */
#ifndef PINSIGHT_VIEWS_INSIGHTS_INSIGHTS_H
#define PINSIGHT_VIEWS_INSIGHTS_INSIGHTS_H

#include "base/json.h"
#include "views/domain.h"
#include "views/report/report.h"

#include <stdio.h>

/* The most insights on a screen. */
#define PINSIGHT_INSIGHTS_SHOWN 4

struct pinsight_insight {
    const char *rule; /* its name in the docs and in JSON, such as many_calls */
    char *text;       /* a sentence without a full stop, safe for a terminal */
    const char *file; /* file of the line, or NULL */
    int32_t line;
    uint64_t ns;        /* the time that the sentence is about */
    uint64_t of_ns;     /* the time that ns is a part of; 0: pinsight_insights_whole() */
    uint64_t within_ns; /* the longer time that the sentence compares with; 0 if there is none */
    uint64_t others_ns; /* the time of other processes in the sentence; 0 if there is none */
    double share;       /* ns / of_ns, at most 1; the list is sorted by it */
    const char *option; /* of `pinsight report`, without its dashes; shows more */
};

/* All zero is empty. */
struct pinsight_insights {
    struct pinsight_insight *list;
    size_t count, capacity;
};

/* Adds an insight, for rules. The text has the form of printf. Names in it need not be clean. */
void pinsight_insights_add(struct pinsight_insights *insights, struct pinsight_insight insight,
                           const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Return the time that shares refer to, and the part of it in which threads ran. The whole time is
 * that of all active threads. The time leaves out imports, the start of runtimes (MPI_Init), and
 * the time without a processor. Both are at least 1 ns. */
uint64_t pinsight_insights_whole(const struct pinsight_report *report);
uint64_t pinsight_insights_running(const struct pinsight_report *report);
/* Returns how long threads were ready without a processor, in ns, as far as thread clocks show
 * it. */
uint64_t pinsight_insights_ready(const struct pinsight_report *report);
/* For counted calls: returns the time in ns that threads may have waited or been ready, besides the
 * known times. The result is all their time without processor time. */
uint64_t pinsight_insights_unknown(const struct pinsight_report *report);

/* Returns whether an insight about a line exists. */
bool pinsight_insights_reported(const struct pinsight_insights *insights, const char *file,
                                int32_t line);

/* Returns a place such as "app.py:47". The caller frees it. */
char *pinsight_insights_place(const char *file, int32_t line);

/* Applies all rules. Returns their insights with the largest share first. The caller passes them to
 * pinsight_insights_clear(). */
struct pinsight_insights pinsight_insights_make(const struct pinsight_report *report);
void pinsight_insights_clear(struct pinsight_insights *insights);

/* Write the insights: on a screen at most `most`, with a title, or as JSON. Without insights, the
 * screen shows nothing. */
void pinsight_insights_print(const struct pinsight_report *report, FILE *out, size_t most);
void pinsight_insights_json(const struct pinsight_report *report, struct pinsight_json *json);

/* ---- rules without a domain ---- */

pinsight_insight_rule pinsight_rule_slow_call, pinsight_rule_many_calls, pinsight_rule_imports,
    pinsight_rule_own_imports, pinsight_rule_garbage, pinsight_rule_ranks, pinsight_rule_starved,
    pinsight_rule_processors, pinsight_rule_chores, pinsight_rule_overhead,
    pinsight_rule_exceptions, pinsight_rule_growth;

#endif
