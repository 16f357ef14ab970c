/* Notices: sentences about unrecorded things; see not_recorded_notices.c. */
#ifndef PINSIGHT_VIEWS_NOT_RECORDED_SAY_H
#define PINSIGHT_VIEWS_NOT_RECORDED_SAY_H

#include "base/units.h"
#include "views/report/not_recorded.h"

struct pinsight_report;

/* The receiver of the sentences, and the number of those that contradict that nothing was lost. */
struct pinsight_notices {
    void (*take)(void *data, int level, const char *sentence);
    void *data;
    unsigned losses;
};

/* Passes on a sentence. Names in it may have any bytes. */
void pinsight_notice(struct pinsight_notices *notices, int level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Passes on a sentence that begins with a count, which is the format's first %s. Does nothing if
 * the count is 0. */
#define PINSIGHT_NOTICE_COUNT(notices, level, count, format, ...)                                  \
    do {                                                                                           \
        if (count)                                                                                 \
            pinsight_notice(notices, level, format, pinsight_units_count(count).text,              \
                            ##__VA_ARGS__);                                                        \
    } while (0)

/* Like PINSIGHT_NOTICE_COUNT(), for a sentence that begins with a number and its noun and verb,
 * such as "1 event was" or "2 events were". */
#define PINSIGHT_NOTICE_COUNTED(notices, level, count, one, many, format, ...)                     \
    do {                                                                                           \
        if (count)                                                                                 \
            pinsight_notice(notices, level, "%s %s " format, pinsight_units_count(count).text,     \
                            (count) == 1 ? one : many, ##__VA_ARGS__);                             \
    } while (0)

/* Pass on the configuration's selections for each domain, and the windows that ended. */
void pinsight_notice_selection(struct pinsight_notices *notices,
                               const struct pinsight_report *report);
void pinsight_notice_windows(struct pinsight_notices *notices,
                             const struct pinsight_report *report);

#endif
