/* The section on functions that ran unequally in ranks, or in threads if there are no ranks. */
#include "base/memory.h"
#include "base/order.h"
#include "views/domain.h"
#include "views/process_name.h"
#include "views/report/attribution.h"
#include "views/report/section.h"
#include "views/report/tables.h"

#include <stdlib.h>
#include <string.h>

#define WIDTH_FOR_NUMBER 80
#define WIDTH_FOR_PLACE 70

/* A function in all ranks, or in the threads that ran it. */
struct imbalance_row {
    const struct pinsight_attribution_function *function;
    uint64_t number; /* number of ranks, or of threads */
    uint64_t min_ns, sum_ns, max_ns;
    int64_t rank;                         /* rank with the maximum; -1 without ranks */
    const struct pinsight_thread *thread; /* thread with the maximum; NULL with ranks */
};

/* Numbers of ranks, in their order. */
struct rank_list {
    int64_t *ranks;
    size_t count;
};

static int64_t rank_of(const struct pinsight_process *process) {
    return process->selected && pinsight_process_is_there(process) ? view_process_rank(process)
                                                                   : -1;
}

ORDER(by_number, int64_t, BY(*a, *b))

static struct rank_list ranks_of(const struct pinsight_report *report) {
    const struct pinsight_model *model = report->model;
    struct rank_list list = {pinsight_calloc(model->process_count + 1, sizeof(*list.ranks)), 0};
    size_t count = 0;

    for (size_t i = 0; i < model->process_count; i++)
        if (rank_of(model->processes[i]) >= 0)
            list.ranks[count++] = rank_of(model->processes[i]);
    PINSIGHT_SORT(list.ranks, count, by_number);
    for (size_t i = 0; i < count; i++)
        if (!i || list.ranks[i] != list.ranks[i - 1])
            list.ranks[list.count++] = list.ranks[i];
    return list;
}

static bool has_ranks(const void *report) {
    struct rank_list list = ranks_of(report);

    free(list.ranks);
    return list.count > 1;
}

static bool has_no_ranks(const void *report) {
    return !has_ranks(report);
}

/* Adds the time of one rank or thread. */
static void add(struct imbalance_row *row, uint64_t ns, int64_t rank,
                const struct pinsight_thread *thread) {
    if (!row->number || ns > row->max_ns) {
        row->rank = rank;
        row->thread = thread;
    }
    pinsight_extremes_add(&row->min_ns, &row->max_ns, !row->number, ns, ns);
    row->sum_ns += ns;
    row->number++;
}

static size_t index_of(const struct rank_list *list, int64_t rank) {
    size_t at = 0;

    while (at < list->count && list->ranks[at] < rank)
        at++;
    return at;
}

/* Fills in a row from the shares of one function, by rank. A rank that never ran it counts, too. */
static void over_ranks(const struct rank_list *list, const size_t *index,
                       const struct pinsight_attribution_share *shares, size_t count,
                       uint64_t *times, struct imbalance_row *row) {
    memset(times, 0, list->count * sizeof(*times));
    for (size_t i = 0; i < count; i++)
        if (index[shares[i].process->index] < list->count)
            times[index[shares[i].process->index]] += shares[i].running_ns;
    for (size_t i = 0; i < list->count; i++)
        add(row, times[i], list->ranks[i], NULL);
}

/* Fills in a row from the shares of one function, by thread. */
static void over_threads(const struct pinsight_attribution_share *shares, size_t count,
                         struct imbalance_row *row) {
    for (size_t i = 0; i < count;) {
        const struct pinsight_thread *thread = shares[i].thread;
        uint64_t ns = 0;

        for (; i < count && shares[i].thread == thread; i++)
            ns += shares[i].running_ns;
        if (thread)
            add(row, ns, -1, thread);
    }
}

static uint32_t thread_key(const struct pinsight_thread *thread) {
    return thread ? thread->tid : 0;
}

ORDER(by_function, struct pinsight_attribution_share,
      BY(a->function, b->function) ?: BY(a->process->index, b->process->index)
        ?: BY(thread_key(a->thread), thread_key(b->thread))
        ?: BY((uintptr_t)a->thread, (uintptr_t)b->thread))

static uint64_t imbalance_of(const struct imbalance_row *row) {
    return row->max_ns * row->number - row->sum_ns;
}

ORDER(by_imbalance, struct imbalance_row,
      BY(imbalance_of(b), imbalance_of(a)) ?: BY(b->sum_ns, a->sum_ns)
        ?: BY(a->function, b->function))

static struct pinsight_rows make(const void *of_report) {
    const struct pinsight_report *report = of_report;
    const struct pinsight_attribution_view *view = report->attribution;
    const size_t processes = report->model->process_count;
    struct rank_list list = ranks_of(report);
    struct imbalance_row *rows = pinsight_calloc(view->share_count + 1, sizeof(*rows));
    struct pinsight_attribution_share *shares =
        pinsight_calloc(view->share_count + 1, sizeof(*shares));
    uint64_t *times = pinsight_calloc(list.count + 1, sizeof(*times));
    size_t *index = pinsight_calloc(processes + 1, sizeof(*index));
    bool ranks = list.count > 1;
    size_t count = 0, end;

    for (size_t i = 0; i < processes; i++) {
        int64_t rank = rank_of(report->model->processes[i]);

        index[i] = rank < 0 ? list.count : index_of(&list, rank);
    }
    if (view->share_count)
        memcpy(shares, view->shares, view->share_count * sizeof(*shares));
    PINSIGHT_SORT(shares, view->share_count, by_function);
    for (size_t i = 0; i < view->share_count; i = end) {
        struct imbalance_row *row = &rows[count];

        for (end = i; end < view->share_count && shares[end].function == shares[i].function;)
            end++;
        *row = (struct imbalance_row){.function = &view->functions[shares[i].function]};
        if (ranks)
            over_ranks(&list, index, &shares[i], end - i, times, row);
        else
            over_threads(&shares[i], end - i, row);
        count += row->number > 1 && row->max_ns && row->function->name;
    }
    PINSIGHT_FREE(list.ranks, shares, times, index);
    PINSIGHT_SORT(rows, count, by_imbalance);
    return PINSIGHT_MADE_ROWS(rows, count);
}

/* Returns "rank 3", or a thread such as "Thread-2 (work)". With several processes, this is
 * "Thread-2 (work) of worker 1", or "worker 1" for a main thread. */
static struct pinsight_value who_has(const struct pinsight_report *report,
                                     const struct imbalance_row *row) {
    const struct pinsight_thread *thread = row->thread;
    const bool named = view_processes_are_named(report->model);
    char *name, *process, *all;

    if (!thread)
        return pinsight_value_owned(pinsight_format("rank %lld", (long long)row->rank));
    if (named && thread->number == 0)
        return pinsight_value_owned(view_process_name(thread->process));
    name = pinsight_text_clean(pinsight_report_string(report, thread->name));
    if (!name[0]) {
        free(name);
        name = thread->number < 0 ? pinsight_format("tid %u", thread->tid)
                                  : pinsight_format("thread %lld", (long long)thread->number);
    }
    if (!named)
        return pinsight_value_owned(name);
    process = view_process_name(thread->process);
    all = pinsight_format("%s of %s", name, process);
    PINSIGHT_FREE(name, process);
    return pinsight_value_owned(all);
}

VALUE(imbalance, struct imbalance_row, pinsight_value_number(imbalance_of(row)))
VALUE(mean, struct imbalance_row, pinsight_value_number(row->sum_ns / row->number))
VALUE(who, struct imbalance_row, who_has(report, row))
VALUE(name, struct imbalance_row, pinsight_value_text(row->function->name))
VALUE(file, struct imbalance_row, pinsight_value_text(row->function->file))
VALUE(line, struct imbalance_row, pinsight_value_signed(row->function->line))
VALUE(place, struct imbalance_row,
      pinsight_value_owned(pinsight_text_place(row->function->file, row->function->line)))
VALUE(over, struct imbalance_row, pinsight_value_text(row->thread ? "threads" : "ranks"))
VALUE(max_rank, struct imbalance_row,
      row->thread ? pinsight_value_none() : pinsight_value_signed(row->rank))
VALUE(pid, struct imbalance_row,
      row->thread ? pinsight_value_signed(row->thread->process->pid) : pinsight_value_none())
VALUE(max_thread, struct imbalance_row,
      row->thread ? pinsight_value_signed(row->thread->number) : pinsight_value_none())
VALUE(max_tid, struct imbalance_row,
      row->thread && row->thread->tid ? pinsight_value_number(row->thread->tid)
                                      : pinsight_value_none())

#define R(member) MEMBER(struct imbalance_row, member)
static const struct pinsight_column columns[] = {
    GETTER("imbalance_ns", "imbalance", NS, imbalance, .style = PINSIGHT_BOLD),
    COLUMN("max_ns", "max", NS, R(max_ns)),
    GETTER("who", "in", TEXT, who, .align = PINSIGHT_FLEXIBLE),
    GETTER("mean_ns", "mean", NS, mean),
    COLUMN("min_ns", "min", NS, R(min_ns)),
    GETTER("over", NULL, WORD, over),
    COLUMN("number", NULL, COUNT, R(number), .only = PINSIGHT_FORM_JSON | PINSIGHT_FORM_CSV),
    COLUMN("number", "ranks", COUNT, R(number), .only = PINSIGHT_FORM_SCREEN, .shown = has_ranks,
           .width = WIDTH_FOR_NUMBER),
    COLUMN("threads", "threads", COUNT, R(number), .shown = has_no_ranks,
           .width = WIDTH_FOR_NUMBER),
    GETTER("max_rank", NULL, SIGNED, max_rank),
    GETTER("max_pid", NULL, SIGNED, pid),
    GETTER("max_python_thread_id", NULL, SIGNED, max_thread),
    GETTER("max_tid", NULL, ID, max_tid),
    GETTER("name", "function", TEXT, name, NAMES_IN(PYTHON)),
    GETTER("file", NULL, TEXT, file),
    GETTER("line", NULL, SIGNED, line),
    GETTER("place", "where", TEXT, place, .width = WIDTH_FOR_PLACE, NAMES_IN(DIM)),
};

static const struct pinsight_table table = {
    PINSIGHT_TITLED("Imbalance", "running time, by (max - mean) × number", "imbalance", columns),
    .make = make,
    .screen = "imbalance_ns max_ns who mean_ns min_ns number threads name place",
    .files = "name file line over number min_ns mean_ns max_ns imbalance_ns max_rank max_pid "
             "max_python_thread_id max_tid",
};

static bool has_any(const struct pinsight_report *report) {
    struct pinsight_rows rows = make(report);

    pinsight_rows_free(rows);
    return rows.count != 0;
}

static const char *none(const struct pinsight_report *report) {
    if (report->only_counted)
        return "Calls were counted, for all ranks and threads together: record in TRACING to "
               "compare them.";
    return has_ranks(report)
               ? "No function of Python's was recorded in these ranks."
               : "There are no ranks to compare, and no function ran in more than one "
                 "thread.";
}

const struct pinsight_section pinsight_section_of_imbalance = {
    PINSIGHT_SECTION("imbalance", "Imbalance", 10, has_any, none),
    .about = "functions with unequal times in ranks, or in threads if there are no ranks, in\n"
             "place of the tables",
    .example = "functions with unequal times",
    .table = &table,
};
