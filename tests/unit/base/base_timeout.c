/* Work that may hang. */
#include "unit.h"

#include <unistd.h>

#include "base/clock.h"
#include "base/timeout.h"

static void work_add(const struct pinsight_pulse *pulse, const void *request, void *result) {
    pinsight_pulse_beat(pulse, "add");
    *(int *)result = *(const int *)request + 1;
}

static void work_hang(const struct pinsight_pulse *pulse, const void *request, void *result) {
    (void)request;
    (void)result;
    pinsight_pulse_beat(pulse, "hang for good");
    for (;;) {
        pause();
    }
}

static void work_crash(const struct pinsight_pulse *pulse, const void *request, void *result) {
    (void)request;
    (void)result;
    pinsight_pulse_beat(pulse, "crash");
    _exit(3);
}

static void work_slowly(const struct pinsight_pulse *pulse, const void *request, void *result) {
    (void)request;
    for (int i = 0; i < 10; i++) {
        pinsight_pulse_beat(pulse, "go on");
        pinsight_sleep_ms(40);
    }
    *(int *)result = 10;
}

static int answer;

static struct pinsight_timed_call make(void (*work)(const struct pinsight_pulse *, const void *,
                                                    void *)) {
    static const int one = 1;

    answer = -5;
    return (struct pinsight_timed_call){.work = work,
                                        .request = &one,
                                        .result = &answer,
                                        .result_size = sizeof(answer),
                                        .silence_ms = 200};
}

static void test_done(void **state) {
    struct pinsight_timed_call work = make(work_add);

    (void)state;
    assert_int_equal(pinsight_call_with_timeout(&work), PINSIGHT_TIMED_DONE);
    assert_int_equal(answer, 2);
    assert_string_equal(work.last, "add");
}

static void test_hung(void **state) {
    struct pinsight_timed_call work = make(work_hang);
    int64_t start = pinsight_now_ms();

    (void)state;
    assert_int_equal(pinsight_call_with_timeout(&work), PINSIGHT_TIMED_HUNG);
    assert_in_range(pinsight_now_ms() - start, 190, 5000);
    assert_int_equal(answer, -5);
    assert_string_equal(work.last, "hang for good");
}

static void test_crashed(void **state) {
    struct pinsight_timed_call work = make(work_crash);

    (void)state;
    assert_int_equal(pinsight_call_with_timeout(&work), PINSIGHT_TIMED_DIED);
    assert_int_equal(answer, -5);
}

static void count(void *listener, const char *what) {
    assert_string_equal(what, "go on");
    ++*(int *)listener;
}

static void test_slow_work_that_beats_is_let_be(void **state) {
    struct pinsight_timed_call work = make(work_slowly);
    int heard = 0;

    (void)state;
    work.on_beat = count;
    work.listener = &heard;
    assert_int_equal(pinsight_call_with_timeout(&work), PINSIGHT_TIMED_DONE);
    assert_int_equal(answer, 10);
    assert_int_equal(heard, 10);
}

int main(void) {
    return RUN_TESTS(test_done, test_hung, test_crashed, test_slow_work_that_beats_is_let_be);
}
