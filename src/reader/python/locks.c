/* Waits for locks; see locks.h. */
#include "reader/python/locks.h"

#include "base/memory.h"
#include "reader/kit/paths.h"
#include "reader/lookup.h"
#include "reader/python/gil.h"
#include "reader/timeline.h"

#include <stdlib.h>

enum { TIMED_OUT = 1, INTERRUPTED = 2 }; /* values of the event */

static struct pinsight_python_locks *locks_of(struct pinsight_model *model) {
    return &pinsight_python_of(model)->locks;
}

static uint32_t field(const struct pinsight_event *event, unsigned number) {
    return (uint32_t)pinsight_event_integer(event, number);
}

/* Returns the row of the locks that a path made, or waited for first. */
static uint32_t row_of(struct pinsight_python_locks *locks, const struct pinsight_process *process,
                       uint32_t path, bool made) {
    return PINSIGHT_NUMBERED(&locks->lock_map, process->index, path, made, locks->locks,
                             locks->count, locks->capacity, .process = process, .path = path,
                             .made = made);
}

/* Returns the state of a lock by its number. The reference is valid until the next lock is
 * added. */
static struct pinsight_live_lock *live_of(struct pinsight_python_locks *locks,
                                          const struct pinsight_process *process, uint32_t number) {
    return PINSIGHT_KEYED(&locks->live_map, process->index, number, 0, locks->live,
                          locks->live_count, locks->live_capacity, .row = PINSIGHT_NONE,
                          .holder = PINSIGHT_NONE, .made = PINSIGHT_NONE);
}

static struct pinsight_open_wait *open_of(struct pinsight_python_locks *locks,
                                          const struct pinsight_thread *thread) {
    return PINSIGHT_KEYED(&locks->open_map, thread->process->index, thread->tid, 0, locks->open,
                          locks->open_count, locks->open_capacity, 0);
}

static void add(struct pinsight_lock_sums *sums, uint64_t ns, unsigned how) {
    sums->waits++;
    sums->wait_ns += ns;
    if (ns > sums->longest_ns)
        sums->longest_ns = ns;
    sums->timed_out += how == TIMED_OUT;
    sums->interrupted += how == INTERRUPTED;
}

static struct pinsight_lock_wait *wait_of(struct pinsight_python_locks *locks, uint32_t row,
                                          uint32_t path, uint32_t holder) {
    return PINSIGHT_KEYED(&locks->wait_map, row, path, holder, locks->waits, locks->wait_count,
                          locks->wait_capacity, .lock = row, .path = path, .holder = holder);
}

static void wait_begins(struct pinsight_python_locks *locks, struct pinsight_thread *thread,
                        const struct pinsight_event *event) {
    uint32_t number = field(event, PINSIGHT_PYTHON_LOCK_WAIT_BEGIN_LOCK);
    uint32_t path =
        pinsight_path_of(thread->process, field(event, PINSIGHT_PYTHON_LOCK_WAIT_BEGIN_PY_PATH));
    struct pinsight_live_lock *lock = live_of(locks, thread->process, number);
    struct pinsight_open_wait *wait = open_of(locks, thread);
    struct pinsight_slice slice = pinsight_slice_of(PINSIGHT_SLICE_LOCK, PINSIGHT_NONE, 0);

    if (!number || lock->row == PINSIGHT_NONE ||
        field(event, PINSIGHT_PYTHON_LOCK_WAIT_BEGIN_IS_NEW)) {
        bool made = number && lock->made != PINSIGHT_NONE;

        *lock = (struct pinsight_live_lock){
            .row = row_of(locks, thread->process, made ? lock->made : path, made),
            .holder = PINSIGHT_NONE,
            .made = PINSIGHT_NONE};
        locks->locks[lock->row].locks++;
    }
    *wait = (struct pinsight_open_wait){event->ns, lock->row, path, true};
    slice.path = path;
    slice.begin_ns = event->ns;
    pinsight_slice_begin(thread, &slice, event->ns);
}

/* Reports that a thread waited until another one released the lock. */
static void hand_over(struct pinsight_thread *to, const struct pinsight_live_lock *lock,
                      uint64_t ns) {
    struct pinsight_model *model = to->process->model;
    struct pinsight_thread *from;

    if (!model->timeline || !model->timeline->locks || !lock->let_go_tid ||
        lock->let_go_tid == to->tid)
        return;
    from = pinsight_model_thread_by_tid(model, to->process->host, lock->let_go_tid, to->process);
    if (from == to || from->process != to->process)
        return;
    pinsight_flow_made(model, &(struct pinsight_flow){.kind = PINSIGHT_FLOW_LOCK,
                                                      .number = pinsight_flow_numbers(model, 1),
                                                      .from_ns = lock->let_go_ns,
                                                      .to_ns = ns,
                                                      .from = pinsight_track_of(from),
                                                      .to = pinsight_track_of(to)});
}

static void wait_ends(struct pinsight_python_locks *locks, struct pinsight_thread *thread,
                      const struct pinsight_event *event) {
    unsigned how = field(event, PINSIGHT_PYTHON_LOCK_WAIT_END_HOW);
    const struct pinsight_live_lock *lock =
        live_of(locks, thread->process, field(event, PINSIGHT_PYTHON_LOCK_WAIT_END_LOCK));
    struct pinsight_open_wait *wait = open_of(locks, thread);
    uint64_t ns = event->ns - wait->begin_ns;
    bool let_go = how == 0 && lock->let_go_ns >= wait->begin_ns;

    if (!wait->open || event->ns < wait->begin_ns)
        return;
    wait->open = false;
    add(&locks->locks[wait->row].sums, ns, how);
    add(&wait_of(locks, wait->row, wait->path, let_go ? lock->holder : PINSIGHT_NONE)->sums, ns,
        how);
    if (let_go)
        hand_over(thread, lock, event->ns);
    pinsight_slice_end(thread, PINSIGHT_SLICE_LOCK, 0, event->ns);
}

_Static_assert((int)PINSIGHT_PYTHON_LOCK_WAIT_BEGIN_TID == (int)PINSIGHT_PYTHON_LOCK_WAIT_END_TID &&
                   (int)PINSIGHT_PYTHON_LOCK_WAIT_BEGIN_TID ==
                       (int)PINSIGHT_PYTHON_LOCK_RELEASE_TID &&
                   (int)PINSIGHT_PYTHON_LOCK_WAIT_BEGIN_TID == (int)PINSIGHT_PYTHON_LOCK_MADE_TID,
               "the events have the thread in the same place");

void pinsight_locks_take(struct pinsight_model *model, const struct pinsight_event *event) {
    struct pinsight_thread *thread =
        pinsight_lookup_registry_thread(model, event, PINSIGHT_PYTHON_LOCK_WAIT_BEGIN_TID);
    struct pinsight_live_lock *lock;

    pinsight_model_touch(thread->process, event->ns);
    if (model->options.names_only)
        return;
    if (event->binding->id == PINSIGHT_EVENT_PYTHON_LOCK_MADE) {
        lock =
            live_of(locks_of(model), thread->process, field(event, PINSIGHT_PYTHON_LOCK_MADE_LOCK));
        lock->made =
            pinsight_path_of(thread->process, field(event, PINSIGHT_PYTHON_LOCK_MADE_PY_PATH));
    } else if (event->binding->id == PINSIGHT_EVENT_PYTHON_LOCK_RELEASE) {
        lock = live_of(locks_of(model), thread->process,
                       field(event, PINSIGHT_PYTHON_LOCK_RELEASE_LOCK));
        lock->let_go_ns = event->ns;
        lock->let_go_tid = field(event, PINSIGHT_PYTHON_LOCK_RELEASE_TID);
        lock->holder =
            pinsight_path_of(thread->process, field(event, PINSIGHT_PYTHON_LOCK_RELEASE_PY_PATH));
    } else if (thread->selected && event->binding->id == PINSIGHT_EVENT_PYTHON_LOCK_WAIT_BEGIN) {
        wait_begins(locks_of(model), thread, event);
    } else if (thread->selected) {
        wait_ends(locks_of(model), thread, event);
    }
}

void pinsight_locks_finish(struct pinsight_model *model) {
    struct pinsight_python_locks *locks = model->state[READER_PYTHON] ? locks_of(model) : NULL;

    for (size_t i = 0; locks && i < locks->open_count; i++) {
        const struct pinsight_open_wait *wait = &locks->open[i];

        if (!wait->open)
            continue;
        struct pinsight_lock *lock = &locks->locks[wait->row];
        const uint64_t until_ns = lock->process->last_ns;
        const uint64_t ns = until_ns > wait->begin_ns ? until_ns - wait->begin_ns : 0;
        struct pinsight_lock_sums *sums;

        sums = &wait_of(locks, wait->row, wait->path, PINSIGHT_NONE)->sums;
        add(&lock->sums, ns, 0);
        add(sums, ns, 0);
        lock->sums.open++;
        sums->open++;
    }
}

void pinsight_locks_free(struct pinsight_python_locks *locks) {
    free(locks->locks);
    free(locks->waits);
    free(locks->live);
    free(locks->open);
    pinsight_map_clear(&locks->lock_map);
    pinsight_map_clear(&locks->wait_map);
    pinsight_map_clear(&locks->live_map);
    pinsight_map_clear(&locks->open_map);
}
