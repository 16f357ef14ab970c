/*
 * The plain form (versions.h). This file replaces the features that need more than public
 * interfaces, and reports which of them were missed.
 */
#include "tracer/python/without.h"

#include "describe/python_kinds.h"
#include "tracer/core/link.h"
#include "tracer/core/log.h"
#include "tracer/core/plain.h"
#include "tracer/core/resolve.h"
#include "tracer/python/allocations.h"
#include "tracer/python/child_processes.h"
#include "tracer/python/cpython/stopped_world.h"
#include "tracer/python/cpython/trio.h"
#include "tracer/python/exit_calls.h"
#include "tracer/python/gil.h"
#include "tracer/python/greenlets.h"
#include "tracer/python/locks.h"
#include "tracer/python/named_types.h"
#include "tracer/python/numba.h"
#include "tracer/python/operator_types.h"
#include "tracer/python/path.h"
#include "tracer/python/process_choice.h"
#include "tracer/python/profiler_adjacent.h"
#include "tracer/python/signal.h"
#include "tracer/python/task_hub.h"
#include "tracer/python/task_wakes.h"
#include "tracer/python/tasks.h"
#include "tracer/python/tasks_made.h"
#include "tracer/python/waits.h"
#include "tracer/record/python.h"

void pinsight_plain_say_why(void) {
#define TEXT(x) #x
#define VERSION(major, minor) TEXT(major) "." TEXT(minor)
#define THIS "CPython " VERSION(PY_MAJOR_VERSION, PY_MINOR_VERSION)
    if (pinsight_plain())
        return;
    if (PY_MINOR_VERSION > PINSIGHT_PYTHON_NEWEST)
        pinsight_plain_is_all(THIS " is newer than this PInsight", "a newer PInsight has them");
    else if (pinsight_plain_is_debug_build())
        pinsight_plain_is_all(THIS " is a debug build here", "the usual build has them");
    else if (pinsight_plain_is_needed(Py_GetVersion()))
        pinsight_plain_is_all(THIS " is an alpha or a beta here", "a release has them");
    else
        pinsight_plain_is_all(THIS " is not one that this PInsight was compiled for",
                              "`pinsight doctor` says why");
}

/* ---- the Python that causes native events ---- */

/* CPython's API has no frames of a thread without the GIL. */
static uint32_t provide_none(void) {
    pinsight_plain_lost(PINSIGHT_PLAIN_PATHS);
    return 0;
}

bool pinsight_path_start(void) {
    atomic_store(&pinsight_link, provide_none);
    return true;
}

void pinsight_path_end(void) {
    atomic_store(&pinsight_link, NULL);
}

void pinsight_path_define_again(uint32_t path) {
    (void)path;
}

/* ---- operators and properties ---- */

static struct pinsight_named_types operators = {.key = PINSIGHT_KEY_OPERATORS};
static struct pinsight_named_types properties = {.key = PINSIGHT_KEY_PROPERTIES};

void pinsight_operator_types_read(void) {
    pinsight_named_types_read(&operators);
    pinsight_named_types_read(&properties);
}

void pinsight_operator_types_start(enum pinsight_mode mode) {
    (void)mode;
}

void pinsight_operator_types_stop(void) {
}

void pinsight_operator_types_check(void) {
    if (pinsight_named_types_are_there(&operators))
        pinsight_plain_lost(PINSIGHT_PLAIN_OPERATORS);
    if (pinsight_named_types_are_there(&properties))
        pinsight_plain_lost(PINSIGHT_PLAIN_PROPERTIES);
}

const char *pinsight_operator_types_missing(void) {
    return "";
}

/* ---- free-threaded builds ---- */

bool pinsight_stopped_world_fork_child(void) {
    if (!PINSIGHT_HAS_GIL)
        pinsight_plain_lost(PINSIGHT_PLAIN_FORKS);
    return PINSIGHT_HAS_GIL;
}

/* ---- tasks and greenlets ---- */

static bool tasks_are_wanted;

void pinsight_tasks_watch(bool watch) {
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    if (tasks_are_wanted && !watch && pinsight_tasks_were_made())
        pinsight_plain_lost(PINSIGHT_PLAIN_TASKS);
    tasks_are_wanted = watch;
    PyErr_Restore(type, value, traceback);
}

void pinsight_tasks_fork_child(void) {
}

void pinsight_task_hub_fork_child(void) {
}

PyCodeObject *pinsight_trio_scheduler(void) {
    return NULL;
}

void pinsight_task_scheduled(void) {
}

void pinsight_greenlets_watch(void) {
}

/* ---- Numba ---- */

void pinsight_numba_watch(void) {
}

/* ---- waits ---- */

void pinsight_gil_thread_seen(uint32_t tid) {
    (void)tid;
}

void pinsight_gil_record(struct pinsight_python_thread *thread) {
    (void)thread;
}

void pinsight_gil_record_end(uint32_t tid) {
    (void)tid;
}

void pinsight_gil_end(void) {
}

void pinsight_gil_fork_child(void) {
}

void pinsight_locks_fork_child(void) {
}

void pinsight_waits_apply(bool wanted) {
    (void)wanted;
}

void pinsight_waits_watch_new_threads(bool wanted) {
    (void)wanted;
}

void pinsight_waits_describe(void) {
    static uint32_t recorded; /* session version */
    if ((!pinsight_python.gil && !pinsight_python.locks) ||
        recorded == pinsight_session_version() || !pinsight_record_python_waits_unseen_enabled())
        return;
    recorded = pinsight_session_version();
    pinsight_record_python_waits_unseen(pinsight_plain()
                                            ? PINSIGHT_PYTHON_UNSEEN_WHY_PLAIN
                                            : PINSIGHT_PYTHON_UNSEEN_WHY_UNKNOWN_PYTHON);
}

/* ---- allocations ---- */

void pinsight_allocations_count(enum pinsight_allocations what) {
    static struct pinsight_log_once once = PINSIGHT_LOG_ONCE_INIT;
    if (what != PINSIGHT_ALLOCATIONS_OFF)
        pinsight_log_once(&once,
                          "allocations are not counted, %s: which line asks for memory is not to "
                          "be seen by public interfaces",
                          pinsight_plain_because());
}

void pinsight_allocations_write(void) {
}

void pinsight_allocations_fork_child(void) {
}

/* ---- functions of the interpreter's modules, which are not redirected ---- */

void pinsight_profiler_adjacent_start(void) {
}

void pinsight_child_processes_start(void) {
}

void pinsight_child_processes_name(void) {
}

void pinsight_process_choice_start(void) {
}

void pinsight_process_choice_read(void) {
    static struct pinsight_log_once once = PINSIGHT_LOG_ONCE_INIT;
    if (pinsight_resolve_some_processes(&pinsight_python_domain, PINSIGHT_PYTHON_PUNIT_PROCESS))
        pinsight_log_once(&once, "[Python.punit.process] selects no processes %s: all are recorded",
                          pinsight_plain_because());
}

bool pinsight_process_is_excluded(void) {
    return false;
}

bool pinsight_process_is_chosen(void) {
    return false;
}

void pinsight_exit_calls_start(void) {
}

void pinsight_signal_start(void) {
}

#if !PINSIGHT_HAS_MONITORING

#include "tracer/python/profiler_replaced.h"

void pinsight_profiler_replaced_start(void) {
}

#endif
