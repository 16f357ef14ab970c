/* The clock of a trace that the file recorder writes. */
#ifndef PINSIGHT_FORMAT_TICKS_H
#define PINSIGHT_FORMAT_TICKS_H

#include <stdint.h>

/* Returns the present time of the trace's clock: the processor's counter; 0 if there is none. */
static inline uint64_t pinsight_stream_ticks(void) {
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#else
    return 0;
#endif
}

#endif
