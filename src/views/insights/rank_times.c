/* Running times of ranks and workers; see rank_times.h. */
#include "views/insights/rank_times.h"

#include "base/memory.h"

#include <string.h>

struct pinsight_ranks pinsight_ranks_start(size_t count) {
    struct pinsight_ranks ranks = {
        .ns = pinsight_calloc(count + 1, sizeof(*ranks.ns)),
        .processes = pinsight_calloc(count + 1, sizeof(*ranks.processes)),
        .rank_of = pinsight_calloc(count + 1, sizeof(*ranks.rank_of)),
        .rates = pinsight_calloc(count + 1, sizeof(*ranks.rates)),
        .wanted_ns = pinsight_calloc(count + 1, sizeof(*ranks.wanted_ns)),
        .ran_ns = pinsight_calloc(count + 1, sizeof(*ranks.ran_ns))};

    for (size_t i = 0; i < count; i++)
        ranks.rank_of[i] = SIZE_MAX;
    return ranks;
}

void pinsight_ranks_free(struct pinsight_ranks *ranks) {
    PINSIGHT_FREE(ranks->ns, ranks->processes, ranks->rank_of, ranks->rates, ranks->wanted_ns,
                  ranks->ran_ns);
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

void pinsight_ranks_read_clocks(const struct pinsight_report *report,
                                struct pinsight_ranks *ranks) {
    const struct pinsight_attribution_view *view = report->attribution;

    memset(ranks->wanted_ns, 0, ranks->count * sizeof(*ranks->wanted_ns));
    memset(ranks->ran_ns, 0, ranks->count * sizeof(*ranks->ran_ns));
    for (size_t t = 0; t < view->thread_count; t++) {
        const struct pinsight_thread *thread = view->threads[t].thread;
        const size_t rank = ranks->rank_of[thread->process->index];
        uint64_t wanted_ns;

        if (rank == SIZE_MAX || view->threads[t].idle)
            continue;
        wanted_ns = pinsight_thread_clock_wanted_ns(&thread->clock);
        ranks->wanted_ns[rank] += wanted_ns;
        ranks->ran_ns[rank] += pinsight_time_rest(wanted_ns, thread->clock.ready_ns);
    }
    for (size_t i = 0; i < ranks->count; i++)
        ranks->rates[i] = rate_of(ranks->ran_ns[i], ranks->wanted_ns[i]);
}

double pinsight_ranks_rate(const struct pinsight_ranks *ranks) {
    uint64_t wanted_ns = 0, ran_ns = 0;

    for (size_t i = 0; i < ranks->count; i++) {
        wanted_ns += ranks->wanted_ns[i];
        ran_ns += ranks->ran_ns[i];
    }
    return rate_of(ran_ns, wanted_ns);
}

static uint64_t part_of(uint64_t ns, double rate) {
    return (uint64_t)((double)ns * rate);
}

void pinsight_ranks_in(const struct pinsight_report *report, uint32_t function,
                       struct pinsight_ranks *ranks) {
    const struct pinsight_attribution_view *view = report->attribution;

    for (size_t i = 0; i < ranks->count; i++)
        ranks->ns[i] = 0;
    for (size_t i = 0; i < view->part_count; i++) {
        const size_t rank = ranks->rank_of[view->parts[i].process->index];

        if (rank != SIZE_MAX && (function == PINSIGHT_NONE || view->parts[i].function == function))
            ranks->ns[rank] += view->parts[i].running_ns;
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
