/* Threads of PInsight's own in a traced program. */
#ifndef PINSIGHT_BASE_OWN_THREAD_H
#define PINSIGHT_BASE_OWN_THREAD_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/* Of its stack, in bytes. The usual 8 MiB are addresses that the program may lack (ulimit -v). */
#define PINSIGHT_OWN_STACK ((size_t)512 * 1024)

/* As pthread_create(), with a small stack; with the usual one where the thread-local variables of
 * the program's libraries, which are part of it, leave no room. Returns whether there is one. */
static inline bool pinsight_own_thread_make(pthread_t *thread, void *(*run)(void *), void *data) {
    pthread_attr_t how;
    bool is_there = false;
    if (pthread_attr_init(&how) == 0) {
        is_there = pthread_attr_setstacksize(&how, PINSIGHT_OWN_STACK) == 0 &&
                   pthread_create(thread, &how, run, data) == 0;
        pthread_attr_destroy(&how);
    }
    return is_there || pthread_create(thread, NULL, run, data) == 0;
}

/* Starts a thread that nobody joins, under a name of at most 15 characters. It blocks all signals:
 * the program's are for the program's threads. Returns whether there is one; may be called by any
 * thread. */
static inline bool pinsight_own_thread_start(const char *name, void *(*run)(void *), void *data) {
    sigset_t all, old;
    pthread_t thread;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    bool is_there = pinsight_own_thread_make(&thread, run, data);
    if (is_there) {
        pthread_setname_np(thread, name);
        pthread_detach(thread);
    }
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return is_there;
}

#endif
