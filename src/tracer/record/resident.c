/* Resident memory; see resident.h. */
#include "tracer/record/resident.h"

#include "tracer/record/proc_number.h"

#include <stdbool.h>
#include <sys/auxv.h>

/* Returns whether the caller is to read at `now`. Of several threads, one is. */
static bool take_turn(uint64_t now, uint64_t interval) {
    static uint64_t next;
    uint64_t due = __atomic_load_n(&next, __ATOMIC_RELAXED);
    return now >= due && __atomic_compare_exchange_n(&next, &due, now + interval, false,
                                                     __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

uint64_t pinsight_resident_bytes(uint64_t now, uint64_t interval) {
    /* The second number is in pages (proc_pid_statm(5)). */
    return take_turn(now, interval)
               ? pinsight_proc_second_number("/proc/self/statm") * getauxval(AT_PAGESZ)
               : 0;
}
