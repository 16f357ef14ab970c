/* Threads of a test that do the same at once, each with something of its own. */
#ifndef PINSIGHT_TEST_THREADS_H
#define PINSIGHT_TEST_THREADS_H

#include "unit.h"

#include <pthread.h>

enum { TEST_MOST_THREADS = 32 };

struct test_threads {
    pthread_t ids[TEST_MOST_THREADS];
    size_t count;
};

/* Starts `count` threads. Thread i is given `first` and i times `step` bytes: an item of an array,
 * or a number; with a step of 0 all are given the same. */
static inline struct test_threads threads_start(size_t count, void *(*body)(void *), void *first,
                                                size_t step) {
    struct test_threads threads = {.count = count};

    assert_in_range(count, 1, TEST_MOST_THREADS);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(
            pthread_create(&threads.ids[i], NULL, body, (void *)((uintptr_t)first + i * step)), 0);
    return threads;
}

/* Waits for them; the test fails unless each gave NULL. */
static inline void threads_join(struct test_threads *threads) {
    for (size_t i = 0; i < threads->count; i++) {
        void *wrong;
        assert_int_equal(pthread_join(threads->ids[i], &wrong), 0);
        assert_null(wrong);
    }
}

/* Starts them and waits for them. */
static inline void threads_run(size_t count, void *(*body)(void *), void *first, size_t step) {
    struct test_threads threads = threads_start(count, body, first, step);

    threads_join(&threads);
}

#endif
