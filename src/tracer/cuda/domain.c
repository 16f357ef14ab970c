/* The whole CUDA domain; see domain.h. The driver starts it in cuInit(), by
 * CUDA_INJECTION64_PATH. */
#include "tracer/cuda/domain.h"

#include "describe/cuda.h"
#include "tracer/core/resolve.h"
#include "tracer/cuda/activity.h"
#include "tracer/cuda/callbacks.h"
#include "tracer/cuda/clock.h"
#include "tracer/cuda/cupti.h"
#include "tracer/cuda/driver_calls.h"
#include "tracer/cuda/others.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static struct pinsight_log_once once_refused = PINSIGHT_LOG_ONCE_INIT;

/* The driver has started the domain. */
static _Atomic bool is_there;
/* Set in a forked child, which has no CUDA and must not call CUPTI. */
static _Atomic bool is_child;

static _Atomic uint64_t devices = UINT64_MAX; /* a bit for each of the first 64 */

bool pinsight_cuda_device_wanted(uint32_t device) {
    return device >= 64 || (atomic_load_explicit(&devices, memory_order_relaxed) >> device & 1);
}

/* ---- modes ---- */

static void take_settings(void) {
    struct pinsight_domain *domain = &pinsight_cuda_domain.domain;
    uint64_t wanted = 0;
    pinsight_calls_take_settings(&pinsight_cuda_domain);
    for (uint32_t device = 0; device < 64; device++)
        wanted |= (uint64_t)pinsight_resolve_in_range(domain, PINSIGHT_CUDA_PUNIT_DEVICE, device)
                  << device;
    atomic_store_explicit(&devices, wanted, memory_order_relaxed);
}

static void refuse(uint32_t result) {
    if (result == CUPTI_MULTIPLE_SUBSCRIBERS)
        pinsight_log_once(&once_refused, "CUDA is not traced: another profiler uses CUPTI in this "
                                         "process; run the program without it");
    else
        pinsight_log_once(&once_refused, "CUDA is not traced: CUPTI refuses: %s (%u)",
                          pinsight_cupti_text(result), (unsigned)result);
}

/* Set for good when the program's own profiler has taken over CUPTI, because it may use it to the
 * end. */
static _Atomic bool has_yielded;

/* Ends the own subscription. Called in the thread that subscribes for the program. */
static void yield(void) {
    static struct pinsight_log_once once = PINSIGHT_LOG_ONCE_INIT;
    int error = errno;
    pthread_mutex_lock(&pinsight_cuda_domain.native.lock);
    bool was_on = pinsight_cuda_subscribed() && !atomic_exchange(&has_yielded, true);
    if (was_on) {
        pinsight_cuda_call_back(0);
        pinsight_cuda_activity_give_back();
        pinsight_cuda_unsubscribe();
    }
    pthread_mutex_unlock(&pinsight_cuda_domain.native.lock);
    if (was_on && pinsight_record_cuda_device_lost_enabled())
        PINSIGHT_INFO_TIMED(pinsight_record_cuda_device_lost(
            pinsight_process.pid, 0, PINSIGHT_CUDA_LOSS_CAUSE_OTHER_PROFILER));
    if (was_on)
        pinsight_log_once(&once, "the program starts a profiler of its own, which CUPTI serves in "
                                 "PInsight's place: CUDA is not recorded from here on; run the "
                                 "program without its profiler to have it all");
    errno = error;
}

/* Applies the settings. The lock is held. */
static void apply_settings(void) {
    enum pinsight_mode mode = pinsight_domain_mode(&pinsight_cuda_domain.domain);
    take_settings();
    uint64_t kinds = atomic_load(&pinsight_cuda_domain.native.engine.kinds);
    if (!atomic_load(&is_there) || atomic_load(&is_child) || atomic_load(&has_yielded) ||
        (mode > PINSIGHT_MODE_OFF && !pinsight_cupti_open()))
        return;
    enum pinsight_device_activity activity =
        mode == PINSIGHT_MODE_TRACING && kinds >> PINSIGHT_CUDA_KIND_DEVICE & 1
            ? pinsight_resolve_device_activity(&pinsight_cuda_domain.domain)
            : PINSIGHT_DEVICE_ACTIVITY_OFF;
    if (mode > PINSIGHT_MODE_OFF)
        pinsight_cuda_others_watch(yield);
    if (mode > PINSIGHT_MODE_OFF && !pinsight_cuda_subscribed()) {
        uint32_t result = pinsight_cuda_subscribe();
        if (result != CUPTI_OK) {
            refuse(result);
            return;
        }
    }
    /* In this order, the trace has no work without its call. */
    if (activity == PINSIGHT_DEVICE_ACTIVITY_OFF)
        pinsight_cuda_activity_set(activity);
    pinsight_cuda_call_back(mode >= PINSIGHT_MODE_MONITORING ? kinds : 0);
    pinsight_cuda_activity_set(activity);
    pinsight_cuda_activity_pools(activity != PINSIGHT_DEVICE_ACTIVITY_OFF &&
                                 kinds >> PINSIGHT_CUDA_KIND_POOL & 1);
    if (mode == PINSIGHT_MODE_OFF)
        pinsight_cuda_unsubscribe();
}

static void define(const struct pinsight_lexgion *lexgion) {
    (void)lexgion; /* the events themselves have the name */
}

/* Fills in the owner of a region. The region of a launch has the kernel's name. A selector may also
 * name the called function. */
static void owner(const struct pinsight_lexgion *lexgion, struct pinsight_window_owner *out) {
    pinsight_native_owner(lexgion, out);
    out->call = pinsight_cuda_function_names[PINSIGHT_CUDA_KERNEL_LAUNCH];
    for (unsigned i = 0; i < PINSIGHT_CUDA_FUNCTION_COUNT; i++)
        if (out->symbol == pinsight_cuda_function_names[i])
            out->call = NULL;
}

static void describe(void) {
    char runtime[64] = "CUPTI";
    if (!pinsight_cupti.cuptiSubscribe)
        return;
    if (pinsight_cupti.cuda)
        snprintf(runtime, sizeof runtime, "CUPTI of CUDA %u.%u", pinsight_cupti.cuda / 1000,
                 pinsight_cupti.cuda % 1000 / 10);
    if (pinsight_native_describe(&pinsight_cuda_domain.native, runtime, "CUPTI",
                                 PINSIGHT_CUDA_PUNIT_DEVICE))
        pinsight_cuda_clock_describe();
}

/* ---- start and end ---- */

static void leaving(struct pinsight_domain *domain) {
    (void)domain;
    if (!atomic_load(&is_child))
        pinsight_cuda_activity_flush();
}

static uint64_t tend(struct pinsight_domain *domain) {
    (void)domain;
    return atomic_load(&is_child) ? 0 : pinsight_cuda_activity_tend();
}

static void at_exit(void) {
    leaving(&pinsight_cuda_domain.domain);
    pinsight_calls_stop(&pinsight_cuda_domain);
}

static void fork_child(struct pinsight_domain *domain, struct pinsight_core_thread *thread) {
    atomic_store(&is_child, true);
    pinsight_cuda_kernel_fork_child();
    pinsight_cuda_autograd_fork_child();
    pinsight_calls_fork_child(domain, thread);
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int registered = -1;

static void register_once(void) {
    pinsight_cuda_domain.native.engine.owner = owner;
    pinsight_cuda_domain.domain.leaving = leaving;
    pinsight_cuda_domain.domain.tend = tend;
    pinsight_cuda_domain.domain.fork_child = fork_child;
    registered = pinsight_calls_start(&pinsight_cuda_domain);
    if (registered == 0)
        atexit(at_exit);
}

int pinsight_cuda_register(void) {
    pthread_once(&once, register_once);
    return registered;
}

/* Called by the driver when it starts. Returns 1, like CUPTI's samples. */
PINSIGHT_API int InitializeInjection(void);
int InitializeInjection(void) {
    int error = errno;
    if (pinsight_cuda_register() == 0 && !atomic_exchange(&is_there, true))
        pinsight_native_settings_changed(&pinsight_cuda_domain.native);
    errno = error;
    return 1;
}

struct pinsight_calls pinsight_cuda_domain = {
    PINSIGHT_CALLS_INIT(pinsight_cuda_domain, CUDA, define, describe, apply_settings,
                        pinsight_record_cuda_kernel_info_enabled),
    .own_bytes = sizeof(struct pinsight_cuda_thread),
};
