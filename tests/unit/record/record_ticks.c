/* Times of the monotonic clock as times of the trace. */
#include "recorded.h"
#include "threads.h"

#include <time.h>

/* Both clocks are read within some microseconds; a machine may interrupt that. */
#define NEAR_NS 20000.0

enum { MOMENTS = 40, THREADS = 4, TURNS = 20000 };

static double ns_per_tick(const struct pinsight_clocks *from, const struct pinsight_clocks *to) {
    return (double)(to->monotonic - from->monotonic) / (double)(to->ticks - from->ticks);
}

static void assert_near(const struct pinsight_clocks *moment, double rate) {
    double off =
        (double)(int64_t)(pinsight_stream_ticks_of(moment->monotonic) - moment->ticks) * rate;
    assert_true(off > -NEAR_NS && off < NEAR_NS);
}

static void nap(long ns) {
    nanosleep(&(struct timespec){0, ns}, NULL);
}

/* Also what was long before, and what came between two readings. */
static void times_are_where_both_clocks_were(void **state) {
    bool has_counter = pinsight_recording.control->has_counter;
    struct pinsight_clocks moments[MOMENTS];
    (void)state;
    assert_int_equal(pinsight_stream_ticks_of(0), 0);
    for (int i = 0; i < MOMENTS; i++) {
        pinsight_file_clocks(&moments[i], has_counter);
        nap(i % 8 ? 100000 : 15000000);
        if (i % 3 == 0)
            pinsight_stream_ticks_of(moments[i].monotonic);
    }
    double rate = ns_per_tick(&moments[0], &moments[MOMENTS - 1]);
    for (int i = 0; i < MOMENTS; i++)
        assert_near(&moments[i], rate);
    for (int i = MOMENTS; i--;)
        assert_near(&moments[i], rate);
}

static void *convert(void *unused) {
    (void)unused;
    uint64_t last = 0;
    for (int i = 0; i < TURNS; i++) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        uint64_t ticks =
            pinsight_stream_ticks_of((uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec);
        if (ticks + 100000 < last) /* other readings, another rate: some ticks */
            return (void *)1;
        last = ticks;
    }
    return NULL;
}

static void any_thread_may_ask(void **state) {
    (void)state;
    threads_run(THREADS, convert, NULL, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_are_where_both_clocks_were),
        cmocka_unit_test(any_thread_may_ask),
    };
    return cmocka_run_group_tests(tests, set_up, take_down);
}
