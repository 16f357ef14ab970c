/*
 * Notes a thread's waits for the GIL; see gil.h.
 *
 * The interpreter calls these functions while it holds a mutex of the GIL. No thread can take or
 * release the GIL then. Therefore they only read, call libc's function, and write down the result.
 */
#include "tracer/python/gil.h"

#include "base/list.h"
#include "tracer/core/clock.h"
#include "tracer/python/cpython/gil.h"
#include "tracer/python/profile.h"
#include "tracer/python/waits.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

/* The number of noted waits of a thread without an event. Later waits are added up. */
#define FIRST_ROOM 16u
#define ROOM_MAX 8192u
/* A thread that was forced to release the GIL waits for it again within this time. */
#define AT_ONCE_NS 200000u

static __thread struct pinsight_gil_notes *own;
static pthread_key_t end_key;
static _Atomic bool on;
static _Atomic bool load_is_wanted; /* some thread has waited */
static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static struct pinsight_gil_notes *list_head; /* of all threads that have waited */

/* GILs of interpreters with their own, by number. 0 is the main interpreter's. */
#define GILS 64
static _Atomic(const pinsight_gil *) gils[GILS];

struct pinsight_gil_notes *pinsight_gil_noted(void) {
    return own;
}

static uint32_t number_of(const pinsight_gil *gil) {
    for (uint32_t number = 0; number < GILS; number++) {
        const pinsight_gil *there = NULL;
        if (atomic_compare_exchange_strong(&gils[number], &there, gil) || there == gil)
            return number;
    }
    return GILS;
}

static void take(struct pinsight_gil_notes *notes) {
    while (atomic_flag_test_and_set_explicit(&notes->busy, memory_order_acquire))
        sched_yield();
}

static void leave(struct pinsight_gil_notes *notes) {
    atomic_flag_clear_explicit(&notes->busy, memory_order_release);
}

void pinsight_gil_each(void (*visit)(struct pinsight_gil_notes *notes)) {
    pthread_mutex_lock(&list_lock);
    for (struct pinsight_gil_notes *notes = list_head; notes; notes = notes->next) {
        take(notes);
        visit(notes);
        leave(notes);
    }
    pthread_mutex_unlock(&list_lock);
}

/* Called by the C library at the end of the thread. If the thread had no event before, this is the
 * first. */
static void notes_free(void *argument) {
    struct pinsight_gil_notes *notes = argument;
    struct pinsight_core_thread *thread = notes->count ? pinsight_python_core_thread() : NULL;
    if (thread)
        pinsight_gil_record_end(thread->tid);
    own = NULL;
    pthread_mutex_lock(&list_lock);
    PINSIGHT_LIST_REMOVE(list_head, notes, next, previous);
    pthread_mutex_unlock(&list_lock);
    free(notes->waits);
    free(notes);
}

static struct pinsight_gil_notes *notes_of_thread(void) {
    if (own)
        return own;
    struct pinsight_gil_notes *notes = calloc(1, sizeof *notes);
    if (notes && pthread_setspecific(end_key, notes) != 0) {
        free(notes);
        notes = NULL;
    }
    if (!notes)
        return NULL;
    notes->tid = (uint32_t)gettid();
    pthread_mutex_lock(&list_lock);
    PINSIGHT_LIST_ADD(list_head, notes, next, previous);
    pthread_mutex_unlock(&list_lock);
    return own = notes;
}

/* Returns a place for one more wait, or NULL if there is none. */
static struct pinsight_gil_wait *another(struct pinsight_gil_notes *notes) {
    if (notes->count == notes->room) {
        uint32_t room = notes->room ? notes->room * 2 : FIRST_ROOM;
        struct pinsight_gil_wait *waits =
            room > ROOM_MAX ? NULL : realloc(notes->waits, room * sizeof *waits);
        if (!waits)
            return NULL;
        notes->waits = waits;
        notes->room = room;
    }
    return &notes->waits[notes->count++];
}

static void add(struct pinsight_gil_wait *wait, uint64_t begin_ns, uint64_t end_ns) {
    wait->wait_ns += end_ns - begin_ns;
    wait->end_ns = end_ns;
}

/* Notes that the calling thread has waited for `holder`. `goes_on` means that the wait may
 * continue. */
static void note_in(struct pinsight_gil_notes *notes, const pinsight_gil *gil,
                    const struct pinsight_gil_wait *about, uint64_t begin_ns, bool goes_on,
                    bool forced) {
    struct pinsight_gil_wait *last = notes->count ? &notes->waits[notes->count - 1] : NULL;
    bool same = last && notes->goes_on && !forced && last->gil == about->gil &&
                (!notes->forced || begin_ns - last->end_ns < AT_ONCE_NS);
    struct pinsight_gil_wait *wait = last;
    if (!same || last->holder != about->holder || last->holder_id != about->holder_id) {
        wait = another(notes);
        if (wait)
            *wait = *about;
        else if (!(wait = last))
            return;
        wait->waits += !same;
    }
    add(wait, begin_ns, about->end_ns);
    wait->switches = pinsight_gil_switches(gil);
    notes->goes_on = goes_on;
    notes->forced = forced;
}

static void note(const pinsight_gil *gil, const struct pinsight_gil_wait *about, uint64_t begin_ns,
                 bool goes_on, bool forced) {
    struct pinsight_gil_notes *notes = notes_of_thread();
    if (!notes)
        return;
    take(notes);
    note_in(notes, gil, about, begin_ns, goes_on, forced);
    leave(notes);
    pinsight_thread_hide();
    atomic_store_explicit(&load_is_wanted, true, memory_order_relaxed);
    pinsight_waits_want_signals();
}

/* Fills in the waiting thread and its place. The thread's own frames do not change. */
static void look_at_own(struct pinsight_gil_wait *about) {
    const PyThreadState *state = PyGILState_GetThisThreadState();
    const pinsight_frame *frame = state ? pinsight_gil_frame(pinsight_frame_top(state)) : NULL;
    about->frame = frame;
    about->code = frame ? pinsight_frame_code(frame) : NULL;
    about->at = frame ? pinsight_frame_at(frame) : 0;
}

static void look_at_holder(struct pinsight_gil_wait *about, const pinsight_gil *gil) {
    const PyThreadState *holder = pinsight_gil_holder(gil);
    about->holder = holder;
    if (holder) {
        about->holder_id = holder->id;
        about->holder_tid = pinsight_gil_tid(holder);
    }
}

int pinsight_gil_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex,
                                const struct timespec *until) {
    const pinsight_gil *gil = atomic_load(&on) ? pinsight_gil_of(cond, mutex) : NULL;
    if (!gil)
        return pinsight_preload_waits.next.pthread_cond_timedwait(cond, mutex, until);
    struct pinsight_gil_wait about = {.gil = number_of(gil)};
    look_at_holder(&about, gil);
    look_at_own(&about);
    uint64_t begin_ns = pinsight_clock_ns();
    int result = pinsight_preload_waits.next.pthread_cond_timedwait(cond, mutex, until);
    about.end_ns = pinsight_clock_ns();
    note(gil, &about, begin_ns, pinsight_gil_is_taken(gil), false);
    return result;
}

int pinsight_gil_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex) {
    const pinsight_gil *gil = atomic_load(&on) ? pinsight_gil_of_switch(cond, mutex) : NULL;
    if (!gil)
        return pinsight_preload_waits.next.pthread_cond_wait(cond, mutex);
    struct pinsight_gil_wait about = {.gil = number_of(gil)};
    look_at_own(&about);
    uint64_t begin_ns = pinsight_clock_ns();
    int result = pinsight_preload_waits.next.pthread_cond_wait(cond, mutex);
    about.end_ns = pinsight_clock_ns();
    /* The thread that took the GIL cannot continue without this mutex, which it needs to report
     * that. */
    look_at_holder(&about, gil);
    note(gil, &about, begin_ns, true, true);
    return result;
}

/*
 * Time for which the GIL is held. The thread that takes the GIL always signals a condition
 * variable, for a thread that was forced to release it. The thread that releases it signals the
 * waiting threads. The time between the two signals is added up, with the GIL or its mutex held.
 */
static struct {
    uint64_t first_ns; /* 0 before the first wait */
    uint64_t held_ns;
    uint64_t since_ns; /* since when it is held; 0: unknown */
} load;

int pinsight_gil_cond_signal(pthread_cond_t *cond) {
#if !PINSIGHT_HAS_MONITORING
    if (cond == &pinsight_gil_main()->switch_cond)
        pinsight_profile_thread_starts();
#endif
    bool wanted = atomic_load_explicit(&load_is_wanted, memory_order_relaxed);
    const pinsight_gil *gil = wanted ? atomic_load(&gils[0]) : NULL;
    if (gil && cond == &gil->switch_cond) {
        load.since_ns = pinsight_clock_ns();
        if (!load.first_ns)
            load.first_ns = load.since_ns;
    } else if (gil && cond == &gil->cond && load.since_ns) {
        load.held_ns += pinsight_clock_ns() - load.since_ns;
        load.since_ns = 0;
    }
    return pinsight_preload_waits.next.pthread_cond_signal(cond);
}

bool pinsight_gil_load(struct pinsight_gil_load *now) {
    uint64_t now_ns = pinsight_clock_ns();
    if (!load.first_ns)
        return false;
    now->seen_ns = now_ns - load.first_ns;
    now->held_ns = load.held_ns + (load.since_ns ? now_ns - load.since_ns : 0);
    return true;
}

void pinsight_gil_note(bool wanted) {
    static bool has_key;
    if (wanted && !has_key) {
        const pinsight_gil *gil = pinsight_gil_main();
        has_key = gil && pthread_key_create(&end_key, notes_free) == 0;
        atomic_store(&gils[0], gil);
    }
    if (wanted && !atomic_load(&on)) {
        atomic_store(&load_is_wanted, false);
        load.first_ns = load.held_ns = load.since_ns = 0;
    }
    atomic_store(&on, wanted && has_key);
}

void pinsight_gil_fork_child(void) {
    list_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    list_head = own; /* other threads' notes are not touched */
    if (own) {
        own->count = 0;
        own->tid = (uint32_t)gettid();
        own->next = own->previous = NULL;
        leave(own);
    }
    load.first_ns = load.held_ns = load.since_ns = 0;
}
