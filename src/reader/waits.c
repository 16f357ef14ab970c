/* The waits of threads; see waits.h. */
#include "reader/waits.h"

#include "base/memory.h"
#include "base/words.h"
#include "reader/frame.h"

#include <string.h>

/* Prefixes of names of C functions. A longer one precedes a shorter one that it contains. */
static const struct pinsight_name_value calls[] = {
    {"time.sleep", PINSIGHT_WAIT_SLEEP},
    {"select.", PINSIGHT_WAIT_POLL},
    {"_socket.", PINSIGHT_WAIT_SOCKET},
    {"_ssl.", PINSIGHT_WAIT_SOCKET},
    {"posix.wait", PINSIGHT_WAIT_CHILD},
    {"posix.system", PINSIGHT_WAIT_CHILD},
    {"posix.posix_spawn", PINSIGHT_WAIT_CHILD},
    {"posix.fork", PINSIGHT_WAIT_CHILD},
    {"_posixsubprocess.", PINSIGHT_WAIT_CHILD},
    {"posix.", PINSIGHT_WAIT_FILE},
    {"_io.", PINSIGHT_WAIT_FILE},
    {"_imp.", PINSIGHT_WAIT_FILE},
    {"mmap.", PINSIGHT_WAIT_FILE},
    {"fcntl.", PINSIGHT_WAIT_FILE},
    {"_thread.lock.", PINSIGHT_WAIT_LOCK},
    {"_thread.RLock.", PINSIGHT_WAIT_LOCK},
    {"_thread._ThreadHandle.", PINSIGHT_WAIT_LOCK},
    {"_queue.", PINSIGHT_WAIT_LOCK},
    {"_multiprocessing.", PINSIGHT_WAIT_LOCK},
};

enum pinsight_wait pinsight_wait_of_name(const char *name) {
    for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
        if (strncmp(name, calls[i].name, strlen(calls[i].name)) == 0)
            return (enum pinsight_wait)calls[i].value;
    return PINSIGHT_WAIT_OTHER;
}

bool pinsight_wait_is_all(const char *name) {
    switch (pinsight_wait_of_name(name)) {
    case PINSIGHT_WAIT_SLEEP:
    case PINSIGHT_WAIT_POLL:
    case PINSIGHT_WAIT_LOCK:
    case PINSIGHT_WAIT_CHILD:
        return true;
    default:
        return false;
    }
}

static unsigned cause_of_site(const struct pinsight_model *model, uint32_t site) {
    const struct pinsight_callee *callee = &model->callees[model->sites[site].callee];

    return pinsight_wait_of_name(pinsight_strings_text(&model->strings, callee->name));
}

static unsigned cause_of_slice(const struct pinsight_model *model,
                               const struct pinsight_slice *slice) {
    switch (slice->kind) {
    case PINSIGHT_SLICE_C_CALL:
        return cause_of_site(model, slice->id);
    case PINSIGHT_SLICE_LOCK:
        return PINSIGHT_WAIT_LOCK;
    case PINSIGHT_SLICE_FUNCTION:
    case PINSIGHT_SLICE_IMPORT:
    case PINSIGHT_SLICE_MARKED:
    case PINSIGHT_SLICE_GC:
        return PINSIGHT_WAIT_OTHER;
    default:
        return PINSIGHT_WAIT_SLICE + slice->kind;
    }
}

static struct pinsight_wait_sums *waits_of(struct pinsight_model *model) {
    if (!model->waits)
        model->waits = pinsight_calloc(1, sizeof(*model->waits));
    return model->waits;
}

static void add(struct pinsight_thread *thread, struct pinsight_waited *waited, unsigned cause,
                uint64_t ns) {
    *waited = (struct pinsight_waited){cause, ns};
    if (ns)
        waits_of(thread->process->model)->ns[cause] += ns;
}

/* Moves up to `ns` of a wait from its cause to the GIL. Returns the rest. */
static uint64_t take(struct pinsight_wait_sums *waits, struct pinsight_waited *waited,
                     uint64_t ns) {
    uint64_t taken = waited->ns < ns ? waited->ns : ns;

    waited->ns -= taken;
    waits->ns[waited->cause] -= taken;
    waits->ns[PINSIGHT_WAIT_GIL] += taken;
    return ns - taken;
}

static uint64_t take_both(struct pinsight_thread *thread, uint64_t ns) {
    struct pinsight_wait_sums *waits = waits_of(thread->process->model);
    struct pinsight_thread_clock *clock = &thread->clock;

    return take(waits, &clock->longest_waited, take(waits, &clock->waited, ns));
}

void pinsight_waits_add(struct pinsight_thread *thread, uint64_t within_ns, uint64_t longest_ns) {
    const struct pinsight_model *model = thread->process->model;
    const struct pinsight_track *track = thread->track;
    const struct pinsight_longest *longest = &thread->clock.longest;
    bool is_call = longest->id != PINSIGHT_NONE && longest->kind == PINSIGHT_C_CALL;

    add(thread, &thread->clock.waited,
        track && track->depth ? cause_of_slice(model, &track->slices[track->depth - 1])
                              : PINSIGHT_WAIT_IDLE,
        within_ns);
    add(thread, &thread->clock.longest_waited,
        is_call ? cause_of_site(model, longest->id) : PINSIGHT_WAIT_OTHER, longest_ns);
    if (thread->clock.gil_ns)
        take_both(thread, thread->clock.gil_ns);
    thread->clock.gil_ns = 0;
}

void pinsight_waits_known(struct pinsight_track *track, struct pinsight_slice *slice, uint64_t ns) {
    struct pinsight_thread_clock *clock = &track->thread->clock;
    uint64_t away = slice->away_ns - slice->children_away_ns, ready = slice->ready_ns, waited;

    if (slice->waited_ns > slice->self_ns)
        slice->waited_ns = slice->self_ns;
    if (slice->waited_ns > away)
        slice->away_ns += slice->waited_ns - away;
    /* The slice can have wanted a processor only in the rest of its time. */
    if (ready > slice->away_ns - slice->children_away_ns - slice->waited_ns)
        slice->ready_ns = slice->away_ns - slice->children_away_ns - slice->waited_ns;
    waited = slice->away_ns - slice->children_away_ns - slice->ready_ns - (away - ready);
    clock->waiting_ns += waited;
    clock->ready_ns -= ready - slice->ready_ns;
    if (clock->ns)
        clock->known_wait_ns += pinsight_least(slice->waited_ns, pinsight_time_rest(ns, clock->ns));
    if (waited)
        waits_of(track->thread->process->model)
            ->ns[cause_of_slice(track->thread->process->model, slice)] += waited;
}

void pinsight_waits_gil(struct pinsight_thread *thread, uint64_t end_ns, uint64_t wait_ns) {
    struct pinsight_thread_clock *clock = &thread->clock;

    if (!clock->ns)
        return;
    /* No clock is read during a wait. The event of the reading may come a little later, so that the
     * wait seems to end after the reading. */
    if (clock->ns + wait_ns > end_ns)
        take_both(thread, wait_ns);
    else /* the next reading includes it */
        clock->gil_ns += wait_ns;
}
