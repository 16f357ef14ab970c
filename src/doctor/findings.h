/* The findings of `pinsight doctor`: a list, in the order of the checks. */
#ifndef PINSIGHT_DOCTOR_FINDINGS_H
#define PINSIGHT_DOCTOR_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum pinsight_level {
    PINSIGHT_FOUND_OK,
    PINSIGHT_FOUND_NOTE,    /* no fault, but worth knowing */
    PINSIGHT_FOUND_WARNING, /* some data is not recorded, or may not be */
    PINSIGHT_FOUND_ERROR,   /* nothing can be recorded, or nothing of the checked part */
};

struct pinsight_finding {
    const char *area;  /* static: a heading */
    const char *check; /* static: a name for programs, which never changes */
    enum pinsight_level level;
    char *text;
    char *fix; /* the remedy; NULL if there is none */
};

/* All zero at the start; pinsight_findings_free() at the end. For one thread. */
struct pinsight_findings {
    struct pinsight_finding *items;
    size_t count, room;
    bool no_memory; /* a finding could not be added */
    bool measured;  /* they are results of measurements, and the text has no verdict */
};

/* Adds a finding. Copies `text` and `fix`. A fix of NULL or "" means none. */
void pinsight_findings_add(struct pinsight_findings *findings, const char *area, const char *check,
                           enum pinsight_level level, const char *fix, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

/* Returns the number of findings of a level. */
size_t pinsight_findings_count(const struct pinsight_findings *findings, enum pinsight_level level);

/* Print the findings as text, and as one JSON object. The text has lines of at most `width`
 * columns, unless that is 0. */
void pinsight_findings_print(const struct pinsight_findings *findings, FILE *out, bool colour,
                             unsigned width);
void pinsight_findings_print_json(const struct pinsight_findings *findings, FILE *out);

void pinsight_findings_free(struct pinsight_findings *findings);

#endif
