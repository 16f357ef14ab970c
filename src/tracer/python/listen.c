/* The wait for a session, or for the end of a profiler; see listen.h. */
#include "tracer/python/listen.h"

#include "base/own_thread.h"
#include "tracer/core/service.h"
#include "tracer/python/finalisation_guard.h"
#include "tracer/python/versions.h"

#include <stdatomic.h>
#include <time.h>

#define LOOK_NS 100000000L

static _Atomic bool waiting;
/* The condition of the wait. Written before the thread starts. */
static bool (*wanted)(void);
static void (*answer)(void);

/* A pending call would need no thread state, but up to 3.11, a main thread that only runs does not
 * notice one from another thread. */
static void *wait_for_it(void *unused) {
    (void)unused;
    const struct timespec pause = {.tv_nsec = LOOK_NS};
    do {
        nanosleep(&pause, NULL);
    } while (!wanted());
    if (!pinsight_interpreter_enter())
        return NULL;
    PyGILState_STATE state = PyGILState_Ensure();
    atomic_store(&waiting, false); /* the callback may start the next wait */
    answer();
    PyGILState_Release(state);
    pinsight_interpreter_leave();
    return NULL;
}

void pinsight_listen_start(bool (*ready)(void), void (*changed)(void)) {
    if (atomic_exchange(&waiting, true))
        return;
    wanted = ready;
    answer = changed;
    if (!pinsight_threads_may_start() ||
        !pinsight_own_thread_start("pinsight-listen", wait_for_it, NULL))
        atomic_store(&waiting, false);
}

void pinsight_listen_fork_child(void) {
    atomic_store(&waiting, false);
}
