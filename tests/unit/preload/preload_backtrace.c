/* backtrace() gives what libc's gives, but for code that is left out. */
#include "unit.h"

#include "tracer/preload/libc/libc.h"

#include <execinfo.h>
#include <stdint.h>
#include <string.h>

#define HIDDEN __attribute__((noinline, section("hidden_code")))
extern const char __start_hidden_code[] __attribute__((visibility("hidden")));
extern const char __stop_hidden_code[] __attribute__((visibility("hidden")));

enum { ROOM = 64 };
static void *frames[ROOM];
static int count, size;

static __attribute__((noinline)) void look(void) {
    count = backtrace(frames, size);
    __asm__ volatile("" ::: "memory"); /* no tail call */
}

HIDDEN static void inner(void) {
    look();
    __asm__ volatile("" ::: "memory");
}

/* Not hidden, between two that are. */
static __attribute__((noinline)) void middle(void) {
    inner();
    __asm__ volatile("" ::: "memory");
}

HIDDEN static void outer(void) {
    middle();
    __asm__ volatile("" ::: "memory");
}

static bool is_in_hidden(const void *address) {
    return (uintptr_t)address > (uintptr_t)__start_hidden_code &&
           (uintptr_t)address <= (uintptr_t)__stop_hidden_code;
}

static int hidden_frames(void) {
    int found = 0;
    for (int i = 0; i < count; i++)
        found += is_in_hidden(frames[i]);
    return found;
}

/* The first of a function is where it called from, some bytes behind its begin. */
static bool first_is_in_look(void) {
    uintptr_t at = (uintptr_t)frames[0], begin = (uintptr_t)look;
    return at > begin && at < begin + 256;
}

static void test_leaves_out(void **state) {
    (void)state;
    size = ROOM;
    outer();
    int all = count;
    assert_true(first_is_in_look());
    assert_int_equal(hidden_frames(), 2);

    pinsight_preload_hide_code(__start_hidden_code, __stop_hidden_code);
    pinsight_preload_hide_code(__start_hidden_code, __stop_hidden_code);
    outer();
    assert_true(first_is_in_look());
    assert_int_equal(hidden_frames(), 0);
    assert_int_equal(count, all - 2);

    /* As many as were asked for, though some were left out: look, middle, here, and who called. */
    enum { HERE = 2 };
    void *whole[ROOM];
    memcpy(whole, frames, sizeof whole);
    for (size = 1; size <= all - 2; size++) {
        outer();
        assert_int_equal(count, size);
        if (size - 1 != HERE)
            assert_ptr_equal(frames[size - 1], whole[size - 1]);
    }
    size = 0;
    outer();
    assert_int_equal(count, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_leaves_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
