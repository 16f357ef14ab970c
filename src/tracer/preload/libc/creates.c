/*
 * pthread_create(): the starts of threads, and what happens where memory or threads are scarce.
 *
 * The tracer learns which thread starts another (tracer/core/thread_start.h).
 *
 * A thread that another thread has joined still has its stack until it ends. The recorder makes
 * that time longer, because it closes the thread's buffer. With a limit of addresses (ulimit -v) or
 * of threads (ulimit -u), the next thread may then lack what natively is free already. Therefore a
 * failed call is repeated for a while. All waits of a process have one limit, so that a program
 * that tries its limits out hardly becomes slower.
 */
#include "forward.h"
#include "libc.h"

#include "base/own_thread.h"
#include "tracer/core/thread_start.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The pause between two tries doubles, from the first value to the second. */
enum { PAUSE_NS = 50000, PAUSE_MAX_NS = 6400000 };

/* The longest wait of a call, and of all calls of the process. */
enum { CALL_NS = 200000000, ALL_NS = 1000000000 };

static atomic_bool repeats;
static atomic_int waited_ns;

void pinsight_creates_wait(bool wait) {
    repeats = wait;
}

static const struct pinsight_thread_starts *_Atomic starts;

void pinsight_preload_on_thread(const struct pinsight_thread_starts *listener) {
    starts = listener;
}

typedef int (*creator)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

static int create_in_time(creator create, pthread_t *thread, const pthread_attr_t *how,
                          void *(*run)(void *), void *data) {
    int error = create(thread, how, run, data);
    if (__builtin_expect(error != EAGAIN, 1) || !repeats) {
        return error;
    }
    int kept = errno;
    long pause = PAUSE_NS;
    for (long waited = 0; error == EAGAIN && waited < CALL_NS && waited_ns < ALL_NS;) {
        struct timespec time = {.tv_nsec = pause};
        syscall(SYS_nanosleep, &time, NULL); /* nanosleep() is a point of cancellation */
        waited += pause;
        atomic_fetch_add(&waited_ns, (int)pause);
        if (pause < PAUSE_MAX_NS) {
            pause *= 2;
        }
        error = create(thread, how, run, data);
    }
    errno = kept;
    return error;
}

static bool is_own(const pthread_attr_t *how) {
    size_t size;
    return how && pthread_attr_getstacksize(how, &size) == 0 && size == PINSIGHT_OWN_STACK;
}

PINSIGHT_EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *how,
                                   void *(*run)(void *), void *data) {
    creator create = pinsight_next(TO_pthread_create);
    if (!create) {
        return ENOSYS;
    }
    const struct pinsight_thread_starts *listener = starts;
    void *start = listener && !is_own(how) ? listener->prepare(run, data) : NULL;
    if (!start) {
        return create_in_time(create, thread, how, run, data);
    }
    int error = create_in_time(create, thread, how, listener->run, start);
    if (error) {
        listener->forget(start);
    }
    return error;
}
