/* What the process recorded and did not; see account.h. */
#include "domains/python/account.h"

#include "core/mode.h"
#include "domains/python/count.h"
#include "domains/python/domain.h"
#include "domains/python/thread.h"

/* What threads that ended lost and dropped, and what all recorded. */
static _Atomic uint64_t ended_lost, ended_dropped, ended_outside, recorded_bytes;
static bool size_limit_reached;

void pinsight_python_add_totals(struct pinsight_python_thread *thread) {
    atomic_fetch_add(&ended_lost, thread->lost_frames);
    atomic_fetch_add(&ended_dropped, thread->dropped_ends);
    atomic_fetch_add(&ended_outside, thread->outside);
    atomic_fetch_add(&recorded_bytes, thread->bytes);
    thread->lost_frames = thread->dropped_ends = thread->outside = 0;
    thread->bytes = 0;
}

static void add_thread(struct pinsight_thread *core, void *unused) {
    (void)unused;
    struct pinsight_python_thread *thread = core->state[pinsight_python_domain.slot];
    if (thread)
        pinsight_python_add_totals(thread);
}

void pinsight_python_write_accounts(void) {
    pinsight_count_flush();
    pinsight_thread_each(add_thread, NULL);
    struct pinsight_totals totals = {
        .lost_frames = atomic_load(&ended_lost),
        .dropped_ends = atomic_load(&ended_dropped),
        .outside = atomic_load(&ended_outside),
        .bytes = atomic_load(&recorded_bytes),
        .size_limit_reached = size_limit_reached,
    };
    pinsight_info_totals(&pinsight_python_domain, &totals);
}

void pinsight_python_leaving(void) {
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    pinsight_python_write_accounts();
    PyErr_Restore(type, value, traceback);
}

void pinsight_python_account(struct pinsight_python_thread *thread) {
    uint64_t total = atomic_fetch_add(&recorded_bytes, thread->bytes) + thread->bytes;
    thread->bytes = 0;
    if (PINSIGHT_UNLIKELY(pinsight_info_sessions_changed()))
        pinsight_python_describe_again();
    if (!pinsight_process.max_size || total < pinsight_process.max_size || size_limit_reached)
        return;
    size_limit_reached = true;
    pinsight_domain_set_mode(&pinsight_python_domain, PINSIGHT_MODE_MONITORING, "size_limit");
}

bool pinsight_python_is_full(void) {
    return size_limit_reached;
}

void pinsight_python_account_fork_child(void) {
    atomic_store(&ended_lost, 0);
    atomic_store(&ended_dropped, 0);
    atomic_store(&ended_outside, 0);
    atomic_store(&recorded_bytes, 0);
    size_limit_reached = false;
}
