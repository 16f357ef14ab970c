/* Requests for the GIL; see gil_request.h. */
#define Py_BUILD_CORE 1
#include "tracer/python/versions.h"

#undef _PyGC_FINALIZED
#if PY_VERSION_HEX < 0x03090000
#include <internal/pycore_pystate.h>
#elif PY_VERSION_HEX < 0x030c0000
#include <internal/pycore_interp.h>
#endif

#include "tracer/python/cpython/gil_request.h"

#include "base/own_thread.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <time.h>

#define RETRY_NS 5000000 /* equal to the interpreter's switch interval */

static sem_t have_it;

#if PINSIGHT_HAS_MONITORING

/* Exported for CPython's own test modules. Without flags, the first thread of the interpreter that
 * handles its pending calls runs it. Each thread handles them when it takes the GIL. */
extern int _PyEval_AddPendingCall(PyInterpreterState *interpreter, int (*call)(void *),
                                  void *argument, int flags) __attribute__((weak));

static void (*help_with)(void);

/* The most calls of ours in the list, which has room for 32 (3.12). Each of them notifies the
 * threads again, because a notified thread sometimes does not react. */
#define CALLS_MAX 16
static _Atomic uint32_t asked;

static int helped(void *unused) {
    (void)unused;
    if (atomic_load(&asked) > 0)
        atomic_fetch_sub(&asked, 1);
    PyObject *error = PyErr_GetRaisedException();
    help_with();
    PyErr_SetRaisedException(error);
    return 0;
}

static void ask(void) {
    if (!_PyEval_AddPendingCall || atomic_load(&asked) >= CALLS_MAX)
        return;
    atomic_fetch_add(&asked, 1);
    if (_PyEval_AddPendingCall(PyInterpreterState_Main(), helped, NULL, 0) != 0)
        atomic_fetch_sub(&asked, 1); /* the list is full */
}

static void asked_enough(void) {
}

void pinsight_gil_request_fork_child(void) {
    atomic_store(&asked, 0);
}

#else

/* Sets the flag that an impatient waiting thread sets (Python/ceval_gil.h, SET_GIL_DROP_REQUEST).
 * At its next check, the holder releases the GIL and waits until another thread has had it. */
static void set_request(int value) {
#if PY_VERSION_HEX < 0x03090000
    struct _ceval_runtime_state *state = &_PyRuntime.ceval;
#else
    struct _ceval_state *state = &PyInterpreterState_Main()->ceval;
#endif
    _Py_atomic_store_relaxed(&state->gil_drop_request, value);
    if (value)
        _Py_atomic_store_relaxed(&state->eval_breaker, 1);
}

static void ask(void) {
    set_request(1);
}

/* Withdraws the request. If it came too late, this thread would wait at its release for another
 * thread that takes the GIL. Other waiting threads request it again. */
static void asked_enough(void) {
    set_request(0);
}

void pinsight_gil_request_fork_child(void) {
}

#endif

static void *keep_asking(void *unused) {
    (void)unused;
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    do {
        ask();
        until.tv_nsec += RETRY_NS;
        if (until.tv_nsec >= 1000000000) {
            until.tv_nsec -= 1000000000;
            until.tv_sec++;
        }
    } while (sem_timedwait(&have_it, &until) != 0);
    return NULL;
}

int pinsight_gil_request(void (*help)(void)) {
#if PINSIGHT_HAS_MONITORING
    help_with = help;
#else
    (void)help;
#endif
    pthread_t thread;
    sem_init(&have_it, 0, 0);
    bool asking = pinsight_own_thread_make(&thread, keep_asking, NULL);
    if (asking)
        pthread_setname_np(thread, "pinsight-ask");
    PyGILState_STATE state = PyGILState_Ensure();
    if (asking) {
        sem_post(&have_it);
        pthread_join(thread, NULL);
        asked_enough();
    }
    return (int)state;
}
