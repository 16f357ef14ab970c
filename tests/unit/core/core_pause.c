/* Threads that wait for an introspection: each counts once, whatever domains know it. */
#include "unit.h"

#include "tracer/core/pause.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static struct pinsight_domain first = {.name = "OpenMP"}, second = {.name = "MPI"};

/* A thread, which domains know it, and which one calls it back. */
struct one {
    struct pinsight_domain *known[2], *calls;
    bool idle;
    uint64_t waited;
};

static _Atomic bool over;
static pthread_barrier_t there;

static void *run(void *argument) {
    struct one *one = argument;
    struct pinsight_core_thread *thread = pinsight_thread_get();
    for (int i = 0; i < 2; i++)
        if (one->known[i])
            thread->state[one->known[i]->slot] = one;
    atomic_store(&thread->idle, one->idle);
    pthread_barrier_wait(&there);
    while (!atomic_load(&over)) {
        if (one->calls && pinsight_is_paused(one->calls))
            one->waited += pinsight_thread_wait(one->calls, thread);
        usleep(100);
    }
    return NULL;
}

static void each_thread_counts_once(void **state) {
    (void)state;
    struct one all[] = {
        {.known = {&first}, .calls = &first},
        {.known = {&second}, .calls = &second},
        {.known = {&first, &second}, .calls = &first},
        {.known = {&first, &second}, .calls = &second},
        {.known = {&first, &second}},                       /* in C all the time */
        {.known = {&first}},                                /* the same */
        {.known = {&first, &second}, .idle = true},         /* a worker between regions */
        {.known = {&first}, .calls = &first, .idle = true}, /* that comes to work meanwhile */
        {.idle = false},                                    /* no domain knows it */
    };
    enum { ALL = sizeof all / sizeof *all, STOP = 5, RUN = 2 };
    pthread_t threads[ALL];
    uint32_t stopped, running;

    assert_int_equal(pinsight_domain_register(&first), 0);
    assert_int_equal(pinsight_domain_register(&second), 0);
    pthread_barrier_init(&there, NULL, ALL + 1);
    for (int i = 0; i < ALL; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run, &all[i]), 0);
    pthread_barrier_wait(&there);
    /* On a busy machine they may not all come in the time that is waited: then once more. */
    for (int round = 0; round < 100; round++) {
        pinsight_threads_pause(&stopped, &running);
        assert_true(pinsight_is_paused(&first) && pinsight_is_paused(&second));
        assert_in_range(stopped + running, STOP + RUN - 1, STOP + RUN);
        pinsight_threads_go_on();
        assert_false(pinsight_is_paused(&first) || pinsight_is_paused(&second));
        if (stopped == STOP && round > 0)
            break;
    }
    assert_int_equal(stopped, STOP);
    assert_int_equal(running, RUN);
    atomic_store(&over, true);
    for (int i = 0; i < ALL; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(all[i].waited > 0, all[i].calls != NULL);
    }
    pthread_barrier_destroy(&there);
}

/* A thread without state, as when memory is short, is one that waits. */
static void *without_state(void *unused) {
    for (; !atomic_load(&over); usleep(100))
        if (pinsight_is_paused(&first))
            pinsight_thread_wait(&first, NULL);
    return unused;
}

static void one_without_state_counts(void **state) {
    (void)state;
    pthread_t thread;
    uint32_t stopped = 0, running = 0;
    atomic_store(&over, false);
    assert_int_equal(pthread_create(&thread, NULL, without_state, NULL), 0);
    /* The main thread is known, and runs on: so the whole patience is waited. */
    pinsight_thread_get()->state[first.slot] = &first;
    for (int round = 0; round < 100 && stopped == 0; round++) {
        pinsight_threads_pause(&stopped, &running);
        assert_int_equal(running, 1);
        pinsight_threads_go_on();
    }
    assert_int_equal(stopped, 1);
    atomic_store(&over, true);
    pthread_join(thread, NULL);
}

int main(void) {
    return RUN_TESTS(each_thread_counts_once, one_without_state_counts);
}
