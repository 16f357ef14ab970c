/* OpenMP in a report: regions by the Python call path that started them, Python functions with the
 * time of the regions that they caused, and threads. */
#ifndef PINSIGHT_VIEWS_OPENMP_H
#define PINSIGHT_VIEWS_OPENMP_H

#include "base/json.h"
#include "reader/openmp/openmp.h"
#include "views/insights/insights.h"
#include "views/kit/table.h"
#include "views/report/report.h"
#include "views/report/section.h"

/* The rows of a table; see views/report/tables.h. */
#define OMP_ROWS(rows, count) REPORT_ROWS(openmp, struct pinsight_omp_view, rows, count)

/* A region: one place of native code and, in one list, one Python call path; in the other, one line
 * of the user's. */
struct pinsight_omp_row {
    char *name;         /* its symbol, or object and offset */
    const char *object; /* path of the program or library; "" where not known */
    const char *symbol; /* "" where not known */
    uint64_t offset;    /* in the object */
    const char *source; /* source file of the place, NULL where not known */
    int32_t source_line;
    uint32_t path;                   /* one of its paths, PINSIGHT_NONE without Python */
    uint32_t users;                  /* the frame with the user's line, or PINSIGHT_NONE */
    struct pinsight_omp_region sums; /* with its own list of the threads' work */
    /* What MONITORING counted: of each process the thread with the most time, which is mostly the
     * one that started the regions; others' parts are within. */
    struct pinsight_monitored counted;
    uint32_t counted_threads; /* in how many, of the process with the most */
};

/* A Python function and what it took: in Python, in C outside of regions, and in regions that it
 * caused. The three add up. */
struct pinsight_omp_function {
    const char *name, *file; /* name is NULL for regions that no Python caused */
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
    uint64_t recorded_ns; /* in rows of functions */
    uint64_t regions_ns;  /* of outermost regions, in their callers */
    struct pinsight_native_lines *lines;
};

/* Made from the model once, and freed with the report. */
struct pinsight_omp_view *pinsight_omp_view_make(const struct pinsight_report *report);
void pinsight_omp_view_free(struct pinsight_omp_view *view);

void pinsight_omp_add_caller(struct pinsight_omp_caller *to,
                             const struct pinsight_omp_caller *from);

/* What the functions' rows lack of the callers' time, see attribution.h: work of other domains that
 * is in none of them, as MPI without Python. */
uint64_t pinsight_omp_others(const struct pinsight_report *report);

/* Whether anything of OpenMP was recorded or counted. */
bool pinsight_omp_seen(const struct pinsight_report *report);

/* All regions that are in no other, in the threads that started them. */
struct pinsight_omp_caller pinsight_omp_all(const struct pinsight_report *report);

/* Why there is nothing, and how to have some. */
const char *pinsight_omp_none(const struct pinsight_report *report);

/* max over mean of the threads' work, 0 where it is not known. */
double pinsight_omp_imbalance(const struct pinsight_omp_region *sums);

const char *pinsight_omp_wait_word(unsigned wait);
const char *pinsight_omp_kind_word(unsigned kind);
const char *pinsight_omp_thread_word(unsigned type);

/* The forms. */
void pinsight_section_openmp_threads(const struct pinsight_report *report, FILE *out, size_t limit);
void pinsight_section_openmp_brief(const struct pinsight_report *report, FILE *out, size_t limit);
void pinsight_omp_json(const struct pinsight_report *report, struct pinsight_json *json,
                       size_t limit);

extern const struct pinsight_section *const pinsight_omp_sections[];
extern pinsight_insight_rule *const pinsight_omp_rules[];

/* Parts of the section and of the JSON. */
void pinsight_omp_print_functions(const struct pinsight_report *report, FILE *out, size_t limit);
/* Each region with the whole call path that started it. */
void pinsight_omp_print_paths(const struct pinsight_report *report, FILE *out, size_t limit);

/* Columns for tables in which these stand: struct pinsight_omp_thread, struct pinsight_omp_caller.
 */
extern const struct pinsight_table pinsight_omp_thread_table, pinsight_omp_caller_table;

/* Tables of a report. */
extern const struct pinsight_table pinsight_omp_place_table, pinsight_omp_region_table,
    pinsight_omp_function_table;

#endif
