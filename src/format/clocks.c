/* The clock of the file recorder's traces; see folder.h. */
#include "format/folder.h"

#include "base/kernel_clock.h"
#include "format/ticks.h"

#include <fcntl.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

static uint64_t read_clock(clockid_t clock) {
    return pinsight_kernel_ns(clock);
}

/* Reads the clocks several times and keeps the closest reading. Interrupted readings are longer. */
void pinsight_file_clocks(struct pinsight_clocks *clocks, bool has_counter) {
    uint64_t shortest = UINT64_MAX;
    for (int i = 0; i < 5; i++) {
        uint64_t before = has_counter ? pinsight_stream_ticks() : read_clock(CLOCK_MONOTONIC);
        uint64_t monotonic = read_clock(CLOCK_MONOTONIC);
        uint64_t real = read_clock(CLOCK_REALTIME);
        uint64_t after = has_counter ? pinsight_stream_ticks() : read_clock(CLOCK_MONOTONIC);
        if (after - before >= shortest)
            continue;
        shortest = after - before;
        clocks->ticks = has_counter ? before + shortest / 2 : monotonic;
        clocks->monotonic = monotonic;
        clocks->real = real;
    }
}

void pinsight_file_clocks_note(struct pinsight_control *control) {
    struct pinsight_clocks now;
    pinsight_file_clocks(&now, control->has_counter);
    /* Several processes may write at once. Their mixture does not match the sum. */
    __atomic_store_n(&control->last.ticks, now.ticks, __ATOMIC_RELAXED);
    __atomic_store_n(&control->last.monotonic, now.monotonic, __ATOMIC_RELAXED);
    __atomic_store_n(&control->last.real, now.real, __ATOMIC_RELAXED);
    __atomic_store_n(&control->last_check, now.ticks + now.monotonic + now.real, __ATOMIC_RELEASE);
}
