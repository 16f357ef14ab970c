/* The line of progress; see progress.h. */
#include "reader/ctf/progress.h"

#include "base/clock.h"

#include <inttypes.h>
#include <stdio.h>

static uint64_t first_ns, last_ns;
static int shown;

void pinsight_progress_show(uint64_t events) {
    uint64_t now = pinsight_now_ns();

    if (!first_ns)
        first_ns = last_ns = now;
    if (now - first_ns < 1000000000u || now - last_ns < 200000000u)
        return;
    last_ns = now;
    shown = 1;
    fprintf(stderr, "\rreading the trace: %.1f million events ", (double)events / 1e6);
    fflush(stderr);
}

void pinsight_progress_end(void) {
    if (shown)
        fputs("\r\033[K", stderr);
    shown = 0;
    first_ns = 0;
}
