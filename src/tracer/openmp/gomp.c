/* The start of GCC's OpenMP as a runtime of the domain, and the threads that call it; see gomp.h.
 */
#include "tracer/openmp/gomp.h"

#include <stdlib.h>

const struct pinsight_gomp_shim *pinsight_gomp_shim;

void pinsight_gomp_redirect(enum pinsight_mode mode) {
    static void *const none[PINSIGHT_GOMP_FUNCTIONS];
    void *all[] = {
#define OUTLINED(name) pinsight_gomp_on_##name,
#define CALL(name) pinsight_gomp_on_##name,
#include "tracer/openmp/gomp_functions.def"
    };
    pinsight_gomp_shim->redirect(mode >= PINSIGHT_MODE_MONITORING ? all : none);
}

/* Called for a thread that was begun neither by libgomp nor by another runtime. */
struct pinsight_ompt_thread *pinsight_gomp_thread_slow(void) {
    struct pinsight_ompt_thread *thread = pinsight_omp_thread();
    if (!thread || thread->gomp.is_reported)
        return thread;
    ompt_data_t data = ompt_data_none;
    thread->gomp.is_reported = true;
    thread->gomp.current = pinsight_gomp_shim->current();
    if (thread->top ==
        &thread->outside_all) { /* unknown to other runtimes, and not the first thread of a child */
        pinsight_omp_on_thread_begin(ompt_thread_initial, &data);
        pinsight_omp_on_implicit_task(ompt_scope_begin, NULL, &data, 1, 1, ompt_task_initial);
    }
    thread->gomp.task = data.value ? data.value : thread->task << 2;
    return thread;
}

void pinsight_gomp_thread_ends(struct pinsight_ompt_thread *thread) {
    pinsight_gomp_part_left(thread);
    thread->gomp.is_reported = false;
}

/* Ends the thread's part when the process exits in this thread. */
static void at_exit(void) {
    struct pinsight_ompt_thread *thread = pinsight_omp_thread_there();
    if (!thread || !thread->gomp.is_reported)
        return;
    pinsight_gomp_thread_ends(thread);
    pinsight_omp_on_thread_end(NULL);
    pinsight_native_ends(&pinsight_omp_native);
}

PINSIGHT_API void pinsight_gomp_start(const struct pinsight_gomp_shim *shim);
void pinsight_gomp_start(const struct pinsight_gomp_shim *shim) {
    if (pinsight_native_register(&pinsight_omp_native) != 0)
        return;
    pinsight_process_start();
    atexit(at_exit);
    pinsight_omp_gomp_starts(shim);
    pinsight_native_start(&pinsight_omp_native);
}
