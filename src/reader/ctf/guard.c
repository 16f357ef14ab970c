/* The count of ticks without a step. */
#include "reader/ctf/guard.h"

#include <sys/resource.h>

#define TICKS_A_SECOND (1000000 / PINSIGHT_GUARD_TICK_US)
#define KIB_A_GIB (1l << 20)

struct pinsight_guard pinsight_guard;

bool pinsight_guard_is_stuck(void) {
    static sig_atomic_t last;
    static unsigned ticks;
    static long memory;
    struct rusage used = {0};

    getrusage(RUSAGE_SELF, &used);
    if (!pinsight_guard.inside || pinsight_guard.steps != last) {
        last = pinsight_guard.steps;
        ticks = 0;
        memory = used.ru_maxrss;
        return false;
    }
    return ++ticks > (3 + 2 * (pinsight_guard.bytes >> 30)) * TICKS_A_SECOND ||
           used.ru_maxrss - memory > KIB_A_GIB;
}
