/* Finds a rank, or a worker of a pool, that computes for longer than the others, which wait for it.
 * The insight names the function with the largest difference. */
#include "base/memory.h"
#include "base/units.h"
#include "views/domain.h"
#include "views/insights/insights.h"
#include "views/insights/rank_times.h"
#include "views/process_name.h"
#include "views/report/attribution.h"

#include <stdlib.h>

/* See docs/insights.md. */
#define LEAST_EXCESS 0.2 /* of the rank's own running time */
#define LEAST_SHARE 0.05 /* of all time, which the others may wait */
/* Further excess of a counted rank that had no processor: its running time is an estimate then. */
#define ESTIMATED_EXCESS 0.4
/* Thresholds for workers. The starter of workers waits for the last one, for a share of its own
 * time without imports. */
#define WORKERS_LEAST_EXCESS 0.33
#define FUNCTION_LEAST_EXCESS 0.5 /* in the function that is named */
#define WAITED_SHARE 0.5          /* of the excess, for which the others wait */
#define WORKERS_LEAST_SHARE 0.1
#define WORKERS_LEAST_NS 50000000
/* A straggler is one call of several, which takes this many times as long as the mean of the
 * others. */
#define STRAGGLER_LEAST_CALLS 4
#define STRAGGLER_TIMES 5.0
/* The share of the workers that must have run the function, too. Else it is a separate task. */
#define WORKERS_PART 0.5

/* Returns a range such as "s 203 ms to 208 ms", of all but one. The caller frees it. */
static char *others_of(const struct pinsight_ranks *ranks, size_t rank) {
    uint64_t least = UINT64_MAX, most = 0;

    for (size_t i = 0; i < ranks->count; i++) {
        if (i == rank)
            continue;
        least = pinsight_least(least, ranks->ns[i]);
        most = ranks->ns[i] > most ? ranks->ns[i] : most;
    }
    if (ranks->count == 2)
        return pinsight_format(" %s", pinsight_units_time(least).text);
    if (least == most)
        return pinsight_format("s %s each", pinsight_units_time(least).text);
    return pinsight_format("s %s to %s", pinsight_units_time(least).text,
                           pinsight_units_time(most).text);
}

static void add_insight(const struct pinsight_report *report, struct pinsight_insights *insights,
                        const struct pinsight_ranks *ranks, size_t rank, uint32_t function,
                        struct pinsight_insight insight) {
    const struct pinsight_attribution_function *row = &report->attribution->functions[function];
    char *place = pinsight_insights_place(row->file, row->line), *others = others_of(ranks, rank);
    char *name = view_process_name(ranks->processes[rank]);

    insight.file = row->file;
    insight.line = row->line;
    /* Counted time of a function has its waiting, and has none of the time without a processor. */
    pinsight_insights_add(insights, insight, "%s %s %s in %s %s, the other%s", name,
                          report->only_counted ? "spends about" : "computes",
                          pinsight_units_time(ranks->ns[rank]).text, row->name ? row->name : "?",
                          place, others);
    PINSIGHT_FREE(place, others, name);
}

/* Returns the excess of the longest rank, as pinsight_ranks_excess() does. For counted times, the
 * excess is 0 if another rank may have run longer. */
static uint64_t excess_of_ranks(const struct pinsight_report *report, struct pinsight_ranks *ranks,
                                size_t *which) {
    size_t surely;
    uint64_t more;

    if (!report->only_counted) {
        pinsight_ranks_in(report, PINSIGHT_NONE, ranks);
        return pinsight_ranks_excess(ranks, which);
    }
    pinsight_ranks_read_clocks(report, ranks);
    surely = pinsight_ranks_outside_mpi(report, ranks);
    more = pinsight_ranks_excess(ranks, which);
    return *which == surely ? more : 0;
}

static void look_at_ranks(const struct pinsight_report *report, struct pinsight_insights *insights,
                          struct pinsight_ranks *ranks) {
    size_t rank;
    uint64_t more = excess_of_ranks(report, ranks, &rank);
    const double lack = report->only_counted ? 1 - ranks->rates[rank] : 0;
    const double whole = (double)pinsight_insights_whole(report) *
                         (report->only_counted ? pinsight_ranks_rate(ranks) : 1);
    /* All others may wait for this rank. */
    const double waited = (double)more * (double)(ranks->count - 1);
    uint32_t culprit;

    if (!more || waited < LEAST_SHARE * whole ||
        (double)more < (LEAST_EXCESS + lack * ESTIMATED_EXCESS) * (double)ranks->ns[rank])
        return;
    culprit = pinsight_ranks_culprit(report, ranks, rank);
    if (culprit == PINSIGHT_NONE)
        return;
    more = pinsight_ranks_excess(ranks, &rank);
    add_insight(report, insights, ranks, rank, culprit,
                (struct pinsight_insight){.rule = "slow_rank",
                                          .ns = more * (ranks->count - 1),
                                          .of_ns = report->only_counted ? (uint64_t)whole : 0,
                                          .option = "mpi"});
}

/* Returns whether most of them ran the function. */
static bool most_ran(const struct pinsight_ranks *ranks) {
    size_t ran = 0;

    for (size_t i = 0; i < ranks->count; i++)
        ran += ranks->ns[i] > 0;
    return ran > 1 && (double)ran >= WORKERS_PART * (double)ranks->count;
}

/* Returns the time of a pool's parent without imports, and without the time for which the workers
 * had no processor. */
static uint64_t wall_of(const struct pinsight_report *report, const struct pinsight_ranks *ranks,
                        const struct pinsight_process *parent) {
    const uint64_t wall = pinsight_time_rest(
        parent->last_ns, parent->first_ns + report->attribution->imports_ns[parent->index]);

    return (uint64_t)((double)wall * pinsight_ranks_rate(ranks));
}

static bool is_excess(uint64_t more, uint64_t wall) {
    return more >= WORKERS_LEAST_NS && (double)more >= WORKERS_LEAST_SHARE * (double)wall;
}

/* Returns whether one call of a function took far longer than all others. */
static bool has_straggler(const struct pinsight_attribution_function *row) {
    return row->users && row->calls >= STRAGGLER_LEAST_CALLS && row->has_max && !row->is_resumed &&
           row->sum_ns / 100 * 99 <= row->total_ns &&
           (double)row->max_ns * (double)(row->calls - 1) >=
               STRAGGLER_TIMES * (double)pinsight_time_rest(row->sum_ns, row->max_ns);
}

/* Returns the function with such a call in which one worker's calls took longest for their number.
 * Sets the times in that function, *rank to the worker, and *more to that excess. Returns
 * PINSIGHT_NONE if there is none. */
static uint32_t straggler_of(const struct pinsight_report *report, struct pinsight_ranks *ranks,
                             size_t *rank, uint64_t *more) {
    const struct pinsight_attribution_view *view = report->attribution;
    uint32_t straggler = PINSIGHT_NONE;

    *more = 0;
    for (size_t f = 0; f < view->function_count; f++) {
        uint64_t ns;

        if (!has_straggler(&view->functions[f]))
            continue;
        pinsight_ranks_in(report, (uint32_t)f, ranks);
        pinsight_ranks_excess(ranks, rank);
        ns = pinsight_ranks_excess_by_call(ranks, *rank);
        if (ns > *more) {
            *more = ns;
            straggler = (uint32_t)f;
        }
    }
    if (straggler != PINSIGHT_NONE) {
        pinsight_ranks_in(report, straggler, ranks);
        pinsight_ranks_excess(ranks, rank);
    }
    return straggler;
}

/* Adds an insight about a straggler, if there is one. Other workers may be busy as long as it runs,
 * and the clock of a worker that a signal ended may lack its last part. A straggler is known by its
 * single call, then. */
static void look_for_straggler(const struct pinsight_report *report,
                               struct pinsight_insights *insights, struct pinsight_ranks *ranks,
                               uint64_t wall) {
    size_t rank;
    uint64_t more, others_ns;
    const uint32_t straggler = straggler_of(report, ranks, &rank, &more);
    const struct pinsight_attribution_function *row;
    char *place;

    if (straggler == PINSIGHT_NONE || !most_ran(ranks) || !is_excess(more, wall) ||
        (double)more < FUNCTION_LEAST_EXCESS * (double)ranks->ns[rank])
        return;
    row = &report->attribution->functions[straggler];
    others_ns = pinsight_time_rest(row->sum_ns, row->max_ns) / (row->calls - 1);
    place = pinsight_insights_place(row->file, row->line);
    pinsight_insights_add(insights,
                          (struct pinsight_insight){.rule = "slow_task",
                                                    .file = row->file,
                                                    .line = row->line,
                                                    .ns = more,
                                                    .of_ns = wall,
                                                    .within_ns = others_ns,
                                                    .option = "by thread"},
                          "one of %s calls of %s %s in workers took %s, the others %s each",
                          pinsight_units_count(row->calls).text, row->name ? row->name : "?", place,
                          pinsight_units_time(row->max_ns).text,
                          pinsight_units_time(others_ns).text);
    free(place);
}

/* Returns whether others may have waited for a worker. A pool gives more tasks to a worker that has
 * a processor: it runs longer for its number of calls, and no other one waits. */
static bool is_waited_for(const struct pinsight_ranks *ranks, size_t rank, uint64_t more) {
    return (double)pinsight_ranks_excess_by_call(ranks, rank) >=
               FUNCTION_LEAST_EXCESS * (double)ranks->ns[rank] ||
           (double)pinsight_ranks_waits_of_others(ranks, rank) >= WAITED_SHARE * (double)more;
}

/* Adds an insight about a worker in a function, if its excess there is large enough. Returns
 * whether it is. */
static bool add_worker(const struct pinsight_report *report, struct pinsight_insights *insights,
                       const struct pinsight_ranks *ranks, size_t rank, uint32_t culprit,
                       uint64_t wall) {
    size_t longest;
    const uint64_t more = culprit == PINSIGHT_NONE ? 0 : pinsight_ranks_excess(ranks, &longest);

    if (!more || !most_ran(ranks) || !is_excess(more, wall) ||
        (double)more < FUNCTION_LEAST_EXCESS * (double)ranks->ns[rank] ||
        !is_waited_for(ranks, rank, more))
        return false;
    add_insight(report, insights, ranks, rank, culprit,
                (struct pinsight_insight){
                    .rule = "slow_worker", .ns = more, .of_ns = wall, .option = "by thread"});
    return true;
}

static void look_at_workers(const struct pinsight_report *report,
                            struct pinsight_insights *insights, struct pinsight_ranks *ranks,
                            const struct pinsight_process *parent) {
    size_t rank;
    uint64_t more, wall;

    pinsight_ranks_read_clocks(report, ranks);
    if (report->only_counted)
        pinsight_ranks_by_clock(report, ranks);
    else
        pinsight_ranks_in(report, PINSIGHT_NONE, ranks);
    more = pinsight_ranks_excess(ranks, &rank);
    wall = wall_of(report, ranks, parent);
    if (!is_excess(more, wall) || (double)more < WORKERS_LEAST_EXCESS * (double)ranks->ns[rank] ||
        !add_worker(report, insights, ranks, rank, pinsight_ranks_culprit(report, ranks, rank),
                    wall))
        look_for_straggler(report, insights, ranks, wall);
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
    struct pinsight_ranks ranks = pinsight_ranks_start(count);
    struct workers workers = workers_of(model);

    for (size_t i = 0; i < count; i++)
        if (model->processes[i]->selected && view_process_rank(model->processes[i]) >= 0)
            pinsight_ranks_add(&ranks, model->processes[i]);
    if (ranks.count > 1)
        look_at_ranks(report, insights, &ranks);
    for (size_t p = 0; p < count; p++) {
        if (workers.first[p] == SIZE_MAX)
            continue;
        pinsight_ranks_forget(&ranks);
        for (size_t i = workers.first[p]; i != SIZE_MAX; i = workers.next[i])
            pinsight_ranks_add(&ranks, model->processes[i]);
        if (ranks.count > 1)
            look_at_workers(report, insights, &ranks, model->processes[p]);
    }
    pinsight_ranks_free(&ranks);
    PINSIGHT_FREE(workers.first, workers.next);
}
