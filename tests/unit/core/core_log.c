/* The logger: a line, once, in one write; and the clock. */
#include "unit.h"

#include "tracer/core/clock.h"
#include "tracer/core/log.h"

#include <errno.h>
#include <unistd.h>

static int saved_stderr = -1, pipe_ends[2];

static void capture(void) {
    assert_int_equal(pipe(pipe_ends), 0);
    saved_stderr = dup(STDERR_FILENO);
    dup2(pipe_ends[1], STDERR_FILENO);
    close(pipe_ends[1]);
}

static void release(char *text, size_t size) {
    dup2(saved_stderr, STDERR_FILENO);
    close(saved_stderr);
    ssize_t length = read(pipe_ends[0], text, size - 1);
    text[length > 0 ? length : 0] = '\0';
    close(pipe_ends[0]);
}

static void a_thing_is_said_once(void **state) {
    (void)state;
    static struct pinsight_log_once once = PINSIGHT_LOG_ONCE_INIT;
    char text[4096];
    capture();
    errno = 42;
    for (int i = 0; i < 3; i++)
        pinsight_log_once(&once, "number %d", i);
    assert_int_equal(errno, 42);
    release(text, sizeof text);
    assert_string_equal(text, "pinsight: number 0\n");
}

static void a_long_text_is_cut(void **state) {
    (void)state;
    static struct pinsight_log_once once = PINSIGHT_LOG_ONCE_INIT;
    char text[4096], lots[3000];
    memset(lots, 'x', sizeof lots - 1);
    lots[sizeof lots - 1] = '\0';
    capture();
    pinsight_log_once(&once, "%s", lots);
    release(text, sizeof text);
    assert_in_range(strlen(text), 1000, 1024);
    assert_int_equal(text[strlen(text) - 1], '\n');
}

static void quiet_says_nothing(void **state) {
    (void)state;
    static struct pinsight_log_once once = PINSIGHT_LOG_ONCE_INIT;
    char text[64];
    setenv("PINSIGHT_QUIET", "1", 1);
    capture();
    pinsight_log_once(&once, "not to be seen");
    assert_int_equal(write(STDERR_FILENO, "end", 3), 3);
    release(text, sizeof text);
    unsetenv("PINSIGHT_QUIET");
    assert_string_equal(text, "end");
}

static void the_clock_goes_forward_at_its_rate(void **state) {
    (void)state;
    pinsight_clock_start();
    pinsight_clock_start();
    uint64_t ticks = pinsight_clock_ticks(), ns = pinsight_clock_ns();
    while (pinsight_clock_ns() - ns < 20000000u) {
    }
    double measured = (double)(pinsight_clock_ticks() - ticks) * pinsight_clock_rate();
    double passed = (double)(pinsight_clock_ns() - ns);
    assert_true(measured > 0.9 * passed && measured < 1.1 * passed);
}

int main(void) {
    return RUN_TESTS(a_thing_is_said_once, a_long_text_is_cut, quiet_says_nothing,
                     the_clock_goes_forward_at_its_rate);
}
