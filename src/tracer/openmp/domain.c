/* The OpenMP domain as a whole; see domain.h. */
#include "tracer/openmp/domain.h"

#include "describe/openmp.h"
#include "tracer/core/settings.h"
#include "tracer/openmp/gomp.h"
#include "tracer/record/openmp.h"

#include <stdio.h>

static void apply_settings(void);

struct pinsight_native pinsight_omp_native = {
    PINSIGHT_NATIVE_INIT(&pinsight_openmp_domain, &pinsight_omp_lexgions,
                         pinsight_omp_lexgion_define, pinsight_omp_describe, apply_settings),
};

ompt_get_task_info_t pinsight_omp_task_info;

/* The runtime that is registered. Protected by the lock of pinsight_omp_native. */
static ompt_set_callback_t set_callback; /* NULL if no runtime with OMPT calls this domain */
static _Atomic bool declined;            /* a runtime was refused for good */
static _Atomic uint64_t applied_ns;
static _Atomic int applied; /* enum pinsight_mode */
static char runtime_name[128];

void pinsight_omp_describe(void) {
    if (set_callback)
        pinsight_native_describe(&pinsight_omp_native, runtime_name, "OMPT",
                                 PINSIGHT_OPENMP_PUNIT_THREAD);
    else if (pinsight_gomp_shim)
        pinsight_native_describe(&pinsight_omp_native, pinsight_gomp_shim->name, "GOMP",
                                 PINSIGHT_OPENMP_PUNIT_THREAD);
}

/* GCC's runtime does not ask for a tool. A runtime of LLVM's may be in the process, too. */
void pinsight_omp_gomp_starts(const struct pinsight_gomp_shim *shim) {
    pthread_mutex_lock(&pinsight_omp_native.lock);
    pinsight_gomp_shim = shim;
    pthread_mutex_unlock(&pinsight_omp_native.lock);
}

/* ---- modes ---- */

/* Called with the lock held. */
static void apply_settings(void) {
    enum pinsight_mode mode = pinsight_domain_mode(&pinsight_openmp_domain);
    pinsight_omp_settings_take();
    if (set_callback)
        pinsight_omp_register(set_callback, mode);
    if (pinsight_gomp_shim)
        pinsight_gomp_redirect(mode);
    atomic_store(&applied, (int)mode);
    atomic_store(&applied_ns, pinsight_clock_ns());
}

static int apply_mode(struct pinsight_domain *domain, enum pinsight_mode from, const char *reason) {
    (void)reason;
    if (atomic_load(&declined) && pinsight_domain_mode(domain) != PINSIGHT_MODE_OFF) {
        atomic_store(&domain->refusal,
                     "OpenMP was OFF when its runtime started, which does not ask again; start the "
                     "program with STANDBY");
        return -1;
    }
    return pinsight_native_apply_mode(&pinsight_omp_native, from);
}

static void settings_changed(struct pinsight_domain *domain) {
    (void)domain;
    pinsight_native_settings_changed(&pinsight_omp_native);
}

static uint64_t applied_at(struct pinsight_domain *domain) {
    uint64_t then = atomic_load(&applied_ns);
    if (!then)
        return 1;
    return atomic_load(&applied) == (int)pinsight_domain_mode(domain) &&
                   atomic_load(&pinsight_omp_native.engine.config_version) ==
                       pinsight_config_version()
               ? then
               : 0;
}

static void rotated(struct pinsight_domain *domain) {
    (void)domain;
    pinsight_native_rotated(&pinsight_omp_native);
}

/* ---- start and end ---- */

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data) {
    (void)device;
    (void)data;
    ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    if (!set)
        return 0;
    pthread_mutex_lock(&pinsight_omp_native.lock);
    pinsight_omp_task_info = (ompt_get_task_info_t)lookup("ompt_get_task_info");
    set_callback = set;
    pthread_mutex_unlock(&pinsight_omp_native.lock);
    pinsight_native_start(&pinsight_omp_native);
    return 1;
}

/* Called when the runtime ends. It may be unloaded afterwards, so its functions must not be called
 * any more. */
static void finalize(ompt_data_t *data) {
    (void)data;
    struct pinsight_ompt_thread *thread = pinsight_omp_thread_there();
    pthread_mutex_lock(&pinsight_omp_native.lock);
    set_callback = NULL;
    pinsight_omp_task_info = NULL;
    pinsight_omp_unregister();
    pthread_mutex_unlock(&pinsight_omp_native.lock);
    if (thread) {
        pinsight_omp_close_lost(thread, &thread->outside_all);
        pinsight_omp_close_opens(thread);
    }
    pinsight_native_ends(&pinsight_omp_native);
}

/* The runtime calls this function to ask for a tool (OpenMP 5.1, 4.2.1). It asks again if it is
 * unloaded and loaded again. */
PINSIGHT_API ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *name);
ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *name) {
    static ompt_start_tool_result_t result = {.initialize = initialize, .finalize = finalize};
    (void)version;
    snprintf(runtime_name, sizeof runtime_name, "%.120s", name && *name ? name : "OpenMP");
    if (pinsight_native_register(&pinsight_omp_native) != 0)
        return NULL;
    /* A domain that is OFF does not need the recorder. */
    if (pinsight_domain_mode(&pinsight_openmp_domain) == PINSIGHT_MODE_OFF) {
        atomic_store(&declined, true);
        return NULL;
    }
    pinsight_process_start();
    return &result;
}

static void fork_child(struct pinsight_domain *domain, struct pinsight_core_thread *thread) {
    (void)domain;
    (void)thread;
    pinsight_native_fork_child(&pinsight_omp_native);
    pinsight_omp_thread_fork_child();
}

struct pinsight_domain pinsight_openmp_domain = {
    PINSIGHT_OPENMP_TABLES,
    .record = PINSIGHT_RECORD_OPENMP_LINK,
    PINSIGHT_DOMAIN_CALLBACKS(pinsight_omp),
    .applied_at = applied_at,
};
