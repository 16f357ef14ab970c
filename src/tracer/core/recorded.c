/* The number of recorded events; see recorded.h. */
#include "tracer/core/recorded.h"

#include "tracer/core/info.h"
#include "tracer/core/inline.h"
#include "tracer/core/thread.h"
#include "tracer/record/recorder.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14 */
#endif

/* Aligned to a page of any size that kernels for the machine use. */
#if defined(__x86_64__) || defined(__i386__)
#define PAGE_ALIGNED _Alignas(4096)
#else
#define PAGE_ALIGNED _Alignas(65536)
#endif

/*
 * The threads' counts. Memory that the process shares with its supervisor is mapped over it, and in
 * a forked child other memory again. The place of a thread is therefore always memory of its own
 * process.
 */
PAGE_ALIGNED struct pinsight_counts pinsight_recorded_counts = {.used = 1};
static uint32_t number;                          /* number of the shared memory; 0 for none */
static uint32_t places = PINSIGHT_COUNTS_PLACES; /* places that have memory */
static uint16_t left[PINSIGHT_COUNTS_PLACES];    /* places whose threads have ended */
static uint32_t left_count;
static pthread_mutex_t places_lock = PTHREAD_MUTEX_INITIALIZER;

#define counts pinsight_recorded_counts
#define STATELESS PINSIGHT_RECORDED_STATELESS

static _Atomic uint64_t sum;
static _Atomic bool ending;

/* Adds a thread's new events. A running thread may be added by itself and by the thread that ends
 * the process; the exchange prevents counting twice. */
static void add(struct pinsight_recorded *recorded) {
    uint64_t events = __atomic_load_n(&recorded->events, __ATOMIC_RELAXED);
    uint64_t added = __atomic_exchange_n(&recorded->added, events, __ATOMIC_RELAXED);
    atomic_fetch_add(&sum, events - added);
}

static void add_thread(struct pinsight_core_thread *thread, void *unused) {
    (void)unused;
    add(thread->recorded);
}

void pinsight_recorded_report(void) {
    add(pinsight_tls()->recorded);
    pinsight_info_event_count(atomic_load(&sum), ending, number);
}

void pinsight_recorded_report_all(bool ends) {
    pinsight_thread_each(add_thread, NULL);
    add(STATELESS);
    pinsight_info_event_count(atomic_load(&sum), ends || ending, number);
    if (pinsight_recorder->flush)
        pinsight_recorder->flush();
}

/* Gets memory for one more page of places. Without this, the access could kill the process if
 * memory is short. Returns false on failure. */
static bool get_page(void) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t at = (size_t)((char *)&counts.places[places] - (char *)&counts);

    if (places == PINSIGHT_COUNTS_PLACES || at % page ||
        madvise((char *)&counts + at, page, MADV_POPULATE_WRITE) != 0)
        return false;
    places += (uint32_t)(page / sizeof(*counts.places));
    return true;
}

static struct pinsight_recorded *find_place(void) {
    if (left_count)
        return &counts.places[left[--left_count]];
    uint32_t used = atomic_load(&counts.used);
    if (used >= places && !get_page()) {
        atomic_store(&counts.elsewhere, 1);
        struct pinsight_recorded *own = pinsight_lines_new(sizeof *own);
        return own ? own : STATELESS;
    }
    atomic_store(&counts.used, used + 1);
    return &counts.places[used];
}

void pinsight_recorded_thread_begin(void) {
    pthread_mutex_lock(&places_lock);
    pinsight_tls()->recorded = find_place();
    pthread_mutex_unlock(&places_lock);
}

/* Ends the thread's use of its place. The place keeps its count, and the next thread continues from
 * it. */
void pinsight_recorded_thread_end(void) {
    struct pinsight_tls *tls = pinsight_tls();
    struct pinsight_recorded *place = tls->recorded;
    add(place);
    if (place == STATELESS)
        return;
    tls->recorded = STATELESS;
    if (place < counts.places || place >= counts.places + PINSIGHT_COUNTS_PLACES) {
        free(place);
        return;
    }
    pthread_mutex_lock(&places_lock);
    left[left_count++] = (uint16_t)(place - counts.places);
    pthread_mutex_unlock(&places_lock);
}

/* Moves the counts into memory that the supervisor shares. Nothing has been recorded before. */
static void share(struct pinsight_counts_grant *grant) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t memory = page > PINSIGHT_COUNTS_FIRST ? page : PINSIGHT_COUNTS_FIRST;

    if (grant->fd < 0)
        return;
    if (grant->number && (uintptr_t)&counts % page == 0 && memory <= sizeof counts &&
        atomic_load(&counts.used) == 1 &&
        mmap(&counts, sizeof counts, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, grant->fd,
             (off_t)grant->number * PINSIGHT_COUNTS_PART) != MAP_FAILED) {
        atomic_store(&counts.used, 1);
        number = grant->number;
        places = (uint32_t)(memory / sizeof(*counts.places)) - 1;
    }
    close(grant->fd);
}

void pinsight_recorded_fork_child(struct pinsight_counts_grant *grant) {
    if (pinsight_tls()->recorded != STATELESS)
        pinsight_tls()->recorded = STATELESS;
    /* The shared memory stays the parent's. */
    mmap(&counts, sizeof counts, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
         -1, 0);
    counts.used = 1;
    number = left_count = 0;
    places = PINSIGHT_COUNTS_PLACES;
    /* Another thread, which the child lacks, may have held the lock at the fork. */
    places_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    atomic_store(&sum, 0);
    ending = false;
    share(grant);
}

static void forget(struct pinsight_recorded *recorded) {
    __atomic_store_n(&recorded->events, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&recorded->added, 0, __ATOMIC_RELAXED);
}

static void forget_thread(struct pinsight_core_thread *thread, void *unused) {
    (void)unused;
    forget(thread->recorded);
}

void pinsight_recorded_reset(void) {
    pthread_mutex_lock(&places_lock);
    for (uint32_t i = 0; i < atomic_load(&counts.used); i++)
        forget(&counts.places[i]);
    pthread_mutex_unlock(&places_lock);
    pinsight_thread_each(forget_thread, NULL);
    atomic_store(&sum, 0);
}

/* Records the end of the process. Runtimes may end after this, and record that. */
static void at_exit(void) {
    ending = true;
    pinsight_recorded_report_all(true);
}

void pinsight_recorded_start(struct pinsight_counts_grant *grant) {
    share(grant);
    atexit(at_exit);
}
