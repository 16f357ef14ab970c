/* The watchdog of lossless runs; see watchdog.h. */
#include "tracer/core/watchdog.h"

#include "base/own_thread.h"
#include "tracer/core/domain.h"
#include "tracer/core/log.h"
#include "tracer/core/mode.h"
#include "tracer/core/process.h"
#include "tracer/core/service.h"
#include "tracer/core/thread.h"
#include "tracer/record/recorder.h"

#include <stdbool.h>
#include <time.h>

/* The period of looks. A thread with the same odd progress at two successive looks was inside one
 * event in between. With a living daemon, an event takes much less. */
#define LOOK_NS 600000000L

static _Atomic bool running;

void pinsight_watchdog_stuck(void) {
    static struct pinsight_log_once once = PINSIGHT_LOG_ONCE_INIT;
    atomic_store(&pinsight_process.stuck, true);
    PINSIGHT_EACH_DOMAIN(domain) {
        if (pinsight_domain_mode(domain) > PINSIGHT_MODE_STANDBY)
            pinsight_domain_request_mode(domain, PINSIGHT_MODE_STANDBY);
    }
    pinsight_log_once(&once,
                      "the reader of the trace buffers has ended (%s); process %d continues "
                      "untraced, and its recording so far stays readable",
                      pinsight_recorder->unread, (int)pinsight_process.pid);
}

static void look_at(struct pinsight_core_thread *thread, void *data) {
    bool *stuck = data;
    uint32_t progress = atomic_load_explicit(&thread->progress, memory_order_relaxed);
    if ((progress & 1) && thread->watched == progress)
        *stuck = true;
    thread->watched = progress;
}

static void *watch(void *unused) {
    (void)unused;
    const struct timespec pause = {.tv_nsec = LOOK_NS};
    for (;;) {
        nanosleep(&pause, NULL);
        bool stuck = false;
        pinsight_thread_each(look_at, &stuck);
        if (stuck)
            pinsight_watchdog_stuck();
    }
    return NULL;
}

void pinsight_watchdog_start(void) {
    if (!pinsight_process.lossless || atomic_exchange(&running, true))
        return;
    if (!pinsight_threads_may_start() || !pinsight_own_thread_start("pinsight-watch", watch, NULL))
        atomic_store(&running, false);
}

void pinsight_watchdog_fork_child(void) {
    atomic_store(&running, false);
}
