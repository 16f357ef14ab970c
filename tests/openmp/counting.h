/*
 * What an OpenMP program says of itself, to be compared with its trace: how often each construct
 * was met, on which line, by which threads. It is counted where it happens, with C11 atomics and
 * nothing of OpenMP's. At its end (report) the program writes to stdout pid PID count KEY NUMBER
 * how often; what is not mentioned did not happen line KEY LINE NUMBER            how often the
 * construct in that line was met member TID LEVEL NUM SIZE       a thread's part of a parallel
 * region note WORD...                    whatever else the test wants to know done The keys are
 * those of test_openmp_programs.py.
 */
#ifndef TESTS_OPENMP_COUNTING_H
#define TESTS_OPENMP_COUNTING_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct site {
    const char *key;
    int line; /* 0: only the sum is of interest */
    atomic_long times;
    atomic_bool known;
    struct site *next;
};

struct member {
    long tid;
    int level, num, size;
};

enum { MEMBERS = 1 << 16 };
static _Atomic(struct site *) sites;
static struct member members[MEMBERS];
static atomic_long member_count;

static inline void site_count(struct site *site, long by) {
    if (!atomic_exchange(&site->known, true)) {
        site->next = atomic_load(&sites);
        while (!atomic_compare_exchange_weak(&sites, &site->next, site)) {
        }
    }
    atomic_fetch_add(&site->times, by);
}

/* Something happens `by` times. */
#define COUNT_BY(key, by)                                                                          \
    do {                                                                                           \
        static struct site site_here = {key, 0, 0, false, NULL};                                   \
        site_count(&site_here, by);                                                                \
    } while (0)
#define COUNT(key) COUNT_BY(key, 1)

/* The construct in the next line is met. */
#define MEET(key)                                                                                  \
    do {                                                                                           \
        static struct site site_here = {key, __LINE__ + 1, 0, false, NULL};                        \
        site_count(&site_here, 1);                                                                 \
    } while (0)

/* First in a parallel region: the calling thread is a member of the team. */
static inline void be_member(void) {
    long place = atomic_fetch_add(&member_count, 1);
    if (place < MEMBERS) {
        members[place] = (struct member){syscall(SYS_gettid), omp_get_level(), omp_get_thread_num(),
                                         omp_get_num_threads()};
    }
}

static inline int report(void) {
    printf("pid %d\n", (int)getpid());
    for (struct site *site = atomic_load(&sites); site; site = site->next) {
        printf("count %s %ld\n", site->key, atomic_load(&site->times));
        if (site->line) {
            printf("line %s %d %ld\n", site->key, site->line, atomic_load(&site->times));
        }
    }
    long count = atomic_load(&member_count);
    for (long place = 0; place < count && place < MEMBERS; place++) {
        struct member *member = &members[place];
        printf("member %ld %d %d %d\n", member->tid, member->level, member->num, member->size);
    }
    printf("done\n");
    return fflush(stdout) == 0 ? 0 : 1;
}

/* Nothing of the parent's counts in a forked child. */
static inline void forget(void) {
    for (struct site *site = atomic_load(&sites); site; site = site->next) {
        atomic_store(&site->times, 0);
    }
    atomic_store(&member_count, 0);
}

static inline double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Computes, and does not sleep, for so long on the clock. */
static inline void busy(double duration) {
    double end = seconds() + duration;
    while (seconds() < end) {
    }
}

#endif
