/* Threads of PInsight's own in a traced program. */
#ifndef PINSIGHT_BASE_OWN_THREAD_H
#define PINSIGHT_BASE_OWN_THREAD_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/* Starts a thread that nobody joins, under a name of at most 15 characters. It blocks all signals:
 * the program's are for the program's threads. Returns whether there is one; may be called by any
 * thread. */
static inline bool pinsight_own_thread_start(const char *name, void *(*run)(void *), void *data) {
    sigset_t all, old;
    pthread_t thread;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    bool is_there = pthread_create(&thread, NULL, run, data) == 0;
    if (is_there) {
        pthread_setname_np(thread, name);
        pthread_detach(thread);
    }
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return is_there;
}

#endif
