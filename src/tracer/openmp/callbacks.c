/*
 * Registers callbacks with the runtime. A registered callback is replaced by another one, and never
 * removed: threads of the runtime may be about to call it (libomp crashes on NULL).
 */
#include "tracer/openmp/domain.h"

/* Functions that do nothing, for events without an end. Callbacks of pairs stay registered, because
 * an end must be recorded in any mode. They check the mode themselves. */
#define NOTHING(name, parameters)                                                                  \
    static void no_##name parameters {                                                             \
    }
#define UNUSED __attribute__((unused))
NOTHING(thread_begin, (UNUSED ompt_thread_t type, UNUSED ompt_data_t *data))
NOTHING(dependences, (UNUSED ompt_data_t * task, UNUSED const ompt_dependence_t *all, UNUSED int n))
NOTHING(task_dependence, (UNUSED ompt_data_t * source, UNUSED ompt_data_t *sink))
NOTHING(cancel, (UNUSED ompt_data_t * task, UNUSED int flags, UNUSED const void *codeptr))
NOTHING(flush, (UNUSED ompt_data_t * data, UNUSED const void *codeptr))

enum {
    ALWAYS = -1,
    COUNTS = -2
}; /* in place of a kind: registered in TRACING; in TRACING and MONITORING */

struct callback {
    ompt_callbacks_t event;
    ompt_callback_t real, quiet;
    int kind;
    /* Index of the callback that this one replaces if the runtime lacks that one. -1: none. */
    int instead_of;
};

#define REAL(name) ompt_callback_##name, (ompt_callback_t)0, (ompt_callback_t)0

/* The addresses are no constants for the compiler. fill() writes them. */
static struct callback callbacks[] = {
    {REAL(thread_begin), PINSIGHT_OPENMP_KIND_THREAD, -1},
    {REAL(thread_end), ALWAYS, -1},
    {REAL(parallel_begin), COUNTS, -1},
    {REAL(parallel_end), COUNTS, -1},
    {REAL(implicit_task), COUNTS, -1},
    {REAL(work), PINSIGHT_OPENMP_KIND_WORK, -1},
    {REAL(masked), PINSIGHT_OPENMP_KIND_MASKED, -1},
    {REAL(sync_region), COUNTS, -1},
    {REAL(sync_region_wait), PINSIGHT_OPENMP_KIND_SYNC_WAIT, -1},
    {REAL(reduction), PINSIGHT_OPENMP_KIND_REDUCTION, -1},
    {REAL(task_create), PINSIGHT_OPENMP_KIND_TASK, -1},
    {REAL(task_schedule), PINSIGHT_OPENMP_KIND_TASK, -1},
    {REAL(dependences), PINSIGHT_OPENMP_KIND_DEPENDENCE, -1},
    {REAL(task_dependence), PINSIGHT_OPENMP_KIND_DEPENDENCE, -1},
    {REAL(mutex_acquire), PINSIGHT_OPENMP_KIND_MUTEX, -1},
    {REAL(mutex_acquired), PINSIGHT_OPENMP_KIND_MUTEX, -1},
    {REAL(mutex_released), PINSIGHT_OPENMP_KIND_MUTEX, -1},
    {REAL(nest_lock), PINSIGHT_OPENMP_KIND_MUTEX, -1},
    {REAL(target_emi), PINSIGHT_OPENMP_KIND_TARGET, -1},
    {REAL(target_data_op_emi), PINSIGHT_OPENMP_KIND_TARGET, -1},
    {REAL(target_submit_emi), PINSIGHT_OPENMP_KIND_TARGET, -1},
    {REAL(target), PINSIGHT_OPENMP_KIND_TARGET, 18},
    {REAL(target_data_op), PINSIGHT_OPENMP_KIND_TARGET, 19},
    {REAL(target_submit), PINSIGHT_OPENMP_KIND_TARGET, 20},
    {REAL(cancel), PINSIGHT_OPENMP_KIND_CANCEL, -1},
    {REAL(flush), PINSIGHT_OPENMP_KIND_FLUSH, -1},
};
#define COUNT (sizeof callbacks / sizeof *callbacks)

/* The state of each callback in the runtime. */
static enum { NONE, REFUSED, QUIET, REAL_ONE } state[COUNT];

static void fill(void) {
    static const struct {
        ompt_callbacks_t event;
        ompt_callback_t quiet;
    } silent[] = {
        {ompt_callback_thread_begin, (ompt_callback_t)no_thread_begin},
        {ompt_callback_dependences, (ompt_callback_t)no_dependences},
        {ompt_callback_task_dependence, (ompt_callback_t)no_task_dependence},
        {ompt_callback_cancel, (ompt_callback_t)no_cancel},
        {ompt_callback_flush, (ompt_callback_t)no_flush},
    };
    unsigned at = 0;
    if (callbacks[0].real)
        return;
#define PINSIGHT_OMP_FILL(name)                                                                    \
    callbacks[at].quiet = callbacks[at].real = (ompt_callback_t)pinsight_omp_on_##name;            \
    at++;
    PINSIGHT_OMP_CALLBACKS(PINSIGHT_OMP_FILL)
    for (at = 0; at < COUNT; at++)
        for (unsigned i = 0; i < sizeof silent / sizeof *silent; i++)
            if (silent[i].event == callbacks[at].event)
                callbacks[at].quiet = silent[i].quiet;
}

static bool is_wanted(const struct callback *callback, enum pinsight_mode mode) {
    if (mode == PINSIGHT_MODE_MONITORING)
        return callback->kind == COUNTS;
    if (mode != PINSIGHT_MODE_TRACING)
        return false;
    return callback->kind < 0 || pinsight_omp_kind_is_on((unsigned)callback->kind);
}

void pinsight_omp_register(ompt_set_callback_t set, enum pinsight_mode mode) {
    fill();
    for (unsigned i = 0; i < COUNT; i++) {
        const struct callback *callback = &callbacks[i];
        bool wanted = is_wanted(callback, mode);
        if (state[i] == REFUSED || (wanted && state[i] == REAL_ONE) ||
            (!wanted && state[i] != REAL_ONE))
            continue;
        if (wanted && callback->instead_of >= 0 && state[callback->instead_of] != REFUSED)
            continue;
        ompt_set_result_t result = set(callback->event, wanted ? callback->real : callback->quiet);
        bool taken =
            result != ompt_set_error && result != ompt_set_never && result != ompt_set_impossible;
        state[i] = !taken ? REFUSED : wanted ? REAL_ONE : QUIET;
    }
}

void pinsight_omp_unregister(void) {
    for (unsigned i = 0; i < COUNT; i++)
        state[i] = NONE;
}
