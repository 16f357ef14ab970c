/* Threads that serve the process; see service.h. */
#include "tracer/core/service.h"

#include "base/clock.h"
#include "base/forbidden.h"
#include "base/own_thread.h"
#include "tracer/core/thread_limit.h"

#include <errno.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { NONE, STARTS, RUNS, ASKED, LEFT };

/* The wait for a thread that was just started: 100 ms at most. */
enum { PAUSE_NS = 100000, START_PAUSES = 1000 };

static bool moves(struct pinsight_service *service, int from, int to) {
    return atomic_compare_exchange_strong(&service->state, &from, to);
}

static void *serve(void *data) {
    struct pinsight_service *service = data;
    atomic_store(&service->tid, (int32_t)syscall(SYS_gettid));
    atomic_store(&service->state, RUNS);
    service->run();
    return NULL;
}

bool pinsight_threads_may_start(void) {
    return !atomic_load(&pinsight_threads_are_filtered);
}

bool pinsight_service_start(struct pinsight_service *service) {
    if (!moves(service, NONE, STARTS))
        return true;
    bool started = pinsight_threads_may_start() && !pinsight_thread_limit_is_near() &&
                   pinsight_own_thread_start(service->name, serve, service);
    if (!started)
        atomic_store(&service->state, NONE);
    return started;
}

bool pinsight_service_is_there(const struct pinsight_service *service) {
    return atomic_load(&service->state) != NONE;
}

bool pinsight_service_is_this(const struct pinsight_service *service) {
    return pinsight_service_is_there(service) &&
           atomic_load(&service->tid) == (int32_t)syscall(SYS_gettid);
}

bool pinsight_service_leaves(struct pinsight_service *service) {
    return moves(service, ASKED, LEFT);
}

bool pinsight_service_ask(struct pinsight_service *service) {
    const struct timespec pause = {.tv_nsec = PAUSE_NS};
    for (int i = 0; atomic_load(&service->state) == STARTS && i < START_PAUSES; i++)
        nanosleep(&pause, NULL);
    return moves(service, RUNS, ASKED);
}

bool pinsight_service_gone(struct pinsight_service *service, uint64_t until_ns) {
    const struct timespec pause = {.tv_nsec = PAUSE_NS};
    for (;;) {
        int state = atomic_load(&service->state);
        if (state == NONE)
            return true;
        if (state == LEFT && syscall(SYS_tgkill, getpid(), atomic_load(&service->tid), 0) != 0 &&
            errno == ESRCH) {
            atomic_store(&service->state, NONE);
            return true;
        }
        if (state != ASKED && state != LEFT)
            return false;
        /* a thread that has begun to end is waited for without limit */
        if (state == ASKED && pinsight_now_ns() > until_ns && moves(service, ASKED, RUNS))
            return false;
        nanosleep(&pause, NULL);
    }
}

void pinsight_service_fork_child(struct pinsight_service *service) {
    atomic_store(&service->state, NONE);
}
