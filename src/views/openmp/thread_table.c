/* The table of OpenMP's threads. */
#include "views/openmp/openmp.h"

#include "base/memory.h"
#include "base/order.h"
#include "views/report/sections.h"
#include "views/report/tables.h"

#include <stdlib.h>

SHOWN(has_openmp, pinsight_omp_seen(report))

/* Returns the numbers that a thread had in teams, such as "0-3". */
static struct pinsight_value in_teams(const void *view, const void *row) {
    const struct pinsight_omp_thread *thread = row;

    if (!thread->in_team)
        return pinsight_value_none();
    return pinsight_value_owned(thread->lowest == thread->highest
                                    ? pinsight_format("%u", thread->lowest)
                                    : pinsight_format("%u-%u", thread->lowest, thread->highest));
}

#define O(member) MEMBER(struct pinsight_omp_thread, member)
static const struct pinsight_column columns[] = {
    COLUMN("global_thread_num", "OpenMP", ID, O(number), .style = PINSIGHT_BOLD),
    COLUMN("openmp_thread", "OpenMP", ID, O(number), .none = "", .shown = has_openmp),
    COLUMN("type", NULL, WORD, O(type), .word = pinsight_omp_thread_word),
    COLUMN("omp_thread_num_min", NULL, ID, O(lowest), .optional = O(in_team)),
    COLUMN("omp_thread_num_max", NULL, ID, O(highest), .optional = O(in_team)),
    GETTER("in_teams", "in teams", TEXT, in_teams, .none = "-"),
    COLUMN("regions", "regions", COUNT, O(parts)),
    COLUMN("regions_started", NULL, COUNT, O(regions)),
    COLUMN("work_ns", "work", NS, O(work_ns)),
    COLUMN("imbalance_ns", "imbalance", NS, O(imbalance_ns)),
    COLUMN("waiting_ns", "waiting", NS, O(waiting_ns)),
};

const struct pinsight_table pinsight_omp_thread_table = {
    PINSIGHT_COLUMNS(columns),
    .json = "global_thread_num type omp_thread_num_min omp_thread_num_max regions "
            "regions_started work_ns imbalance_ns waiting_ns",
};

#define R(member) MEMBER(struct pinsight_thread_row, member)
static const struct pinsight_column row_columns[] = {
    INNER(NULL, &pinsight_thread_table, R(thread), .pointer = true),
    COLUMN("name", "name", TEXT, R(name), .align = PINSIGHT_FLEXIBLE),
};

static const struct pinsight_table threads = {
    .title = "Threads of OpenMP",
    .remark = "time in regions",
    PINSIGHT_COLUMNS(row_columns),
    .screen =
        "global_thread_num in_teams work_ns imbalance_ns waiting_ns regions process thread name",
};

static int compare_numbers(const void *left, const void *right) {
    const struct pinsight_thread *a = (*(const struct pinsight_thread_row *const *)left)->thread;
    const struct pinsight_thread *b = (*(const struct pinsight_thread_row *const *)right)->thread;

    return BY(a->process->pid, b->process->pid)
        ?: BY(pinsight_thread_openmp(a)->number, pinsight_thread_openmp(b)->number)
          ?: BY(a->tid, b->tid);
}

void pinsight_section_openmp_threads(const struct pinsight_report *report, FILE *out,
                                     size_t limit) {
    const struct pinsight_thread_row **rows =
        pinsight_calloc(report->thread_count + 1, sizeof(*rows));
    size_t count = 0;

    for (size_t i = 0; i < report->thread_count; i++)
        if (pinsight_thread_openmp(report->threads[i].thread))
            rows[count++] = &report->threads[i];
    PINSIGHT_SORT(rows, count, compare_numbers);
    pinsight_section_print_rows(report, out, &threads, PINSIGHT_ROW_POINTERS(rows, count), limit);
    free(rows);
}
