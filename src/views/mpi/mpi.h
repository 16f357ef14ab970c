/* The report's section on MPI: time by function, Python line and rank, wait states, the
 * communication matrix, message sizes, and efficiencies. The definitions are in
 * docs/man/pinsight-report.1.in. */
#ifndef PINSIGHT_VIEWS_MPI_H
#define PINSIGHT_VIEWS_MPI_H

#include "base/json.h"
#include "reader/mpi/mpi.h"
#include "views/insights/insights.h"
#include "views/kit/table.h"
#include "views/report/report.h"
#include "views/report/section.h"

/* The place of a table's rows in the view; see views/report/tables.h. */
#define MPI_ROWS(rows, count) REPORT_ROWS(mpi, struct pinsight_mpi_view, rows, count)

struct pinsight_mpi_sums {
    uint64_t calls, failed, total_ns;
    uint64_t min_ns, max_ns; /* of one call; undefined if calls is 0 */
    uint64_t sent_bytes, received_bytes;
    uint64_t counted_calls; /* part of calls that MONITORING counted; total_ns has their time */
    uint64_t wait_ns;       /* part of total_ns in wait states */
    uint64_t caused_ns;     /* time that others waited for these calls */
};

/* A place that calls MPI: the user's line, or a native place without Python. */
struct pinsight_mpi_place {
    const char *name; /* of the Python function or symbol; NULL if unknown */
    const char *file; /* "" if unknown */
    int32_t line;     /* 0 if unknown */
    bool python;
};

/* A function of MPI: with all its calls (`functions`), or with those of one place (`lines`). */
struct pinsight_mpi_row {
    const char *name;
    uint8_t kind;      /* enum pinsight_mpi_kind */
    uint32_t function; /* its number in the model */
    uint32_t place;    /* index of places */
    struct pinsight_mpi_sums sums;
    struct pinsight_mpi_sums *ranks; /* by rank row; only for `functions` */
};

/* MPI calls of one Python function. */
struct pinsight_mpi_caller {
    const char *name, *file; /* name is NULL if no Python made the calls */
    int32_t line;            /* first line */
    struct pinsight_mpi_sums sums;
};

struct pinsight_mpi_rank_row {
    const struct pinsight_mpi_rank *rank; /* NULL for a rank outside the trace */
    uint32_t number;                      /* in MPI_COMM_WORLD, or PINSIGHT_MPI_NO_RANK */
    uint64_t wall_ns, mpi_ns, wait_ns, useful_ns;
    uint64_t open_ns; /* part of mpi_ns in calls that had not returned at the end */
    /* Time in which a thread other than MPI's initialising thread was in a call. */
    uint64_t others_ns;
    bool by_others; /* mpi_ns and wait_ns are those of other threads, see pinsight_mpi_who */
    uint64_t calls;
    uint64_t sent, sent_bytes, received; /* messages */
};

/* Waiting of one line for another line. `waits` has all ranks together, `pairs` has pairs of
 * ranks. */
struct pinsight_mpi_wait {
    uint8_t kind;             /* enum pinsight_mpi_wait_kind */
    uint32_t suffers, causes; /* rows by place */
    /* Rank rows. If there are several, these are the ones with the most time. */
    uint32_t suffering_rank, causing_rank;
    uint32_t suffering_ranks, causing_ranks; /* how many ranks; 0 for `pairs` */
    uint64_t count, total_ns, max_ns;
    uint64_t longest_at_ns;
};

struct pinsight_mpi_flow {
    uint32_t from, to;                           /* rank rows */
    uint64_t messages, bytes, received, matched; /* point-to-point messages */
    uint64_t operations, collective_bytes;
};

enum pinsight_mpi_end {
    PINSIGHT_MPI_ABORTED, /* it called MPI_Abort */
    /* The rank's events end outside MPI and before MPI_Finalize. The rank died, or it computed or
     * hung until the job was ended. A trace does not distinguish these cases. */
    PINSIGHT_MPI_SILENT,
    PINSIGHT_MPI_LEFT, /* it called MPI_Finalize while others were in other calls forever */
};

/* A rank that may have ended the job, or that others hang for. */
struct pinsight_mpi_death {
    const struct pinsight_mpi_rank *rank;
    enum pinsight_mpi_end how;
    uint64_t ns;   /* time of its last event, or of the call in `site` */
    uint32_t site; /* its last call, or the call that ended the job */
};

/* Efficiencies from 0 to 1, which are undefined unless `known` is set. */
struct pinsight_mpi_efficiency {
    bool known, parts_known;
    double parallel, load_balance, communication;
    double serialisation, transfer; /* undefined unless parts_known is set */
    uint64_t runtime_ns, useful_mean_ns, useful_max_ns;
};

struct pinsight_mpi_view {
    struct pinsight_mpi_row *functions, *lines; /* sorted by total time */
    size_t function_count, line_count;
    struct pinsight_mpi_caller *callers;
    size_t caller_count;
    struct pinsight_mpi_place *places;
    size_t place_count;
    struct pinsight_mpi_rank_row *ranks; /* sorted by number */
    size_t rank_count;
    bool others; /* threads other than the initialising one called MPI */
    struct pinsight_mpi_wait *waits, *pairs; /* sorted by time */
    size_t wait_count, pair_count;
    struct pinsight_mpi_flow *flows; /* sorted by rank */
    size_t flow_count;
    uint64_t wait_ns[PINSIGHT_MPI_WAIT_COUNT];
    uint64_t requests_started, requests_completed, requests_freed, requests_cancelled;
    /* Of the first kind in enum pinsight_mpi_end that occurs, sorted by time. */
    struct pinsight_mpi_death *deaths;
    size_t death_count;
    size_t ended; /* number of processes in which the recording of MPI ended early */
    struct pinsight_mpi_sums all;
    struct pinsight_mpi_efficiency efficiency;
    uint32_t *site_lines; /* row in `lines`, by call site of the model; PINSIGHT_NONE without */
    struct pinsight_native_lines *native_lines;
};

/* Sums of all selected ranks, and the name of their first known library, or "". */
struct pinsight_mpi_times {
    size_t ranks;
    uint64_t wall_ns, mpi_ns, wait_ns, open_ns;
    const char *library;
};
struct pinsight_mpi_times pinsight_mpi_times_of(const struct pinsight_report *report);

/* Returns whether the calls of MPI were counted (MONITORING), and none was recorded. Nothing is
 * known of messages, waiting and the time of ranks then. */
bool pinsight_mpi_only_counted(const struct pinsight_report *report);

/* Makes the view from the model. The report makes it once, and frees it at its end. */
struct pinsight_mpi_view *pinsight_mpi_view_make(const struct pinsight_report *report);
void pinsight_mpi_view_free(struct pinsight_mpi_view *view);

/* Makes the lists of waits. */
void pinsight_mpi_waits_make(const struct pinsight_report *report, struct pinsight_mpi_view *view,
                             const uint32_t *rank_rows);

/* Makes the list of ranks that ended the job. */
void pinsight_mpi_deaths_make(const struct pinsight_report *report, struct pinsight_mpi_view *view);
const char *pinsight_mpi_end_word(unsigned how); /* such as aborted */
void pinsight_mpi_print_deaths(const struct pinsight_report *report, FILE *out);

/* Returns whether MPI was traced in a process at first, but not at its end. The cause is
 * --max-size, a window, or a request. */
bool pinsight_mpi_has_ended(const struct pinsight_process *process);

/* Returns whether a report has any MPI. */
bool pinsight_mpi_seen(const struct pinsight_report *report);

/* Returns why there is no MPI, and how to record some. */
const char *pinsight_mpi_none(const struct pinsight_report *report);

const char *pinsight_mpi_kind_word(unsigned kind);
const char *pinsight_mpi_wait_word(unsigned kind);  /* such as late_sender */
const char *pinsight_mpi_wait_words(unsigned kind); /* such as late sender */

/* Write the section's parts. */
void pinsight_section_mpi_brief(const struct pinsight_report *report, FILE *out, size_t limit);
/* Write a few lines for the summary. */
void pinsight_mpi_print_efficiency(const struct pinsight_report *report, FILE *out, bool parts);
void pinsight_mpi_lines(const struct pinsight_report *report, FILE *out, size_t limit, bool few);
/* Writes the ranks, with the longest computing first. Without --limit, there are at most 16. */
void pinsight_section_mpi_ranks(const struct pinsight_report *report, FILE *out);
void pinsight_section_mpi_matrix(const struct pinsight_report *report, FILE *out, size_t limit);
void pinsight_section_mpi_sizes(const struct pinsight_report *report, FILE *out);
/* Write lines about problems, and nothing without a problem. */
void pinsight_mpi_print_alone(const struct pinsight_report *report, FILE *out);
void pinsight_mpi_print_clocks(const struct pinsight_report *report, FILE *out);
void pinsight_mpi_print_open(const struct pinsight_report *report, FILE *out);
void pinsight_mpi_print_failed(const struct pinsight_report *report, FILE *out, size_t limit);
/* Returns a call with its line, for people. The caller frees the text. `wide` adds the function
 * around the line. */
char *pinsight_mpi_call_text(const struct pinsight_mpi_view *view, uint32_t line, bool wide);
void pinsight_mpi_json(const struct pinsight_report *report, struct pinsight_json *json,
                       size_t limit);
void pinsight_mpi_matrix_svg(const struct pinsight_report *report, FILE *out);

extern const struct pinsight_section *const pinsight_mpi_sections[];
extern pinsight_insight_rule *const pinsight_mpi_rules[];

/* Write parts of the section and of the JSON. */
void pinsight_mpi_print_calls(const struct pinsight_report *report, FILE *out, size_t limit);
void pinsight_mpi_print_waits(const struct pinsight_report *report, FILE *out, size_t limit);
void pinsight_mpi_calls_json(const struct pinsight_report *report, struct pinsight_json *json,
                             size_t limit);
void pinsight_mpi_waits_json(const struct pinsight_report *report, struct pinsight_json *json,
                             size_t limit);
/* Writes the matrix, message sizes and communicators. */
void pinsight_mpi_traffic_json(const struct pinsight_report *report, struct pinsight_json *json);

/* The inner table of struct pinsight_mpi_sums. The view of this and of all tables below is a
 * report. */
extern const struct pinsight_table pinsight_mpi_sums_table;

/* Tables of a report. In CSV, these are the table of sites and the matrix. */
extern const struct pinsight_table pinsight_mpi_line_table, pinsight_mpi_rank_table,
    pinsight_mpi_site_table, pinsight_mpi_matrix_table;

/* Returns the number of a rank row, or no value if it is unknown. */
struct pinsight_value pinsight_mpi_rank_value(const void *view, uint32_t row);
/* Returns a name such as "rank 2", or the process's name if the number is unknown. The caller frees
 * it. */
char *pinsight_mpi_rank_name(const struct pinsight_mpi_rank *rank);
/* Returns "2", or "2 and 5 others" for several ranks. An unknown number is "?". */
struct pinsight_value pinsight_mpi_ranks_text(const void *view, uint32_t row, uint32_t ranks);
/* Write the rank as the member "rank", and the members that name a line. */
void pinsight_mpi_write_rank(struct pinsight_json *json, const void *view, uint32_t row);
void pinsight_mpi_write_place(struct pinsight_json *json, const struct pinsight_printing *printing,
                              uint32_t line);

#endif
