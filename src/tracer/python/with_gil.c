/* Work with the GIL for a thread that must not wait for it; see with_gil.h. */
#include "tracer/python/with_gil.h"

#include "base/own_thread.h"
#include "tracer/python/cpython/gil_request.h"
#include "tracer/python/finalisation_guard.h"
#include "tracer/python/serial.h"
#include "tracer/python/versions.h"

#include <pthread.h>
#include <signal.h>

#define WORKS_MAX 8

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void (*works[WORKS_MAX])(void);
static unsigned work_count;
static bool waiting; /* a thread of ours waits for the GIL, or works */

/* Returns the next work, or NULL. `ends` means that our thread asks, which ends if there is none.
 */
static void (*take(bool ends))(void) {
    void (*work)(void) = NULL;
    pthread_mutex_lock(&lock);
    if (work_count > 0) {
        work = works[0];
        work_count--;
        for (unsigned i = 0; i < work_count; i++)
            works[i] = works[i + 1];
    } else if (ends) {
        waiting = false;
    }
    pthread_mutex_unlock(&lock);
    return work;
}

static void carry_out(void (*work)(void)) {
    pinsight_serial_begin();
    work();
    pinsight_serial_end();
}

/* Does the work in a thread of the program. */
static void help(void) {
    for (void (*work)(void); (work = take(false));)
        carry_out(work);
}

static void *wait_for_gil(void *unused) {
    (void)unused;
    bool open = pinsight_interpreter_enter();
    int state = open ? pinsight_gil_request(help) : 0;
    for (void (*work)(void); (work = take(true));)
        if (open)
            carry_out(work);
    if (open) {
        PyErr_Clear();
        PyGILState_Release((PyGILState_STATE)state);
        pinsight_interpreter_leave();
    }
    return NULL;
}

void pinsight_with_gil(void (*work)(void)) {
    bool start = false, known = false;
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < work_count; i++)
        known = known || works[i] == work;
    if (!known && work_count < WORKS_MAX)
        works[work_count++] = work;
    if (!waiting)
        waiting = start = true;
    pthread_mutex_unlock(&lock);
    if (!start)
        return;
    if (!pinsight_own_thread_start("pinsight-apply", wait_for_gil, NULL)) {
        pthread_mutex_lock(&lock);
        waiting = false; /* a callback or the next request does it */
        pthread_mutex_unlock(&lock);
    }
}

void pinsight_with_gil_fork_child(void) {
    lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    waiting = false;
    work_count = 0;
}
