/* What says the sentences of what was not recorded; see not_recorded_notices.c. */
#ifndef PINSIGHT_VIEWS_NOT_RECORDED_SAY_H
#define PINSIGHT_VIEWS_NOT_RECORDED_SAY_H

#include "base/units.h"
#include "views/report/not_recorded.h"

struct pinsight_report;

/* Where the sentences go, and how many said that numbers are wrong. */
struct pinsight_notices {
    void (*take)(void *data, int level, const char *sentence);
    void *data;
    unsigned serious;
};

/* Says a sentence; names in it may be any bytes. */
void pinsight_notice(struct pinsight_notices *notices, int level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Says how many there are of something, which the format shows first (%s); nothing where there are
 * none. */
#define PINSIGHT_NOTICE_COUNT(notices, level, count, format, ...)                                  \
    do {                                                                                           \
        if (count)                                                                                 \
            pinsight_notice(notices, level, format, pinsight_units_count(count).text,              \
                            ##__VA_ARGS__);                                                        \
    } while (0)

/* What the configuration selected of each domain, and what its windows ended. */
void pinsight_notice_selection(struct pinsight_notices *notices,
                               const struct pinsight_report *report);
void pinsight_notice_windows(struct pinsight_notices *notices,
                             const struct pinsight_report *report);

#endif
