/* MPI in a report: time by function, Python line and rank, who waited for whom, the communication
 * matrix, message sizes, and efficiencies. docs/man/pinsight-report has the definitions. */
#ifndef PINSIGHT_VIEWS_MPI_H
#define PINSIGHT_VIEWS_MPI_H

#include "reader/mpi.h"
#include "views/json.h"
#include "views/report.h"

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
    struct pinsight_mpi_wait *waits, *pairs; /* by time */
    size_t wait_count, pair_count;
    struct pinsight_mpi_flow *flows; /* by rank */
    size_t flow_count;
    uint64_t wait_ns[PINSIGHT_MPI_WAIT_COUNT];
    uint64_t requests_started, requests_completed, requests_freed, requests_cancelled;
    struct pinsight_mpi_sums all;
    struct pinsight_mpi_efficiency efficiency;
    uint32_t *site_lines; /* of each site of the model its row in lines; PINSIGHT_NONE without */
    struct pinsight_native_lines *native_lines;
};

/* Made from the model once, and freed with the report. */
struct pinsight_mpi_view *pinsight_mpi_view_make(const struct pinsight_report *report);
void pinsight_mpi_view_free(struct pinsight_mpi_view *view);

/* Of mpi_view.c's: the lists of waits. */
void pinsight_mpi_waits_make(const struct pinsight_report *report, struct pinsight_mpi_view *view,
                             const uint32_t *rank_rows);

/* Whether anything of MPI was recorded. */
bool pinsight_mpi_seen(const struct pinsight_report *report);

/* Why there is nothing, and how to have some. */
const char *pinsight_mpi_none(const struct pinsight_report *report);

const char *pinsight_mpi_kind_word(uint8_t kind);
const char *pinsight_mpi_wait_word(uint8_t kind);  /* late_sender */
const char *pinsight_mpi_wait_words(uint8_t kind); /* late sender */

/* The forms. */
void pinsight_section_mpi(const struct pinsight_report *report, FILE *out, size_t limit);
void pinsight_section_mpi_brief(const struct pinsight_report *report, FILE *out, size_t limit);
/* A few lines of the same, for the summary. */
void pinsight_mpi_lines(const struct pinsight_report *report, FILE *out, size_t limit);
void pinsight_section_mpi_ranks(const struct pinsight_report *report, FILE *out, size_t limit);
void pinsight_section_mpi_matrix(const struct pinsight_report *report, FILE *out, size_t limit);
void pinsight_section_mpi_sizes(const struct pinsight_report *report, FILE *out);
/* Of section_mpi_troubles.c: lines that stand only where something is wrong. */
void pinsight_mpi_print_alone(const struct pinsight_report *report, FILE *out);
void pinsight_mpi_print_open(const struct pinsight_report *report, FILE *out);
void pinsight_mpi_print_failed(const struct pinsight_report *report, FILE *out, size_t limit);
/* A call by its line, for people, as new text. `wide`: with the function that it is in. */
char *pinsight_mpi_call_text(const struct pinsight_mpi_view *view, uint32_t line, bool wide);
void pinsight_mpi_json(const struct pinsight_report *report, struct pinsight_json *json,
                       size_t limit);
void pinsight_mpi_csv(const struct pinsight_report *report, FILE *out, size_t limit,
                      void (*write_text)(FILE *out, const char *text));
void pinsight_mpi_matrix_csv(const struct pinsight_report *report, FILE *out);
void pinsight_mpi_matrix_svg(const struct pinsight_report *report, FILE *out);

#endif
