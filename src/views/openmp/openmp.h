/* The report's section on OpenMP. The section has regions by the Python call path that started
 * them, Python functions with the time of their regions, and threads. */
#ifndef PINSIGHT_VIEWS_OPENMP_H
#define PINSIGHT_VIEWS_OPENMP_H

#include "base/json.h"
#include "reader/openmp/openmp.h"
#include "views/insights/insights.h"
#include "views/kit/table.h"
#include "views/report/report.h"
#include "views/report/section.h"

/* The place of a table's rows in the view; see views/report/tables.h. */
#define OMP_ROWS(rows, count) REPORT_ROWS(openmp, struct pinsight_omp_view, rows, count)

/* A region: one native place, with one Python call path (`regions`) or with one line of the user's
 * (`places`). */
struct pinsight_omp_row {
    char *name;         /* its symbol, or object and offset */
    const char *object; /* path of the program or library; "" if unknown */
    const char *symbol; /* "" if unknown */
    uint64_t offset;    /* in the object */
    const char *source; /* source file of the place; NULL if unknown */
    int32_t source_line;
    uint32_t path;                   /* one of its paths, PINSIGHT_NONE without Python */
    uint32_t users;                  /* the frame with the user's line, or PINSIGHT_NONE */
    struct pinsight_omp_region sums; /* with its own list of the threads' work */
    /* The counts of MONITORING. Each process adds its thread with the most time. Mostly, this
     * thread starts the regions, and its time contains the parts of the others. */
    struct pinsight_monitored counted;
    uint32_t counted_threads; /* number of threads with counts, in the process with the most */
};

/* A Python function with its times: in Python, in C outside regions, and in regions that it caused.
 * The three add up. */
struct pinsight_omp_function {
    const char *name, *file; /* name is NULL for regions without Python */
    int32_t line;            /* first line */
    uint64_t python_ns, c_ns;
    struct pinsight_omp_caller regions;
};

struct pinsight_omp_view {
    struct pinsight_omp_row *regions; /* by call path */
    size_t region_count;
    struct pinsight_omp_row *places; /* by the user's line */
    size_t place_count;
    struct pinsight_omp_function *functions;
    size_t function_count;
    uint64_t recorded_ns; /* sum of the rows of functions */
    uint64_t regions_ns;  /* time of outermost regions in their callers */
    struct pinsight_native_lines *lines;
};

/* Makes the view from the model. The report makes it once, and frees it at its end. */
struct pinsight_omp_view *pinsight_omp_view_make(const struct pinsight_report *report);
void pinsight_omp_view_free(struct pinsight_omp_view *view);

void pinsight_omp_add_caller(struct pinsight_omp_caller *to,
                             const struct pinsight_omp_caller *from);

/* Returns the callers' time that no row of a function has, see attribution.h. Such time belongs to
 * other domains, for example MPI without Python. */
uint64_t pinsight_omp_others(const struct pinsight_report *report);

/* Returns whether a report has any OpenMP, recorded or counted. */
bool pinsight_omp_seen(const struct pinsight_report *report);

/* Returns the sum of all outermost regions, in the threads that started them. */
struct pinsight_omp_caller pinsight_omp_all(const struct pinsight_report *report);

/* Returns why there is no OpenMP, and how to record some. */
const char *pinsight_omp_none(const struct pinsight_report *report);

/* Returns the longest work over the mean work of the threads; 0 if unknown. */
double pinsight_omp_imbalance(const struct pinsight_omp_region *sums);

const char *pinsight_omp_wait_word(unsigned wait);
const char *pinsight_omp_kind_word(unsigned kind);
const char *pinsight_omp_thread_word(unsigned type);

/* Write the section's parts, and its JSON. */
void pinsight_section_openmp_threads(const struct pinsight_report *report, FILE *out, size_t limit);
void pinsight_section_openmp_brief(const struct pinsight_report *report, FILE *out, size_t limit);
void pinsight_omp_json(const struct pinsight_report *report, struct pinsight_json *json,
                       size_t limit);

extern const struct pinsight_section *const pinsight_omp_sections[];
extern pinsight_insight_rule *const pinsight_omp_rules[];

/* Writes the functions with the regions that they caused. */
void pinsight_omp_print_functions(const struct pinsight_report *report, FILE *out, size_t limit);
/* Writes each region with the whole call path that started it. */
void pinsight_omp_print_paths(const struct pinsight_report *report, FILE *out, size_t limit);

/* Inner tables of struct pinsight_omp_thread and of struct pinsight_omp_caller. */
extern const struct pinsight_table pinsight_omp_thread_table, pinsight_omp_caller_table;

/* Tables of a report. */
extern const struct pinsight_table pinsight_omp_place_table, pinsight_omp_region_table,
    pinsight_omp_function_table;

#endif
