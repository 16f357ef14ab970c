/* pthread_create() is repeated while memory is scarce, in a process with a recorder and not for
 * long. */
#include "unit.h"

#include "../../../src/tracer/preload/libc/creates.c"

static int calls, failures, failure;

static int stub(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *), void *data) {
    (void)how;
    (void)run;
    calls++;
    *thread = (pthread_t)data;
    return calls <= failures ? failure : 0;
}

static void *nothing(void *unused) {
    return unused;
}

/* Returns the result of a call of which the first tries fail. */
static int created(int error, int times) {
    pthread_t thread;
    calls = 0;
    failures = times;
    failure = error;
    errno = 7;
    int result = pthread_create(&thread, NULL, nothing, NULL);
    assert_int_equal(errno, 7);
    return result;
}

static void test_repeats(void **state) {
    (void)state;
    enum { FOR_EVER = 1 << 30 };
    pinsight_targets[TO_pthread_create] = (void *)stub;
    assert_int_equal(created(EAGAIN, 1), EAGAIN); /* without a recorder, libc's result */
    assert_int_equal(calls, 1);

    pinsight_creates_wait(true);
    assert_int_equal(created(0, 0), 0);
    assert_int_equal(calls, 1);
    assert_int_equal(created(EPERM, 1), EPERM);
    assert_int_equal(calls, 1);
    assert_int_equal(waited_ns, 0);
    assert_int_equal(created(EAGAIN, 3), 0);
    assert_int_equal(calls, 4);

    waited_ns = 0;
    assert_int_equal(created(EAGAIN, FOR_EVER), EAGAIN);
    assert_true(waited_ns >= CALL_NS && waited_ns < CALL_NS + PAUSE_MAX_NS);
    waited_ns = ALL_NS - 1;
    assert_int_equal(created(EAGAIN, FOR_EVER), EAGAIN);
    assert_int_equal(calls, 2);
    assert_int_equal(created(EAGAIN, FOR_EVER), EAGAIN); /* there is no time left */
    assert_int_equal(calls, 1);

    waited_ns = 0;
    pinsight_creates_wait(false);
    assert_int_equal(created(EAGAIN, 1), EAGAIN);
    assert_int_equal(calls, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_repeats)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
