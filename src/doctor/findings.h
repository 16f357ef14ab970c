/* What `pinsight doctor` found: a list, in the order of the checks. */
#ifndef PINSIGHT_DOCTOR_FINDINGS_H
#define PINSIGHT_DOCTOR_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum pinsight_level {
    PINSIGHT_FOUND_OK,
    PINSIGHT_FOUND_NOTE,    /* nothing is wrong, and worth knowing */
    PINSIGHT_FOUND_WARNING, /* something is not seen, or may fail */
    PINSIGHT_FOUND_ERROR,   /* nothing can be recorded, or not what the check is about */
};

struct pinsight_finding {
    const char *area;  /* static: a heading */
    const char *check; /* static: a name for programs, which stays */
    enum pinsight_level level;
    char *text;
    char *fix; /* what to do; NULL where there is nothing to do */
};

/* All zero to begin with; pinsight_findings_free() at the end. For one thread. */
struct pinsight_findings {
    struct pinsight_finding *items;
    size_t count, room;
    bool no_memory; /* something could not be added */
};

/* Adds a finding; `text` and `fix` are copied. A fix of NULL or "" is none. */
void pinsight_findings_add(struct pinsight_findings *findings, const char *area, const char *check,
                           enum pinsight_level level, const char *fix, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

/* How many there are of a level. */
size_t pinsight_findings_count(const struct pinsight_findings *findings, enum pinsight_level level);

/* As text, and as one JSON object. */
void pinsight_findings_print(const struct pinsight_findings *findings, FILE *out, bool colour);
void pinsight_findings_print_json(const struct pinsight_findings *findings, FILE *out);

void pinsight_findings_free(struct pinsight_findings *findings);

#endif
