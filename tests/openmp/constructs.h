/*
 * Constructs that several programs have around what each of them is about, counted where they are
 * met.
 */
#ifndef TESTS_OPENMP_CONSTRUCTS_H
#define TESTS_OPENMP_CONSTRUCTS_H

#include "counting.h"

/* A team of `threads`, one of which calls work(). The others wait for it, and do the tasks that it
 * makes. */
static inline void one_of_team(int threads, void (*work)(void)) {
    MEET("parallel");
#pragma omp parallel num_threads(threads)
    {
        be_member();
        bool mine = false;
#pragma omp single
        {
            mine = true;
            COUNT("single_executor");
            work();
        }
        COUNT_BY("single_other", !mine);
        COUNT("barrier_implicit");
    }
}

/* A loop in equal parts for the threads of the calling team, with a barrier after it. */
static inline void shared_loop(int count) {
    MEET("loop_static");
#pragma omp for schedule(static)
    for (int i = 0; i < count; i++) {
        COUNT("iterations");
    }
    COUNT("barrier_implicit");
}

/* Regions with nothing in them, one after the other. */
static inline void empty_regions(int turns, int threads) {
    for (int turn = 0; turn < turns; turn++) {
        MEET("parallel");
#pragma omp parallel num_threads(threads)
        { be_member(); }
    }
}

/* Three reductions over a team; each thread counts its own with count_one(). Gives the sum: 9. */
static inline long reductions_of_team(void (*count_one)(void)) {
    long sum = 0;
    for (int turn = 0; turn < 3; turn++) {
        MEET("parallel");
#pragma omp parallel num_threads(3) reduction(+ : sum)
        {
            be_member();
            count_one();
            sum += omp_get_thread_num();
        }
    }
    return sum;
}

#endif
