/* MPI in a report: time by function, Python line and rank, who waited for whom, the communication
 * matrix, message sizes, and efficiencies. docs/man/pinsight-report.1.in has the definitions. */
#ifndef PINSIGHT_VIEWS_MPI_H
#define PINSIGHT_VIEWS_MPI_H

#include "base/json.h"
#include "reader/mpi/mpi.h"
#include "views/insights/insights.h"
#include "views/kit/table.h"
#include "views/report/report.h"
#include "views/report/section.h"

/* The rows of a table; see views/report/tables.h. */
#define MPI_ROWS(rows, count) REPORT_ROWS(mpi, struct pinsight_mpi_view, rows, count)

struct pinsight_mpi_sums {
    uint64_t calls, failed, total_ns;
    uint64_t min_ns, max_ns; /* of one call; not set while calls is 0 */
    uint64_t sent_bytes, received_bytes;
    uint64_t counted_calls; /* of calls, what MONITORING counted; total_ns has their time */
    uint64_t wait_ns;       /* of total_ns, in wait states */
    uint64_t caused_ns;     /* that others waited for it */
};

/* Where MPI is called: the user's line, or without Python a place in native code. */
struct pinsight_mpi_place {
    const char *name; /* of the Python function or symbol, NULL where not known */
    const char *file; /* "" where not known */
    int32_t line;     /* 0 where not known */
    bool python;
};

/* A function of MPI: in one list all its calls, in the other those of one place. */
struct pinsight_mpi_row {
    const char *name;
    uint8_t kind;      /* enum pinsight_mpi_kind */
    uint32_t function; /* of the model */
    uint32_t place;    /* index */
    struct pinsight_mpi_sums sums;
    struct pinsight_mpi_sums *ranks; /* by rank row; in the list by function only */
};

/* MPI by the Python function that called it. */
struct pinsight_mpi_caller {
    const char *name, *file; /* name is NULL where no Python called */
    int32_t line;            /* first line */
    struct pinsight_mpi_sums sums;
};

struct pinsight_mpi_rank_row {
    const struct pinsight_mpi_rank *rank; /* NULL for one of which the trace has nothing */
    uint32_t number;                      /* in MPI_COMM_WORLD, or PINSIGHT_MPI_NO_RANK */
    uint64_t wall_ns, mpi_ns, wait_ns, useful_ns;
    uint64_t open_ns;   /* of mpi_ns, in calls that had not returned at the end */
    uint64_t others_ns; /* at least one thread that did not initialise MPI was in a call */
    bool by_others;     /* mpi_ns and wait_ns are theirs, see pinsight_mpi_who */
    uint64_t calls;
    uint64_t sent, sent_bytes, received; /* messages */
};

/* Waiting of a line for another one; in one list by pairs of ranks, too. */
struct pinsight_mpi_wait {
    uint8_t kind;                            /* enum pinsight_mpi_wait_kind */
    uint32_t suffers, causes;                /* rows by place */
    uint32_t suffering_rank, causing_rank;   /* rank rows; of several the one with the most */
    uint32_t suffering_ranks, causing_ranks; /* how many there are; 0 in the list by pairs */
    uint64_t count, total_ns, max_ns;
    uint64_t longest_at_ns;
};

struct pinsight_mpi_flow {
    uint32_t from, to;                           /* rank rows */
    uint64_t messages, bytes, received, matched; /* point to point */
    uint64_t operations, collective_bytes;
};

enum pinsight_mpi_end {
    PINSIGHT_MPI_ABORTED, /* it called MPI_Abort */
    /* Its events end outside of MPI and before MPI_Finalize: it died, or it computed, or hung,
     * until the job was ended. A trace does not tell these apart. */
    PINSIGHT_MPI_SILENT,
    PINSIGHT_MPI_LEFT, /* it called MPI_Finalize while others were in other calls for ever */
};

/* A rank that may have ended the job, or that others hang for. */
struct pinsight_mpi_death {
    const struct pinsight_mpi_rank *rank;
    enum pinsight_mpi_end how;
    uint64_t ns;   /* of its last event, or of that call */
    uint32_t site; /* its last call, or that one */
};

/* Shares from 0 to 1; not set where known is false. */
struct pinsight_mpi_efficiency {
    bool known, parts_known;
    double parallel, load_balance, communication;
    double serialisation, transfer; /* set where parts_known */
    uint64_t runtime_ns, useful_mean_ns, useful_max_ns;
};

struct pinsight_mpi_view {
    struct pinsight_mpi_row *functions, *lines; /* by total time */
    size_t function_count, line_count;
    struct pinsight_mpi_caller *callers;
    size_t caller_count;
    struct pinsight_mpi_place *places;
    size_t place_count;
    struct pinsight_mpi_rank_row *ranks; /* by number */
    size_t rank_count;
    bool others;                             /* threads that did not initialise MPI called it */
    struct pinsight_mpi_wait *waits, *pairs; /* by time */
    size_t wait_count, pair_count;
    struct pinsight_mpi_flow *flows; /* by rank */
    size_t flow_count;
    uint64_t wait_ns[PINSIGHT_MPI_WAIT_COUNT];
    uint64_t requests_started, requests_completed, requests_freed, requests_cancelled;
    struct pinsight_mpi_death *deaths; /* of the first kind that there is; by time */
    size_t death_count;
    size_t ended; /* processes in which MPI's recording ended before they did */
    struct pinsight_mpi_sums all;
    struct pinsight_mpi_efficiency efficiency;
    uint32_t *site_lines; /* of each site of the model its row in lines; PINSIGHT_NONE without */
    struct pinsight_native_lines *native_lines;
};

/* Of all ranks that are looked at; and the library of the first that tells, "" where none does. */
struct pinsight_mpi_times {
    size_t ranks;
    uint64_t wall_ns, mpi_ns, wait_ns, open_ns;
    const char *library;
};
struct pinsight_mpi_times pinsight_mpi_times_of(const struct pinsight_report *report);

/* Made from the model once, and freed with the report. */
struct pinsight_mpi_view *pinsight_mpi_view_make(const struct pinsight_report *report);
void pinsight_mpi_view_free(struct pinsight_mpi_view *view);

/* The lists of waits. */
void pinsight_mpi_waits_make(const struct pinsight_report *report, struct pinsight_mpi_view *view,
                             const uint32_t *rank_rows);

/* What ended the job. */
void pinsight_mpi_deaths_make(const struct pinsight_report *report, struct pinsight_mpi_view *view);
const char *pinsight_mpi_end_word(unsigned how); /* aborted */
void pinsight_mpi_print_deaths(const struct pinsight_report *report, FILE *out);

/* Whether MPI was traced in a process at first, and not at its end: --max-size, a window, an order.
 */
bool pinsight_mpi_has_ended(const struct pinsight_process *process);

/* Whether anything of MPI was recorded. */
bool pinsight_mpi_seen(const struct pinsight_report *report);

/* Why there is nothing, and how to have some. */
const char *pinsight_mpi_none(const struct pinsight_report *report);

const char *pinsight_mpi_kind_word(unsigned kind);
const char *pinsight_mpi_wait_word(unsigned kind);  /* late_sender */
const char *pinsight_mpi_wait_words(unsigned kind); /* late sender */

/* The forms. */
void pinsight_section_mpi_brief(const struct pinsight_report *report, FILE *out, size_t limit);
/* A few lines of the same, for the summary. */
void pinsight_mpi_print_efficiency(const struct pinsight_report *report, FILE *out, bool parts);
void pinsight_mpi_lines(const struct pinsight_report *report, FILE *out, size_t limit, bool few);
/* Prints the ranks, the one that computes longest first. Without --limit, at most 16 of them. */
void pinsight_section_mpi_ranks(const struct pinsight_report *report, FILE *out);
void pinsight_section_mpi_matrix(const struct pinsight_report *report, FILE *out, size_t limit);
void pinsight_section_mpi_sizes(const struct pinsight_report *report, FILE *out);
/* Lines that stand only where something is wrong. */
void pinsight_mpi_print_alone(const struct pinsight_report *report, FILE *out);
void pinsight_mpi_print_open(const struct pinsight_report *report, FILE *out);
void pinsight_mpi_print_failed(const struct pinsight_report *report, FILE *out, size_t limit);
/* A call by its line, for people, as new text. `wide`: with the function that it is in. */
char *pinsight_mpi_call_text(const struct pinsight_mpi_view *view, uint32_t line, bool wide);
void pinsight_mpi_json(const struct pinsight_report *report, struct pinsight_json *json,
                       size_t limit);
void pinsight_mpi_matrix_svg(const struct pinsight_report *report, FILE *out);

extern const struct pinsight_section *const pinsight_mpi_sections[];
extern pinsight_insight_rule *const pinsight_mpi_rules[];

/* Parts of these. */
void pinsight_mpi_print_calls(const struct pinsight_report *report, FILE *out, size_t limit);
void pinsight_mpi_print_waits(const struct pinsight_report *report, FILE *out, size_t limit);
void pinsight_mpi_calls_json(const struct pinsight_report *report, struct pinsight_json *json,
                             size_t limit);
void pinsight_mpi_waits_json(const struct pinsight_report *report, struct pinsight_json *json,
                             size_t limit);
/* The matrix, sizes of messages, communicators. */
void pinsight_mpi_traffic_json(const struct pinsight_report *report, struct pinsight_json *json);

/* Columns of struct pinsight_mpi_sums. The view of this and of what follows is a report. */
extern const struct pinsight_table pinsight_mpi_sums_table;

/* Tables of a report; in CSV those of its places, and of the matrix. */
extern const struct pinsight_table pinsight_mpi_line_table, pinsight_mpi_rank_table,
    pinsight_mpi_site_table, pinsight_mpi_matrix_table;

/* The number of a rank row; none where it is not known. */
struct pinsight_value pinsight_mpi_rank_value(const void *view, uint32_t row);
/* "rank 2", or the name of a process whose number is not known; to be freed. */
char *pinsight_mpi_rank_name(const struct pinsight_mpi_rank *rank);
/* "2", or "2 and 5 others" where others have a part; "?" where the number is not known. */
struct pinsight_value pinsight_mpi_ranks_text(const void *view, uint32_t row, uint32_t ranks);
/* The same as the member "rank"; and the members that name a line. */
void pinsight_mpi_write_rank(struct pinsight_json *json, const void *view, uint32_t row);
void pinsight_mpi_write_place(struct pinsight_json *json, const struct pinsight_printing *printing,
                              uint32_t line);

#endif
