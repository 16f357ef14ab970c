/* What the unit tests of the OpenMP domain have in common. */
#ifndef PINSIGHT_TESTS_OPENMP_TEST_H
#define PINSIGHT_TESTS_OPENMP_TEST_H

#include "recorder.h"
#include "stub.h"
#include "threads.h"
#include "tracer/core/control.h"
#include "tracer/core/mode.h"
#include "tracer/openmp/settings.h"
#include "tracer/openmp/thread.h"

#include <stdatomic.h>
#include <unistd.h>

/* Addresses that stand for constructs in the code of a program. */
static char code_of_test[1024] __attribute__((unused));
#define CODE(n) ((const void *)&code_of_test[8 * (n) + 4])

/* Give the control thread an order, and wait for it. */
static inline void order(const struct pinsight_order *order) {
    struct pinsight_answer answer;
    pinsight_control_ask(order, 0, &answer);
    if (answer.failed)
        fail_msg("%s", answer.message);
}

static inline void set_mode(enum pinsight_mode mode) {
    const struct pinsight_order change = {.kind = PINSIGHT_ORDER_MODE,
                                          .reason = "ctl",
                                          .mode_count = 1,
                                          .modes = {{&pinsight_openmp_domain, mode}}};
    order(&change);
}

/* Threads of the program, each of which uses OpenMP, at once. */
static inline void *in_thread(void *body) {
    stub_begin();
    ((void (*)(void))(uintptr_t)body)();
    stub_end();
    return NULL;
}

static inline struct test_threads start_roots(size_t count, void (*body)(void)) {
    return threads_start(count, in_thread, (void *)(uintptr_t)body, 0);
}

static inline void run_roots(size_t count, void (*body)(void)) {
    threads_run(count, in_thread, (void *)(uintptr_t)body, 0);
}

/* The lexgion with that number; NULL where there is none. */
static inline struct pinsight_native_lexgion *by_id(uint32_t id) {
    for (size_t i = 0; i < PINSIGHT_NATIVE_BUCKETS; i++)
        for (struct pinsight_native_lexgion *at = pinsight_omp_lexgions.buckets[i]; at;
             at = at->next)
            if (at->state.id == id)
                return at;
    return NULL;
}

/* The sum of a field over all events of a name. */
static inline uint64_t sum_of(const char *event, const char *field) {
    uint64_t sum = 0;
    for (const struct recorded *at = NULL; (at = recorder_next(at, event));)
        sum += recorder_field(at, field);
    return sum;
}

#endif
