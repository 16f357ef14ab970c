/* A cheap clock for MONITORING; see clock.h. */
#include "tracer/core/clock.h"

#include <pthread.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

bool pinsight_clock_has_counter;
static uint64_t start_ns, start_ticks;

/* Returns whether the counter runs at a constant rate. x86: CPUID 8000_0007h EDX bit 8, invariant
 * TSC (Intel SDM vol. 3B 18.17.1, AMD APM vol. 3 E.4.7). Arm: always, for the generic timer's
 * virtual count (Arm ARM D12.1). */
static bool constant_rate(void) {
#if defined(__x86_64__)
    unsigned a, b, c, d;
    return __get_cpuid(0x80000007u, &a, &b, &c, &d) && (d & (1u << 8));
#elif defined(__aarch64__)
    return true;
#else
    return false;
#endif
}

static void start(void) {
    pinsight_clock_has_counter = constant_rate();
    start_ns = pinsight_clock_ns();
    start_ticks = pinsight_clock_ticks();
}

void pinsight_clock_start(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, start);
}

double pinsight_clock_rate(void) {
    if (!pinsight_clock_has_counter)
        return 1.0;
    uint64_t ns = pinsight_clock_ns() - start_ns, ticks = pinsight_clock_ticks() - start_ticks;
    return ticks ? (double)ns / (double)ticks : 1.0;
}
