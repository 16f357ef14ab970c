/* What says the sentences of what was not recorded; see not_recorded_say.c. */
#ifndef PINSIGHT_VIEWS_NOT_RECORDED_SAY_H
#define PINSIGHT_VIEWS_NOT_RECORDED_SAY_H

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

/* What the configuration selected of each domain, and what its windows ended. */
void pinsight_say_selection(struct pinsight_speaker *speaker, const struct pinsight_report *report);
void pinsight_say_windows(struct pinsight_speaker *speaker, const struct pinsight_report *report);

#endif
