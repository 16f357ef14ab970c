/* The resident memory of the process, as the recorders read it. */
#include "tracer/record/resident.h"

#include "base/forbidden.h"
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#define LARGE (UINT64_C(64) << 20)

/* A time after all earlier readings. */
static uint64_t later(void) {
    static uint64_t now;
    return now += 100;
}

static uint64_t read_now(void) {
    return pinsight_resident_bytes(later(), 10);
}

static void it_grows_with_what_is_touched(void **state) {
    const uint64_t before = read_now();
    (void)state;
    assert_true(before > 0);
    /* Sanitizers keep what is freed. */
    char *memory = mmap(NULL, LARGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED);
    memset(memory, 1, LARGE);
    const uint64_t during = read_now();
    assert_int_equal(memory[LARGE / 2], 1);
    munmap(memory, LARGE);
    assert_true(during >= before + LARGE * 9 / 10);
    assert_true(read_now() <= during - LARGE * 9 / 10);
}

static void one_reading_in_an_interval(void **state) {
    const uint64_t now = later();
    (void)state;
    assert_true(pinsight_resident_bytes(now, 50) > 0);
    assert_int_equal(pinsight_resident_bytes(now, 50), 0);
    assert_int_equal(pinsight_resident_bytes(now + 49, 50), 0);
    assert_true(pinsight_resident_bytes(now + 50, 10) > 0);
}

/* Without a descriptor there is no reading, and errno is the program's. */
static void no_descriptor_is_left(void **state) {
    struct rlimit old, none;
    (void)state;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
    none = old;
    none.rlim_cur = 0;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    errno = EDOM;
    const uint64_t bytes = read_now();
    const int error = errno;
    setrlimit(RLIMIT_NOFILE, &old);
    assert_int_equal(bytes, 0);
    assert_int_equal(error, EDOM);
}

static void opens_are_forbidden(void **state) {
    (void)state;
    atomic_store(&pinsight_opens_are_forbidden, true);
    assert_int_equal(read_now(), 0);
    atomic_store(&pinsight_opens_are_forbidden, false);
    assert_true(read_now() > 0);
}

int main(void) {
    return RUN_TESTS(it_grows_with_what_is_touched, one_reading_in_an_interval,
                     no_descriptor_is_left, opens_are_forbidden);
}
