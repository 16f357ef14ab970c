/*
 * A thread of ours that serves the process until it ends: it has a name, and blocks every signal,
 * because the program's signals are for the program's threads.
 *
 * It may have to leave for a moment: what only a process with one thread may do (unshare(2),
 * setns(2)) the program could not do beside it.
 */
#ifndef PINSIGHT_CORE_SERVICE_H
#define PINSIGHT_CORE_SERVICE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct pinsight_service {
    const char *name; /* 15 bytes at most: pthread_setname_np(3) */
    void (*run)(void);
    _Atomic int state; /* service.c; 0 where there is no thread */
    _Atomic int32_t tid;
};

/* Starts the thread of a service that has none; a forked child has none. False where none can be
 * had. One thread at a time for a service. */
bool pinsight_service_start(struct pinsight_service *service);

/* Has it a thread? Any thread. */
bool pinsight_service_is_there(const struct pinsight_service *service);

/* Is it the calling thread? */
bool pinsight_service_is_this(const struct pinsight_service *service);

/* In the thread: is it asked to leave? Then run() is to return at once. */
bool pinsight_service_leaves(struct pinsight_service *service);

/* Asks the thread to leave; whoever asks wakes it then. False where there is none. Any other
 * thread. */
bool pinsight_service_ask(struct pinsight_service *service);

/* Waits until the kernel has no thread that was asked any more, until `until_ns` (CLOCK_MONOTONIC)
 * at most: then the thread stays. True where the service has no thread now. Any other thread. */
bool pinsight_service_gone(struct pinsight_service *service, uint64_t until_ns);

/* In a forked child: the thread is not there. */
void pinsight_service_fork_child(struct pinsight_service *service);

#endif
