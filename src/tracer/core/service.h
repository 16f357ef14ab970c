/*
 * A thread of PInsight that serves the process until the process ends. It has a name, and blocks
 * every signal, because the program's signals are for the program's threads.
 *
 * It may have to end for a moment, because some calls (unshare(2), setns(2)) need a process with
 * one thread.
 */
#ifndef PINSIGHT_CORE_SERVICE_H
#define PINSIGHT_CORE_SERVICE_H

#include "pinsight/pinsight.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct pinsight_service {
    const char *name; /* 15 bytes at most: pthread_setname_np(3) */
    void (*run)(void);
    _Atomic int state; /* see service.c; 0: no thread */
    _Atomic int32_t tid;
};

/* Returns whether PInsight may start a thread in a thread of the program. A new thread inherits the
 * program's filters of system calls (seccomp(2)), which may end the process for a call of
 * PInsight's. Any thread. */
PINSIGHT_API bool pinsight_threads_may_start(void);

/* Starts the thread of a service that has none, as in a forked child. Returns false if no thread
 * can be made or may start, and where threads are scarce. One caller at a time for a service. */
bool pinsight_service_start(struct pinsight_service *service);

/* Returns whether the service has a thread. Any thread. */
bool pinsight_service_is_there(const struct pinsight_service *service);

/* Returns whether the calling thread is that of the service. */
bool pinsight_service_is_this(const struct pinsight_service *service);

/* Returns whether the thread has to end; run() must then return at once. Called in the thread. */
bool pinsight_service_leaves(struct pinsight_service *service);

/* Asks the thread to end. The caller then wakes it. Returns false if there is none. Any other
 * thread. */
bool pinsight_service_ask(struct pinsight_service *service);

/* Waits until the thread that was asked has ended in the kernel, but not beyond `until_ns`
 * (CLOCK_MONOTONIC); then the thread stays. Returns whether the service has no thread now. Any
 * other thread. */
bool pinsight_service_gone(struct pinsight_service *service, uint64_t until_ns);

/* For a forked child, which has no such thread. */
void pinsight_service_fork_child(struct pinsight_service *service);

#endif
