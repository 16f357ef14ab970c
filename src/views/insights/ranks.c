/* Finds a rank, or a worker of a pool, that computes for longer than the others, which wait for it.
 * The insight names the function with the largest difference. Running times are compared, because
 * on a busy machine wall time depends on other programs. */
#include "base/memory.h"
#include "base/units.h"
#include "views/domain.h"
#include "views/insights/insights.h"
#include "views/process_name.h"
#include "views/report/attribution.h"

#include <stdlib.h>

/* See docs/insights.md. */
#define LEAST_EXCESS 0.2 /* of the rank's own running time */
#define LEAST_SHARE 0.05 /* of all time, which the others may wait */
/* Thresholds for workers. The starter of workers waits for the last one, for a share of its own
 * time without imports. */
#define WORKERS_LEAST_EXCESS 0.5
#define WORKERS_LEAST_SHARE 0.1
#define WORKERS_LEAST_NS 50000000
/* The share of the workers that must have run the function, too. Else it is a separate task. */
#define WORKERS_PART 0.5

/* Running times in ns of ranks or workers, in one function or in all. */
struct ranks {
    uint64_t *ns;
    size_t count;
    const struct pinsight_process **processes;
    size_t *rank_of; /* index, by a process's index, or SIZE_MAX */
};

/* Returns how much longer than the mean of the others the longest one ran. Sets *which to its
 * index. */
static uint64_t excess(const struct ranks *ranks, size_t *which) {
    uint64_t all = 0, others;

    *which = 0;
    for (size_t i = 0; i < ranks->count; i++) {
        all += ranks->ns[i];
        if (ranks->ns[i] > ranks->ns[*which])
            *which = i;
    }
    others = (all - ranks->ns[*which]) / (ranks->count - 1);
    return ranks->ns[*which] - others;
}

static void add_function(const struct pinsight_report *report, uint32_t function,
                         struct ranks *ranks) {
    const struct pinsight_attribution_view *view = report->attribution;

    for (size_t i = 0; i < ranks->count; i++)
        ranks->ns[i] = 0;
    for (size_t i = 0; i < view->part_count; i++) {
        size_t rank = ranks->rank_of[view->parts[i].process->index];

        if (rank != SIZE_MAX && (function == PINSIGHT_NONE || view->parts[i].function == function))
            ranks->ns[rank] += view->parts[i].running_ns;
    }
}

/* Returns a range such as "203 ms to 208 ms", of all but one. The caller frees it. */
static char *others_of(const struct ranks *ranks, size_t rank) {
    uint64_t least = UINT64_MAX, most = 0;

    for (size_t i = 0; i < ranks->count; i++) {
        if (i == rank)
            continue;
        least = pinsight_least(least, ranks->ns[i]);
        most = ranks->ns[i] > most ? ranks->ns[i] : most;
    }
    if (ranks->count == 2)
        return pinsight_format(" %s", pinsight_units_time(least).text);
    return pinsight_format("s %s to %s", pinsight_units_time(least).text,
                           pinsight_units_time(most).text);
}

static void add_insight(const struct pinsight_report *report, struct pinsight_insights *insights,
                        const struct ranks *ranks, size_t rank, uint32_t function,
                        struct pinsight_insight insight) {
    const struct pinsight_attribution_function *row = &report->attribution->functions[function];
    char *place = pinsight_insights_place(row->file, row->line), *others = others_of(ranks, rank);
    char *name = view_process_name(ranks->processes[rank]);

    insight.file = row->file;
    insight.line = row->line;
    /* Counted time of a function has its waiting. */
    pinsight_insights_add(insights, insight, "%s %s %s in %s %s, the other%s", name,
                          report->only_counted ? "spends" : "computes",
                          pinsight_units_time(ranks->ns[rank]).text, row->name ? row->name : "?",
                          place, others);
    PINSIGHT_FREE(place, others, name);
}

/* Returns the function with the largest excess of a rank over the others, or PINSIGHT_NONE. */
static uint32_t culprit_of(const struct pinsight_report *report, struct ranks *ranks, size_t rank) {
    uint64_t largest = 0;
    uint32_t culprit = PINSIGHT_NONE;

    for (size_t f = 0; f < report->attribution->function_count; f++) {
        size_t which;
        uint64_t more;

        if (!report->attribution->functions[f].users)
            continue;
        add_function(report, (uint32_t)f, ranks);
        more = excess(ranks, &which);
        if (which == rank && more > largest) {
            largest = more;
            culprit = (uint32_t)f;
        }
    }
    return culprit;
}

/* Adds the counted times of ranks outside MPI and imports. MONITORING knows how long a thread
 * waited or had no processor, but not in which calls. If `surely` is set, the times leave out all
 * of this. */
static void add_counted(const struct pinsight_report *report, bool surely, struct ranks *ranks) {
    const struct pinsight_attribution_view *view = report->attribution;

    for (size_t i = 0; i < ranks->count; i++)
        ranks->ns[i] = 0;
    for (size_t t = 0; t < view->thread_count; t++) {
        const struct pinsight_attribution_thread *thread = &view->threads[t];
        const struct pinsight_process *process = thread->thread->process;
        const struct pinsight_thread_clock *clock = &thread->thread->clock;
        size_t rank = ranks->rank_of[process->index];
        uint64_t other = thread->counted_native_ns[PINSIGHT_ATTRIBUTION_MPI];

        if (rank == SIZE_MAX || thread->idle)
            continue;
        other += thread->thread->number == 0 ? view->imports_ns[process->index] : 0;
        other += surely ? clock->waiting_ns + clock->ready_ns : 0;
        ranks->ns[rank] += pinsight_time_rest(thread->python_ns + thread->c_ns, other);
    }
}

/* Returns the excess of the longest rank, as excess() does. For counted times, returns the excess
 * that is sure. */
static uint64_t excess_of_ranks(const struct pinsight_report *report, struct ranks *ranks,
                                size_t *which) {
    uint64_t most, others = 0;
    size_t surely;

    if (!report->only_counted) {
        add_function(report, PINSIGHT_NONE, ranks);
        return excess(ranks, which);
    }
    add_counted(report, true, ranks);
    excess(ranks, &surely);
    most = ranks->ns[ *which = surely];
    add_counted(report, false, ranks);
    for (size_t i = 0; i < ranks->count; i++)
        others += i == surely ? 0 : ranks->ns[i];
    ranks->ns[surely] = most;
    return pinsight_time_rest(most, others / (ranks->count - 1));
}

static void look_at_ranks(const struct pinsight_report *report, struct pinsight_insights *insights,
                          struct ranks *ranks) {
    size_t rank;
    uint64_t more = excess_of_ranks(report, ranks, &rank);
    /* All others may wait for this rank. */
    const double waited = (double)more * (double)(ranks->count - 1);
    uint32_t culprit;

    if (!more || waited < LEAST_SHARE * (double)pinsight_insights_whole(report) ||
        (double)more < LEAST_EXCESS * (double)ranks->ns[rank])
        return;
    culprit = culprit_of(report, ranks, rank);
    if (culprit == PINSIGHT_NONE)
        return;
    add_function(report, culprit, ranks);
    more = excess(ranks, &rank);
    add_insight(report, insights, ranks, rank, culprit,
                (struct pinsight_insight){
                    .rule = "slow_rank", .ns = more * (ranks->count - 1), .option = "mpi"});
}

/* Returns whether most of them ran the function. */
static bool most_ran(const struct ranks *ranks) {
    size_t ran = 0;

    for (size_t i = 0; i < ranks->count; i++)
        ran += ranks->ns[i] > 0;
    return ran > 1 && (double)ran >= WORKERS_PART * (double)ranks->count;
}

static void look_at_workers(const struct pinsight_report *report,
                            struct pinsight_insights *insights, struct ranks *ranks,
                            const struct pinsight_process *parent) {
    size_t rank;
    uint64_t more = excess(ranks, &rank);
    const uint64_t wall = pinsight_time_rest(
        parent->last_ns, parent->first_ns + report->attribution->imports_ns[parent->index]);
    uint32_t culprit;

    if (more < WORKERS_LEAST_NS || (double)more < WORKERS_LEAST_SHARE * (double)wall ||
        (double)more < WORKERS_LEAST_EXCESS * (double)ranks->ns[rank])
        return;
    culprit = culprit_of(report, ranks, rank);
    if (culprit == PINSIGHT_NONE)
        return;
    add_function(report, culprit, ranks);
    more = excess(ranks, &rank);
    if (most_ran(ranks))
        add_insight(report, insights, ranks, rank, culprit,
                    (struct pinsight_insight){
                        .rule = "slow_worker", .ns = more, .of_ns = wall, .option = "by thread"});
}

static void add_process(struct ranks *ranks, const struct pinsight_process *process) {
    ranks->rank_of[process->index] = ranks->count;
    ranks->processes[ranks->count++] = process;
}

static void forget_processes(struct ranks *ranks) {
    for (size_t i = 0; i < ranks->count; i++)
        ranks->rank_of[ranks->processes[i]->index] = SIZE_MAX;
    ranks->count = 0;
}

/* The workers of each process as lists, by indices of processes; SIZE_MAX ends a list. */
struct workers {
    size_t *first, *next;
};

/* Lists workers in the order of the processes. Each one is looked at once, because a job can have
 * 10,000 processes. */
static struct workers workers_of(const struct pinsight_model *model) {
    const size_t count = model->process_count;
    struct workers workers = {.first = pinsight_calloc(count + 1, sizeof(*workers.first)),
                              .next = pinsight_calloc(count + 1, sizeof(*workers.next))};

    for (size_t i = 0; i < count; i++)
        workers.first[i] = SIZE_MAX;
    for (size_t i = count; i-- > 0;) {
        const struct pinsight_process *of =
            model->processes[i]->selected ? view_process_works_for(model->processes[i]) : NULL;

        if (of) {
            workers.next[i] = workers.first[of->index];
            workers.first[of->index] = i;
        }
    }
    return workers;
}

void pinsight_rule_ranks(const struct pinsight_report *report, struct pinsight_insights *insights) {
    const struct pinsight_model *model = report->model;
    const size_t count = model->process_count;
    struct ranks ranks = {.ns = pinsight_calloc(count + 1, sizeof(*ranks.ns)),
                          .processes = pinsight_calloc(count + 1, sizeof(*ranks.processes)),
                          .rank_of = pinsight_calloc(count + 1, sizeof(*ranks.rank_of))};
    struct workers workers = workers_of(model);

    for (size_t i = 0; i < count; i++)
        ranks.rank_of[i] = SIZE_MAX;
    for (size_t i = 0; i < count; i++)
        if (model->processes[i]->selected && view_process_rank(model->processes[i]) >= 0)
            add_process(&ranks, model->processes[i]);
    if (ranks.count > 1)
        look_at_ranks(report, insights, &ranks);
    /* Workers wait for tasks, which MONITORING does not record. */
    for (size_t p = 0; p < count && !report->only_counted; p++) {
        if (workers.first[p] == SIZE_MAX)
            continue;
        forget_processes(&ranks);
        for (size_t i = workers.first[p]; i != SIZE_MAX; i = workers.next[i])
            add_process(&ranks, model->processes[i]);
        if (ranks.count < 2)
            continue;
        add_function(report, PINSIGHT_NONE, &ranks);
        look_at_workers(report, insights, &ranks, model->processes[p]);
    }
    PINSIGHT_FREE(ranks.ns, ranks.processes, ranks.rank_of, workers.first, workers.next);
}
