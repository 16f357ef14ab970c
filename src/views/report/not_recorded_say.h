/* What says the sentences of what was not recorded; see not_recorded_say.c. */
#ifndef PINSIGHT_VIEWS_NOT_RECORDED_SAY_H
#define PINSIGHT_VIEWS_NOT_RECORDED_SAY_H

#include "base/units.h"

struct pinsight_report;

/* Where the sentences go, and how many were of what may make numbers wrong (level 1). */
struct pinsight_speaker {
    void (*say)(void *data, int level, const char *sentence);
    void *data;
    unsigned serious;
};

/* Says a sentence; names in it may be any bytes. */
void pinsight_speak(struct pinsight_speaker *speaker, int level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Says how many there are of something, which the format shows first (%s); nothing where there are
 * none. */
#define PINSIGHT_SPEAK_COUNT(speaker, level, count, format, ...)                                   \
    do {                                                                                           \
        if (count)                                                                                 \
            pinsight_speak(speaker, level, format, pinsight_units_count(count).text,               \
                           ##__VA_ARGS__);                                                         \
    } while (0)

/* What the configuration selected of each domain, and what its windows ended. */
void pinsight_say_selection(struct pinsight_speaker *speaker, const struct pinsight_report *report);
void pinsight_say_windows(struct pinsight_speaker *speaker, const struct pinsight_report *report);

#endif
