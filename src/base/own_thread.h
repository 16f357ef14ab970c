/* PInsight's own threads in a traced program. */
#ifndef PINSIGHT_BASE_OWN_THREAD_H
#define PINSIGHT_BASE_OWN_THREAD_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/* Size of the stack, in bytes. The default of 8 MiB can exceed a limit of the address space (ulimit
 * -v). The shim recognises PInsight's threads by the size, which is not a power of two. */
#define PINSIGHT_OWN_STACK ((size_t)516 * 1024)

/* Like pthread_create(), with a small stack. The stack also holds the thread-local variables of the
 * program's libraries; if they leave too little room, the default size is used. Returns whether the
 * thread was made. */
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

/* Starts a detached thread with a name of at most 15 characters. The thread blocks all signals, so
 * that the program's threads get them. Returns whether the thread was made. Any thread. */
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
