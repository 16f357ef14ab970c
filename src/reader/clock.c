/* Clocks of threads; see clock.h. */
#include "reader/clock.h"

#include "reader/stack.h"
#include "reader/waits.h"

static uint64_t last_of(const struct pinsight_thread *thread) {
    uint64_t last = thread->clock.ns > thread->last_ns ? thread->clock.ns : thread->last_ns;

    return thread->track && thread->track->last_ns > last ? thread->track->last_ns : last;
}

static void add_to(struct pinsight_stats *stats, uint64_t away_ns, uint64_t ready_ns) {
    stats->away_ns += away_ns;
    stats->ready_ns += ready_ns;
}

/* Adds time without a processor to the longest call that ended since the last reading. The call's
 * node of the tree gets the time, too. */
static void add_to_longest(struct pinsight_thread *thread, uint64_t away_ns, uint64_t ready_ns) {
    struct pinsight_model *model = thread->process->model;
    const struct pinsight_longest *longest = &thread->clock.longest;

    away_ns = pinsight_least(away_ns, longest->self_ns);
    ready_ns = pinsight_least(ready_ns, away_ns);
    if (!away_ns)
        return;
    if (longest->kind == PINSIGHT_FUNCTION) {
        add_to(&model->functions[longest->id].stats, away_ns, ready_ns);
    } else {
        struct pinsight_site *site = &model->sites[longest->id];

        add_to(&site->stats, away_ns, ready_ns);
        add_to(&model->callees[site->callee].stats, away_ns, ready_ns);
    }
    if (longest->node != PINSIGHT_NONE)
        model->nodes[longest->node].away_ns += away_ns;
}

/* Divides `ns`, the time in which the thread wanted a processor. `whole` is its time without one,
 * of which `part` was in an open call, and the rest in a call that ended. The true division is
 * unknown. Returns the share of the open call: at most its length, and at least the time that does
 * not fit into the rest. */
static uint64_t part_of(uint64_t ns, uint64_t part, uint64_t whole) {
    uint64_t least = pinsight_time_rest(ns, whole - part);
    uint64_t of = whole ? (uint64_t)((double)ns * (double)part / (double)whole) : 0;

    return of < least ? least : pinsight_least(of, pinsight_least(part, ns));
}

static void add(struct pinsight_thread *thread, uint64_t passed, uint64_t away, uint64_t delay,
                uint64_t gap) {
    struct pinsight_thread_clock *clock = &thread->clock;
    struct pinsight_track *track = thread->track;
    uint64_t within = pinsight_least(away, gap), rest, ready, ready_within;

    /* Waits that ended since the last reading have been counted already. */
    rest = away - within - pinsight_least(away - within, clock->known_wait_ns);
    away = within + rest;
    ready = pinsight_least(delay, away);
    ready_within = part_of(ready, within, away);
    clock->known_ns += passed;
    clock->ready_ns += ready;
    clock->waiting_ns += away - ready;
    if (track && track->depth) {
        track->slices[track->depth - 1].away_ns += within;
        track->slices[track->depth - 1].ready_ns += ready_within;
    }
    add_to_longest(thread, rest, ready - ready_within);
    pinsight_waits_add(thread, within - ready_within, rest - (ready - ready_within));
}

void pinsight_clock_read(struct pinsight_thread *thread, uint32_t tid, uint64_t ns,
                         uint64_t processor_ns, uint64_t run_delay_ns) {
    struct pinsight_thread_clock *clock = &thread->clock;

    if (!thread->selected)
        return;
    /* Successive threads with one number each have a clock of their own. */
    if (clock->ns && clock->tid == tid && ns > clock->ns && processor_ns >= clock->processor_ns) {
        uint64_t passed = ns - clock->ns, ran = processor_ns - clock->processor_ns;

        /* After a moved reading, the delay may be from before it. */
        add(thread, passed, passed > ran ? passed - ran : 0, clock->moved ? 0 : run_delay_ns,
            ns - last_of(thread));
    }
    clock->tid = tid;
    clock->ns = ns;
    clock->processor_ns = processor_ns;
    clock->known_wait_ns = 0;
    clock->longest = (struct pinsight_longest){.id = PINSIGHT_NONE, .node = PINSIGHT_NONE};
}

void pinsight_clock_pause(struct pinsight_thread *thread, uint64_t before_ns, uint64_t pause_ns) {
    struct pinsight_thread_clock *clock = &thread->clock;

    if (clock->ns && clock->ns < before_ns)
        clock->ns += pause_ns;
}
