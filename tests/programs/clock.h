/* Time in programs that know what they spend: nanoseconds of CLOCK_MONOTONIC. */
#ifndef TESTS_PROGRAMS_CLOCK_H
#define TESTS_PROGRAMS_CLOCK_H

#include <time.h>

static inline long long now(void) {
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static inline void rest(long long ns) {
    struct timespec time = {ns / 1000000000, ns % 1000000000};

    nanosleep(&time, NULL);
}

#endif
