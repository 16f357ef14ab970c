/* Definitions and accounts as events of the core; see info.h. */
#include "tracer/core/info.h"

#include "base/forbidden.h"
#include "base/kernel_clock.h"
#include "base/machine.h"
#include "base/program.h"
#include "pinsight_version.h"
#include "tracer/core/callback_cost.h"
#include "tracer/core/clock.h"
#include "tracer/core/count.h"
#include "tracer/core/log.h"
#include "tracer/core/order.h"
#include "tracer/core/process.h"
#include "tracer/core/settings.h"
#include "tracer/core/thread.h"
#include "tracer/core/watchdog.h"
#include "tracer/core/window.h"
#include "tracer/record/core.h"
#include "tracer/record/recorder.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Whether to record an event: a session listens and reads, and this process may record. */
#define WANTED(event)                                                                              \
    (pinsight_record_core_##event##_enabled() && !pinsight_process.silent && !pinsight_stuck())

/* Records a definition if it is wanted. */
#define RECORD(event, ...)                                                                         \
    do {                                                                                           \
        if (WANTED(event))                                                                         \
            PINSIGHT_INFO_TIMED(pinsight_record_core_##event(__VA_ARGS__));                        \
    } while (0)

/* Returns the time with a precision of some milliseconds, at a quarter of the cost of the precise
 * clock. */
uint64_t pinsight_info_before(void) {
    return pinsight_kernel_ns(CLOCK_MONOTONIC_COARSE);
}

void pinsight_info_after(uint64_t before) {
    if (pinsight_info_before() - before > pinsight_recorder->unread_ns)
        pinsight_watchdog_stuck();
}

bool pinsight_info_enabled(void) {
    return WANTED(process_info);
}

void pinsight_info_process(void) {
    /* The session version that has process_info. */
    static _Atomic uint32_t recorded;
    if (!WANTED(process_info))
        return;
    uint32_t session_version = pinsight_session_version();
    if (atomic_exchange(&recorded, session_version) == session_version)
        return;

    /* A forked child inherits the program's filters, and cannot write either. */
    if (atomic_load(&pinsight_opens_are_forbidden))
        return;
    char host[HOST_NAME_MAX + 1] = "", program[PATH_MAX] = "", command[4096], clock[256];
    if (gethostname(host, sizeof host - 1) != 0)
        strcpy(host, "unknown");
    pinsight_program_self(program, sizeof program);
    pinsight_program_words(command, sizeof command);
    pinsight_kernel_clock_differs(clock, sizeof clock);

    pinsight_recorded_report(); /* events from here on are in the trace */
    PINSIGHT_INFO_TIMED(pinsight_record_core_process_info(
        pinsight_process.pid, (int32_t)getppid(), pinsight_process.rank, host, program, command,
        PINSIGHT_VERSION, pinsight_machine_namespace(), pinsight_process.program_number, clock));
}

void pinsight_info_process_start(int32_t child, uint32_t py_path) {
    RECORD(process_start, pinsight_process.pid, child, py_path);
}

void pinsight_info_process_end(int32_t child, int32_t status) {
    RECORD(process_end, pinsight_process.pid, child, status);
}

void pinsight_info_process_name(const char *name, uint8_t source) {
    RECORD(process_name, pinsight_process.pid, name, source);
}

void pinsight_info_title(char *text, size_t room) {
    text[0] = '\0';
    if (!atomic_load(&pinsight_threads_are_filtered))
        pinsight_program_words(text, room);
}

void pinsight_info_thread(struct pinsight_core_thread *thread, const char *name) {
    char number[32];
    if (name && name != thread->name)
        pinsight_thread_set_name(thread, name);
    if (!WANTED(thread_info))
        return;
    if (!name || !*name) {
        snprintf(number, sizeof number, "thread-%d", (int)thread->python_thread_id);
        name = number;
    }
    PINSIGHT_INFO_TIMED(pinsight_record_core_thread_info(pinsight_process.pid, thread->tid,
                                                         thread->python_thread_id, name));
    uint32_t session_version = pinsight_session_version();
    if (!thread->start.starter || thread->start_version == session_version)
        return;
    thread->start_version = session_version;
    RECORD(thread_start, pinsight_process.pid, thread->tid, thread->start.starter,
           thread->start.py_path, thread->start.name);
}

static void redefine_thread(struct pinsight_core_thread *thread, void *unused) {
    (void)unused;
    pinsight_info_thread(thread, thread->name);
}

void pinsight_info_redefine(void) {
    pinsight_session_version_next();
    pinsight_info_process();
    pinsight_thread_each(redefine_thread, NULL);
}

bool pinsight_info_sessions_changed(void) {
    static _Atomic uintptr_t last;
    uintptr_t now = pinsight_recorder->listeners();
    return atomic_exchange(&last, now) != now;
}

bool pinsight_info_session_came(void) {
    const struct timespec moment = {.tv_nsec = 1000000};
    for (int i = 0; i < 10 && !pinsight_record_core_process_info_enabled(); i++)
        nanosleep(&moment, NULL);
    if (!pinsight_info_sessions_changed())
        return false;
    nanosleep(&moment, NULL);
    return true;
}

void pinsight_info_domain(struct pinsight_domain *domain, const char *runtime,
                          const char *mechanism, const char *events, const char *selection) {
    RECORD(domain_info, pinsight_process.pid, domain->name, runtime, mechanism, events, selection,
           (uint8_t)pinsight_domain_mode(domain));
}

void pinsight_info_mode_change(const char *domain, enum pinsight_mode from, enum pinsight_mode to,
                               const char *reason) {
    RECORD(mode_change, pinsight_process.pid, domain, (uint8_t)from, (uint8_t)to, reason);
}

void pinsight_info_config_change(uint32_t config_version, const char *reason, bool failed,
                                 const char *message) {
    if (!WANTED(config_change))
        return;
    const char *path = pinsight_settings_path();
    PINSIGHT_INFO_TIMED(pinsight_record_core_config_change(
        pinsight_process.pid, config_version, *path ? path : "-", reason, failed, message));
}

uint8_t pinsight_info_kind(const struct pinsight_window_owner *owner) {
    return owner->is_region   ? PINSIGHT_CORE_LEXGION_KIND_REGION
           : owner->is_c_call ? PINSIGHT_CORE_LEXGION_KIND_C_CALL
                              : PINSIGHT_CORE_LEXGION_KIND_FUNCTION;
}

/* The fields of an event that name the owner of a window or of counts. */
#define OF_OWNER(owner)                                                                            \
    .domain = (owner)->domain->name, .kind = pinsight_info_kind(owner),                            \
    .lexgion = (owner)->lexgion, .name = (owner)->name, .filename = (owner)->filename,             \
    .lineno = (owner)->lineno

void pinsight_info_window_end(const struct pinsight_window_owner *owner,
                              const struct pinsight_window_account *account) {
    if (!WANTED(window_end))
        return;
    struct pinsight_record_core_window_end record = {
        .pid = pinsight_process.pid,
        OF_OWNER(owner),
        .executions = account->executions,
        .recorded = account->recorded,
        .cause = (uint8_t)account->cause,
        .rule = account->rule,
        .after = account->after,
    };
    PINSIGHT_INFO_TIMED(pinsight_record_core_window_end(&record));
}

void pinsight_info_profile(const struct pinsight_window_owner *owner,
                           const struct pinsight_profile *profile) {
    if (!WANTED(lexgion_profile))
        return;
    struct pinsight_record_core_lexgion_profile record = {
        .pid = pinsight_process.pid,
        .tid = profile->tid,
        .python_thread_id = profile->python_thread_id,
        OF_OWNER(owner),
        .calls = profile->calls,
        .inclusive_ns = profile->inclusive_ns,
        .exclusive_ns = profile->exclusive_ns,
    };
    PINSIGHT_INFO_TIMED(pinsight_record_core_lexgion_profile(&record));
}

void pinsight_info_outside(const struct pinsight_window_owner *owner, uint64_t executions) {
    RECORD(lexgion_outside, pinsight_process.pid, owner->domain->name, owner->lexgion, owner->name,
           owner->filename, executions);
}

void pinsight_info_path(const struct pinsight_window_owner *owner,
                        const struct pinsight_path_profile *profile) {
    if (!WANTED(path_profile))
        return;
    uint32_t place = (uint32_t)profile->place;
    bool is_path = profile->place & PINSIGHT_COUNT_PATH;
    struct pinsight_record_core_path_profile record = {
        .pid = pinsight_process.pid,
        .tid = profile->tid,
        .python_thread_id = profile->python_thread_id,
        .node = profile->node,
        .parent = profile->parent,
        .domain = owner->domain->name,
        .kind = pinsight_info_kind(owner),
        .lexgion = owner->lexgion,
        .lineno = is_path ? 0 : (int32_t)place,
        .py_path = is_path ? place : 0,
        .part = (profile->place & PINSIGHT_COUNT_PART) != 0,
        .folded = (profile->place & PINSIGHT_COUNT_FOLDED) != 0,
        .calls = profile->calls,
        .inclusive_ns = profile->inclusive_ns,
        .self_ns = profile->self_ns,
        .max_ns = profile->max_ns,
    };
    PINSIGHT_INFO_TIMED(pinsight_record_core_path_profile(&record));
}

void pinsight_info_totals(const struct pinsight_domain *domain,
                          const struct pinsight_totals *totals) {
    if (!WANTED(domain_totals))
        return;
    PINSIGHT_INFO_TIMED(pinsight_record_core_domain_totals(
        pinsight_process.pid, domain->name, totals->lost_frames, totals->dropped_ends,
        totals->outside, totals->bytes, pinsight_process.max_size, totals->size_limit_reached,
        totals->under_way));
    pinsight_recorded_report_all(false);
}

void pinsight_info_callback_cost(const struct pinsight_domain *domain,
                                 const struct pinsight_callback_cost *cost) {
    uint64_t callbacks = pinsight_callback_count(cost);

    if (!WANTED(callback_cost))
        return;
    struct pinsight_record_core_callback_cost record = {
        .pid = pinsight_process.pid,
        .domain = domain->name,
        .callbacks = callbacks,
        .samples = pinsight_callback_samples(cost),
        .own_ns =
            (uint64_t)((double)callbacks * pinsight_callback_mean(cost) * pinsight_clock_rate()),
        .functions = cost->kinds[PINSIGHT_CALLBACK_FUNCTION],
        .generators = cost->kinds[PINSIGHT_CALLBACK_GENERATOR],
        .unwinds = cost->kinds[PINSIGHT_CALLBACK_UNWIND],
        .calls = cost->kinds[PINSIGHT_CALLBACK_CALL],
        .operators = cost->kinds[PINSIGHT_CALLBACK_OPERATOR],
        .exceptions = cost->kinds[PINSIGHT_CALLBACK_EXCEPTION],
        .met = cost->met,
        .tasks = cost->tasks,
    };
    PINSIGHT_INFO_TIMED(pinsight_record_core_callback_cost(&record));
}

void pinsight_info_event_count(uint64_t events, bool ends, uint32_t counter) {
    if (pinsight_recorder->has_counts)
        RECORD(event_count, pinsight_process.pid, events, ends, counter);
}

void pinsight_info_introspect_begin(uint32_t number, const struct pinsight_introspection *how) {
    RECORD(introspect_begin, pinsight_process.pid, number, how->cause, how->pause_ns,
           *how->script ? how->script : "-");
}

void pinsight_info_introspect_end(const struct pinsight_introspection_end *end) {
    RECORD(introspect_end, pinsight_process.pid, end->number, *end->chunk ? end->chunk : "-",
           (uint8_t)end->how, end->status, end->threads_stopped, end->threads_running,
           end->reloaded, (uint8_t)end->mode, *end->message ? end->message : "-");
}
