/* Waits for locks; see locks.h. */
#include "tracer/python/locks.h"

#include "tracer/core/link.h"
#include "tracer/python/cpython/lock_objects.h"
#include "tracer/python/serial.h"
#include "tracer/python/thread.h"
#include "tracer/python/waits.h"
#include "tracer/record/python.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

/*
 * Locks with present or earlier waits, by address. The table has NEAR possible places for each
 * lock. A lock without a free place has the number 0. A look-up by address needs no lock. Changes
 * are under one, which is never held while an event is recorded.
 */
#define PLACES 4096u
#define NEAR 16u

struct known_lock {
    _Atomic uintptr_t address; /* 0: none */
    uint32_t waiters;
    /* number of the lock for which a thread waits with this semaphore; 0: the semaphore is the lock
     */
    uint32_t stands_for;
    bool is_new; /* no wait for it has been recorded */
};

static struct known_lock known[PLACES];
static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static uint32_t waiting; /* number of waiting threads */
static _Atomic bool on;

/*
 * The Python call paths that made locks, by address. In this table, a newer entry replaces an older
 * one. 16 of an address's 48 bits are the index. The entry has the others in its high half.
 */
#define MADE_BITS 16
static _Atomic uint64_t made[1u << MADE_BITS];
static _Atomic uint32_t made_session; /* session version of the entries; others have no path */

/* Mixes the bits of an address. The result is unique for 48-bit multiples of 16. */
static uint64_t mixed(uintptr_t address) {
    return ((uint64_t)address >> 4) * UINT64_C(0x9E3779B97F4A7C15) & ((UINT64_C(1) << 44) - 1);
}

static uint32_t first_place(uintptr_t address) {
    return (uint32_t)((address >> 4) * UINT64_C(0x9E3779B97F4A7C15) >> 40);
}

/* Returns the entry of a lock, or NULL. */
static struct known_lock *find(uintptr_t address) {
    uint32_t at = first_place(address);
    for (uint32_t i = 0; i < NEAR; i++) {
        struct known_lock *place = &known[(at + i) % PLACES];
        if (atomic_load_explicit(&place->address, memory_order_acquire) == address)
            return place;
    }
    return NULL;
}

/* Returns a place for a lock: a free one, or that of a lock without waits. The table is locked. */
static struct known_lock *make(uintptr_t address) {
    uint32_t at = first_place(address);
    struct known_lock *idle = NULL;
    for (uint32_t i = 0; i < NEAR; i++) {
        struct known_lock *place = &known[(at + i) % PLACES];
        if (!place->waiters && (!idle || !place->address))
            idle = place;
        if (!place->address)
            break;
    }
    if (idle) {
        atomic_store(&idle->address, address);
        idle->stands_for = 0;
        idle->is_new = true;
    }
    return idle;
}

static uint32_t number_of(const struct known_lock *lock) {
    return lock ? (uint32_t)(lock - known) + 1 : 0;
}

/* Adds a waiting thread for an address. The table is locked. */
static struct known_lock *join(uintptr_t address) {
    struct known_lock *lock = find(address);
    if (!lock)
        lock = make(address);
    if (lock)
        lock->waiters++;
    return lock;
}

/* A wait in any of the three functions. */
struct wait {
    struct pinsight_core_thread *thread;
    struct known_lock *lock, *semaphore; /* `semaphore` is NULL if it is the lock */
};

/* Begins a wait. Returns whether the thread is the first one that waits for this lock. */
static bool begin(struct wait *wait, uintptr_t address, uintptr_t semaphore) {
    pthread_mutex_lock(&table_lock);
    struct known_lock *lock = wait->lock = join(address);
    bool is_new = lock && lock->is_new;
    wait->semaphore = lock && address != semaphore ? join(semaphore) : NULL;
    if (lock)
        lock->is_new = false;
    if (wait->semaphore)
        wait->semaphore->stands_for = number_of(lock);
    if (waiting++ == 0)
        pinsight_waits_want_posts(true);
    pthread_mutex_unlock(&table_lock);
    return is_new;
}

static void end(const struct wait *wait) {
    pthread_mutex_lock(&table_lock);
    if (wait->lock && wait->lock->waiters)
        wait->lock->waiters--;
    if (wait->semaphore) {
        wait->semaphore->waiters = 0;
        atomic_store(&wait->semaphore->address, 0);
    }
    if (waiting && --waiting == 0)
        pinsight_waits_want_posts(false);
    pthread_mutex_unlock(&table_lock);
}

static void note_made(uintptr_t address, uint32_t path) {
    uint64_t bits = mixed(address);
    if (atomic_load(&made_session) != pinsight_session_version()) {
        for (uint32_t i = 0; i < 1u << MADE_BITS; i++)
            atomic_store_explicit(&made[i], 0, memory_order_relaxed);
        atomic_store(&made_session, pinsight_session_version());
    }
    atomic_store(&made[bits >> 28], bits << 32 | path);
}

/* Returns the path that made a lock, or 0. */
static uint32_t made_at(uintptr_t address) {
    uint64_t bits = mixed(address), there = atomic_load(&made[bits >> 28]);
    return atomic_load(&made_session) == pinsight_session_version() && there >> 32 == (uint32_t)bits
               ? (uint32_t)there
               : 0;
}

int pinsight_lock_init(sem_t *lock, int shared, unsigned value) {
    int error = errno;
    if (atomic_load(&on) && !pinsight_semaphore_is_to_wait_with(lock))
        note_made((uintptr_t)lock, pinsight_link_here());
    errno = error;
    return pinsight_preload_waits.next.sem_init(lock, shared, value);
}

/* Returns false if nothing is to be recorded, or if the lock is free; this thread then owns it. */
static bool begins(struct wait *wait, sem_t *lock, bool *done) {
    int error = errno;
    *done = false;
    if (!atomic_load(&on) || pinsight_serial_waits())
        return false;
    *done = sem_trywait(lock) == 0;
    errno = error;
    if (*done || !pinsight_record_python_lock_wait_begin_enabled() ||
        !(wait->thread = pinsight_python_core_thread()))
        return false;
    uint32_t path = pinsight_link_here();
    uintptr_t address = pinsight_lock_waited_for(lock);
    bool is_new = begin(wait, address, (uintptr_t)lock);
    uint32_t path_made = is_new ? made_at(address) : 0;
    if (path_made)
        pinsight_record_python_lock_made(wait->thread->tid, number_of(wait->lock), path_made);
    pinsight_record_python_lock_wait_begin(wait->thread->tid, number_of(wait->lock), is_new, path);
    errno = error;
    return true;
}

static int ends(const struct wait *wait, int result) {
    int error = errno;
    int how = result == 0          ? PINSIGHT_PYTHON_LOCK_HOW_ACQUIRED
              : error == ETIMEDOUT ? PINSIGHT_PYTHON_LOCK_HOW_TIMED_OUT
                                   : PINSIGHT_PYTHON_LOCK_HOW_INTERRUPTED;
    pinsight_record_python_lock_wait_end(wait->thread->tid, number_of(wait->lock), (uint8_t)how);
    end(wait);
    errno = error;
    return result;
}

#define WAIT(call)                                                                                 \
    struct wait wait;                                                                              \
    bool done;                                                                                     \
    if (!begins(&wait, lock, &done))                                                               \
        return done ? 0 : pinsight_preload_waits.next.call;                                        \
    return ends(&wait, pinsight_preload_waits.next.call);

int pinsight_lock_wait(sem_t *lock) {
    WAIT(sem_wait(lock))
}

int pinsight_lock_timedwait(sem_t *lock, const struct timespec *until) {
    WAIT(sem_timedwait(lock, until))
}

int pinsight_lock_clockwait(sem_t *lock, clockid_t clock, const struct timespec *until) {
    WAIT(sem_clockwait(lock, clock, until))
}

/* Returns the number of the lock that a semaphore is or belongs to. */
static uint32_t number_behind(const struct known_lock *semaphore) {
    return semaphore->stands_for ? semaphore->stands_for : number_of(semaphore);
}

static bool is_waited_for(struct known_lock *lock) {
    pthread_mutex_lock(&table_lock);
    bool some = lock->waiters > 0;
    pthread_mutex_unlock(&table_lock);
    return some;
}

int pinsight_lock_post(sem_t *lock) {
    struct known_lock *place = find((uintptr_t)lock);
    if (place && is_waited_for(place) && pinsight_record_python_lock_release_enabled()) {
        int error = errno;
        struct pinsight_core_thread *thread = pinsight_python_core_thread();
        if (thread)
            pinsight_record_python_lock_release(thread->tid, number_behind(place),
                                                pinsight_link_here());
        errno = error;
    }
    return pinsight_preload_waits.next.sem_post(lock);
}

/* Forgets a lock that is destroyed. The next lock at its address is another one. */
static void forget(uintptr_t address) {
    if (!find(address))
        return;
    pthread_mutex_lock(&table_lock);
    struct known_lock *place = find(address);
    if (place && !place->waiters)
        atomic_store(&place->address, 0);
    pthread_mutex_unlock(&table_lock);
}

int pinsight_lock_destroy(sem_t *lock) {
    forget((uintptr_t)lock);
    return pinsight_preload_waits.next.sem_destroy(lock);
}

static void lock_object_made(uintptr_t address) {
    if (atomic_load(&on))
        note_made(address, pinsight_link_here());
}

void pinsight_locks_note(bool wanted) {
    static const struct pinsight_lock_observer observer = {lock_object_made, forget};
    if (wanted)
        pinsight_lock_objects_observe(&observer);
    atomic_store(&on, wanted);
}

void pinsight_locks_fork_child(void) {
    table_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    memset((void *)known, 0, sizeof known);
    atomic_store(&made_session, 0);
    waiting = 0;
    pinsight_waits_want_posts(false);
}
