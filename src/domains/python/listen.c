/* Waiting for a session; see listen.h. */
#include "domains/python/listen.h"

#include "domains/python/domain.h"
#include "domains/python/gate.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>

#define LOOK_NS 100000000L

static _Atomic bool waiting;

static void *wait_for_session(void *data)
{
    int (*heard)(void *) = (int (*)(void *))(uintptr_t)data;
    const struct timespec pause = {.tv_nsec = LOOK_NS};
    for (;;) {
        nanosleep(&pause, NULL);
        if (!pinsight_python_listening())
            continue;
        if (!pinsight_gate_enter())
            return NULL;
        int asked = Py_AddPendingCall(heard, NULL);
        pinsight_gate_leave();
        if (asked == 0) { /* else the queue is full: again later */
            atomic_store(&waiting, false);
            return NULL;
        }
    }
}

void pinsight_listen_start(int (*heard)(void *unused))
{
    if (atomic_exchange(&waiting, true))
        return;
    sigset_t all, old;
    sigfillset(&all); /* the program's signals are for the program's threads */
    pthread_sigmask(SIG_SETMASK, &all, &old);
    pthread_t thread;
    if (pthread_create(&thread, NULL, wait_for_session, (void *)(uintptr_t)heard) == 0) {
        pthread_setname_np(thread, "pinsight-listen");
        pthread_detach(thread);
    } else {
        atomic_store(&waiting, false);
    }
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

void pinsight_listen_fork_child(void)
{
    atomic_store(&waiting, false);
}
