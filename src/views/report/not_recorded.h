/* The things that a trace lacks, and the sentences about them. */
#ifndef PINSIGHT_VIEWS_NOT_RECORDED_H
#define PINSIGHT_VIEWS_NOT_RECORDED_H

#include "views/report/report.h"

/* Sets report->not_recorded from the model and the source. */
void pinsight_not_recorded_make(struct pinsight_report *report);

/* The weight of a sentence: a detail for the report, a fact for every summary, missing data beside
 * right numbers, or a cause of wrong numbers. */
enum pinsight_notice_level {
    PINSIGHT_NOTICE_DETAIL,
    PINSIGHT_NOTICE_ALWAYS,
    PINSIGHT_NOTICE_MISSING,
    PINSIGHT_NOTICE_WRONG
};

/* Returns whether a sentence of this level contradicts that nothing was lost. */
static inline bool pinsight_notice_is_loss(int level) {
    return level >= PINSIGHT_NOTICE_MISSING;
}

/* Passes a sentence with its level to take() for each thing that is missing. Returns the number of
 * sentences that contradict that nothing was lost. */
unsigned pinsight_not_recorded_report(const struct pinsight_report *report,
                                      void (*take)(void *data, int level, const char *sentence),
                                      void *data);

#endif
