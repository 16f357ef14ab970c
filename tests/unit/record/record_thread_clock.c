/* What the file recorder says of how long a thread had a processor. */
#include "recorded.h"

#include <errno.h>
#include <pthread.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define PART_NS UINT64_C(20000000)

static uint64_t processor_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void spin(void) {
    for (uint64_t end = processor_ns() + PART_NS; processor_ns() < end;)
        continue;
}

/* Before the first event of a process no clock is read. */
static void announce(void) {
    put_small(0);
}

static void sleep_and_spin(void) {
    announce();
    put_small(1);
    usleep(PART_NS / 1000);
    put_small(2);
    spin();
    put_small(3);
}

static uint64_t ns(uint64_t ticks) {
    return (uint64_t)((double)ticks * pinsight_recording.ns_per_tick);
}

static void waiting_is_told_from_work(void **state) {
    static struct found found;
    (void)state;
    in_child(sleep_and_spin);
    read_all(&found);
    assert_int_equal(found.small, 4);
    assert_int_equal(found.reading_count, 3);
    const struct clock_reading *at = found.readings;
    assert_true(at[1].processor_ns - at[0].processor_ns < PART_NS / 2);
    assert_true(at[2].processor_ns - at[1].processor_ns >= PART_NS);
    for (int i = 1; i < 3; i++)
        assert_true(at[i].run_delay_ns <= ns(at[i].ticks - at[i - 1].ticks));
}

static void events_in_a_row(void) {
    uint64_t end = processor_ns() + PART_NS;
    for (uint32_t number = 0; processor_ns() < end; number++)
        put_small(number);
}

static void many_events_have_few_readings(void **state) {
    static struct found before, after;
    (void)state;
    read_around(events_in_a_row, &before, &after);
    uint64_t readings = after.reading_count - before.reading_count;
    assert_true(readings > 1);
    assert_true(readings * 20 < after.small - before.small);
}

static void *record_one(void *number) {
    put_small((uint32_t)(uintptr_t)number);
    pinsight_recorder_file.thread_end();
    return NULL;
}

static void one_after_the_other(void) {
    announce();
    for (uintptr_t i = 0; i < 10; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, record_one, (void *)i);
        pthread_join(thread, NULL);
    }
}

/* A buffer goes from thread to thread, and each has its own clock. */
static void each_thread_is_read(void **state) {
    static struct found before, after;
    (void)state;
    read_around(one_after_the_other, &before, &after);
    assert_int_equal(after.small - before.small, 11);
    assert_int_equal(after.reading_count - before.reading_count, 10);
}

static void where_nothing_can_be_opened(void) {
    const struct rlimit none = {0, 0};
    announce();
    put_small(1);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    usleep(PART_NS / 1000);
    errno = ENOTTY;
    put_small(2);
    assert_int_equal(errno, ENOTTY);
}

/* Of all threads; streams are read in any order. */
static uint64_t run_delay_of(const struct found *found) {
    uint64_t sum = 0;
    assert_in_range(found->reading_count, 0, MOST_READINGS);
    for (uint64_t i = 0; i < found->reading_count; i++)
        sum += found->readings[i].run_delay_ns;
    return sum;
}

/* Events come between a program's call and its look at errno. */
static void errno_is_the_programs(void **state) {
    static struct found before, after;
    (void)state;
    read_around(where_nothing_can_be_opened, &before, &after);
    assert_int_equal(after.reading_count - before.reading_count, 2);
    assert_int_equal(run_delay_of(&after), run_delay_of(&before));
}

int main(void) {
    return RUN_TESTS_GROUP(set_up, take_down, waiting_is_told_from_work,
                           many_events_have_few_readings, each_thread_is_read,
                           errno_is_the_programs);
}
