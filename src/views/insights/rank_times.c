/* Running times of ranks and workers; see rank_times.h. */
#include "views/insights/rank_times.h"

#include "base/memory.h"

#include <string.h>

struct pinsight_ranks pinsight_ranks_start(size_t count) {
    const size_t room = count + 1;
    struct pinsight_ranks ranks = {0};

    ranks.ns = pinsight_calloc(room, sizeof(*ranks.ns));
    ranks.processes = pinsight_calloc(room, sizeof(*ranks.processes));
    ranks.rank_of = pinsight_calloc(room, sizeof(*ranks.rank_of));
    ranks.rates = pinsight_calloc(room, sizeof(*ranks.rates));
    ranks.wanted_ns = pinsight_calloc(room, sizeof(*ranks.wanted_ns));
    ranks.ran_ns = pinsight_calloc(room, sizeof(*ranks.ran_ns));
    ranks.waited_ns = pinsight_calloc(room, sizeof(*ranks.waited_ns));
    ranks.took_ns = pinsight_calloc(room, sizeof(*ranks.took_ns));
    ranks.unwaited_ns = pinsight_calloc(room, sizeof(*ranks.unwaited_ns));
    ranks.calls = pinsight_calloc(room, sizeof(*ranks.calls));
    for (size_t i = 0; i < count; i++)
        ranks.rank_of[i] = SIZE_MAX;
    return ranks;
}

void pinsight_ranks_free(struct pinsight_ranks *ranks) {
    PINSIGHT_FREE(ranks->ns, ranks->processes, ranks->rank_of, ranks->rates, ranks->wanted_ns,
                  ranks->ran_ns, ranks->waited_ns, ranks->took_ns, ranks->unwaited_ns,
                  ranks->calls);
}

void pinsight_ranks_add(struct pinsight_ranks *ranks, const struct pinsight_process *process) {
    ranks->rank_of[process->index] = ranks->count;
    ranks->rates[ranks->count] = 1;
    ranks->processes[ranks->count++] = process;
}

void pinsight_ranks_forget(struct pinsight_ranks *ranks) {
    for (size_t i = 0; i < ranks->count; i++)
        ranks->rank_of[ranks->processes[i]->index] = SIZE_MAX;
    ranks->count = 0;
}

static double rate_of(uint64_t ran_ns, uint64_t wanted_ns) {
    return wanted_ns ? (double)ran_ns / (double)wanted_ns : 1;
}

static uint64_t part_of(uint64_t ns, double rate) {
    return (uint64_t)((double)ns * rate);
}

double pinsight_ranks_rate(const struct pinsight_ranks *ranks) {
    uint64_t wanted_ns = 0, ran_ns = 0;

    for (size_t i = 0; i < ranks->count; i++) {
        wanted_ns += ranks->wanted_ns[i];
        ran_ns += ranks->ran_ns[i];
    }
    return rate_of(ran_ns, wanted_ns);
}

/* Returns whether the clocks of a rank cover half of its time. A process that a signal ends may
 * have read its clocks long before. */
static bool has_clocks(const struct pinsight_ranks *ranks, size_t rank) {
    return 2 * (ranks->wanted_ns[rank] + ranks->waited_ns[rank]) >= ranks->took_ns[rank];
}

/* Estimates the times of a rank without clocks, by the rate of the others. */
static void estimate(const struct pinsight_ranks *ranks, size_t rank, double rate) {
    ranks->rates[rank] = rate;
    ranks->wanted_ns[rank] = ranks->unwaited_ns[rank];
    ranks->ran_ns[rank] = part_of(ranks->unwaited_ns[rank], rate);
    ranks->waited_ns[rank] = ranks->took_ns[rank] - ranks->unwaited_ns[rank];
}

static void read_clock(const struct pinsight_attribution_thread *thread,
                       const struct pinsight_ranks *ranks, size_t rank) {
    const struct pinsight_thread_clock *clock = &thread->thread->clock;
    const uint64_t wanted_ns = pinsight_thread_clock_wanted_ns(clock);
    const uint64_t took_ns = thread->python_ns + thread->c_ns;

    ranks->wanted_ns[rank] += wanted_ns;
    ranks->ran_ns[rank] += pinsight_time_rest(wanted_ns, clock->ready_ns);
    ranks->waited_ns[rank] += clock->waiting_ns;
    ranks->took_ns[rank] += took_ns;
    ranks->unwaited_ns[rank] +=
        pinsight_time_rest(took_ns, pinsight_attribution_away_ns(&thread->away));
}

void pinsight_ranks_read_clocks(const struct pinsight_report *report,
                                struct pinsight_ranks *ranks) {
    const struct pinsight_attribution_view *view = report->attribution;
    uint64_t wanted_ns = 0, ran_ns = 0;
    double rate;

    for (size_t i = 0; i < ranks->count; i++)
        ranks->wanted_ns[i] = ranks->ran_ns[i] = ranks->waited_ns[i] = ranks->took_ns[i] =
            ranks->unwaited_ns[i] = 0;
    for (size_t t = 0; t < view->thread_count; t++) {
        const size_t rank = ranks->rank_of[view->threads[t].thread->process->index];

        if (rank != SIZE_MAX && !view->threads[t].idle)
            read_clock(&view->threads[t], ranks, rank);
    }
    for (size_t i = 0; i < ranks->count; i++) {
        wanted_ns += has_clocks(ranks, i) ? ranks->wanted_ns[i] : 0;
        ran_ns += has_clocks(ranks, i) ? ranks->ran_ns[i] : 0;
    }
    rate = rate_of(ran_ns, wanted_ns);
    for (size_t i = 0; i < ranks->count; i++)
        if (has_clocks(ranks, i))
            ranks->rates[i] = rate_of(ranks->ran_ns[i], ranks->wanted_ns[i]);
        else if (report->only_counted)
            estimate(ranks, i, rate);
}

void pinsight_ranks_in(const struct pinsight_report *report, uint32_t function,
                       struct pinsight_ranks *ranks) {
    const struct pinsight_attribution_view *view = report->attribution;

    for (size_t i = 0; i < ranks->count; i++)
        ranks->ns[i] = ranks->calls[i] = 0;
    for (size_t i = 0; i < view->part_count; i++) {
        const size_t rank = ranks->rank_of[view->parts[i].process->index];

        if (rank == SIZE_MAX || (function != PINSIGHT_NONE && view->parts[i].function != function))
            continue;
        ranks->ns[rank] += view->parts[i].running_ns;
        ranks->calls[rank] += view->parts[i].calls;
    }
    for (size_t i = 0; report->only_counted && i < ranks->count; i++)
        ranks->ns[i] = part_of(ranks->ns[i], ranks->rates[i]);
}

void pinsight_ranks_by_clock(const struct pinsight_report *report, struct pinsight_ranks *ranks) {
    for (size_t i = 0; i < ranks->count; i++)
        ranks->ns[i] = pinsight_time_rest(
            ranks->ran_ns[i],
            part_of(report->attribution->imports_ns[ranks->processes[i]->index], ranks->rates[i]));
}

/* Sets the counted times outside MPI and imports. With `surely`, the waiting of the threads is left
 * out, too. */
static void set_counted(const struct pinsight_report *report, bool surely,
                        struct pinsight_ranks *ranks) {
    const struct pinsight_attribution_view *view = report->attribution;

    for (size_t i = 0; i < ranks->count; i++)
        ranks->ns[i] = 0;
    for (size_t t = 0; t < view->thread_count; t++) {
        const struct pinsight_attribution_thread *thread = &view->threads[t];
        const struct pinsight_process *process = thread->thread->process;
        size_t rank = ranks->rank_of[process->index];
        uint64_t other = thread->counted_native_ns[PINSIGHT_ATTRIBUTION_MPI];

        if (rank == SIZE_MAX || thread->idle)
            continue;
        other += thread->thread->number == 0 ? view->imports_ns[process->index] : 0;
        other += surely ? thread->thread->clock.waiting_ns : 0;
        ranks->ns[rank] += pinsight_time_rest(thread->python_ns + thread->c_ns, other);
    }
}

size_t pinsight_ranks_outside_mpi(const struct pinsight_report *report,
                                  struct pinsight_ranks *ranks) {
    size_t longest;
    uint64_t surely;

    set_counted(report, true, ranks);
    for (size_t i = 0; i < ranks->count; i++)
        ranks->ns[i] = part_of(ranks->ns[i], ranks->rates[i]);
    pinsight_ranks_excess(ranks, &longest);
    surely = ranks->ns[longest];
    set_counted(report, false, ranks);
    for (size_t i = 0; i < ranks->count; i++) {
        if (ranks->rates[i] < ranks->rates[longest])
            ranks->rates[i] = ranks->rates[longest];
        ranks->ns[i] = i == longest ? surely : part_of(ranks->ns[i], ranks->rates[i]);
    }
    return longest;
}

uint64_t pinsight_ranks_excess(const struct pinsight_ranks *ranks, size_t *which) {
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

uint64_t pinsight_ranks_excess_by_call(const struct pinsight_ranks *ranks, size_t rank) {
    uint64_t ns = 0, calls = 0;

    for (size_t i = 0; i < ranks->count; i++) {
        ns += i == rank ? 0 : ranks->ns[i];
        calls += i == rank ? 0 : ranks->calls[i];
    }
    return pinsight_time_rest(
        ranks->ns[rank],
        calls ? (uint64_t)((double)ns / (double)calls * (double)ranks->calls[rank]) : 0);
}

uint64_t pinsight_ranks_waits_of_others(const struct pinsight_ranks *ranks, size_t rank) {
    uint64_t ns = 0;

    for (size_t i = 0; i < ranks->count; i++)
        ns += i == rank ? 0 : ranks->waited_ns[i];
    return part_of(pinsight_time_rest(ns / (ranks->count - 1), ranks->waited_ns[rank]),
                   pinsight_ranks_rate(ranks));
}

uint32_t pinsight_ranks_culprit(const struct pinsight_report *report, struct pinsight_ranks *ranks,
                                size_t rank) {
    uint64_t largest = 0;
    uint32_t culprit = PINSIGHT_NONE;

    for (size_t f = 0; f < report->attribution->function_count; f++) {
        size_t which;
        uint64_t more;

        if (!report->attribution->functions[f].users)
            continue;
        pinsight_ranks_in(report, (uint32_t)f, ranks);
        more = pinsight_ranks_excess(ranks, &which);
        if (which == rank && more > largest) {
            largest = more;
            culprit = (uint32_t)f;
        }
    }
    if (culprit != PINSIGHT_NONE)
        pinsight_ranks_in(report, culprit, ranks);
    return culprit;
}
