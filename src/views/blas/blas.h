/* BLAS in a report: by routine, and by routine and line of the user's. */
#ifndef PINSIGHT_VIEWS_BLAS_H
#define PINSIGHT_VIEWS_BLAS_H

#include "base/peak.h"
#include "reader/blas/blas.h"
#include "views/domain.h"
#include "views/report/call_place.h"
#include "views/report/section.h"

struct pinsight_notices;

/* Calls of one routine; in one list all of them, in the other those that one line caused. */
struct pinsight_blas_row {
    struct python_call_place place; /* the line; must be the first member */
    uint32_t function;              /* in the domain's sums of calls */
    enum pinsight_blas_level level;
    uint64_t calls, total_ns;
    uint64_t nested_calls;                    /* of `calls`, those within other calls */
    uint64_t self_ns;                         /* without calls within them */
    uint64_t short_calls, short_ns;           /* calls that were counted */
    uint64_t transposed_calls, strided_calls; /* with such an operand */
    double operations;
    double peak_ns; /* time of the operations at the peak of the processor; 0 if not known */
    uint32_t least_threads, most_threads; /* 0 if they are not known */
    uint32_t library; /* in the model's; PINSIGHT_NONE if none or more than one is known */
    uint32_t sizes;   /* different ones */
    uint64_t up_to;   /* in a histogram: the largest dimension of its class of sizes; else 0 */
    /* The size whose calls took most time, and that time. PINSIGHT_NONE without. */
    uint32_t most_size;
    uint64_t most_ns;
};

/* Make the rows, those that took longest first; *count is their number. The caller frees them. */
struct pinsight_blas_row *pinsight_blas_routines(const struct pinsight_report *report,
                                                 size_t *count);
struct pinsight_blas_row *pinsight_blas_lines(const struct pinsight_report *report, size_t *count);
/* A row for each routine and class of sizes, by routine. Each class reaches to four times the size
 * of the one before. */
struct pinsight_blas_row *pinsight_blas_size_classes(const struct pinsight_report *report,
                                                     size_t *count);
/* Like pinsight_blas_lines(), without the calls within other calls. */
struct pinsight_blas_row *pinsight_blas_outer_lines(const struct pinsight_report *report,
                                                    size_t *count);
/* A row for each library, without a routine. Calls within other calls are in `calls`,
 * `nested_calls` and `self_ns` alone. */
struct pinsight_blas_row *pinsight_blas_libraries(const struct pinsight_report *report,
                                                  size_t *count);

/* Returns whether any call was recorded or counted. */
bool pinsight_blas_seen(const struct pinsight_report *report);

/* Returns whether BLAS took a share of the time that is worth a line. Each import of NumPy makes
 * some short calls. */
bool pinsight_blas_matters(const struct pinsight_report *report);

/* Reads the peak of the processor that the trace is of. Returns false if it is not known. */
bool pinsight_blas_peak(const struct pinsight_report *report, struct pinsight_peak *peak);

/* Returns the time in ns that operations of a routine take at the peak of its threads. 0 threads
 * are as many as the processors. */
double pinsight_blas_peak_ns(const struct pinsight_peak *peak, const char *routine,
                             unsigned threads, double operations);

/* Writes why no peak is known, or why a share of it can be above 100 %, if one is. */
void pinsight_blas_peak_note(const struct pinsight_report *report, FILE *out, bool is_exceeded);

/* Returns a size as text, "500×300×400", or of a batch "64 × 500×300×400"; the caller frees it. */
char *pinsight_blas_size_text(const struct pinsight_blas_size *size);

extern const struct pinsight_section *const pinsight_blas_sections[];
extern pinsight_insight_rule *const pinsight_blas_rules[];

/* A rule of copies.c: calls of NumPy that copy operands before they call BLAS. */
pinsight_insight_rule pinsight_blas_rule_copies;

/* For struct view_domain. */
void pinsight_blas_brief(const struct pinsight_report *report, FILE *out, size_t limit);
void pinsight_blas_json(const struct pinsight_report *report, struct pinsight_json *json,
                        size_t limit);
void pinsight_blas_notice(struct pinsight_notices *notices, const struct pinsight_report *report);

#endif
