/* The options of this process; see options.h. */
#include "tracer/python/options.h"

#include "describe/python.h"
#include "tracer/core/log.h"
#include "tracer/core/resolve.h"
#include "tracer/core/thread.h"
#include "tracer/python/budget.h"
#include "tracer/python/domain.h"
#include "tracer/python/exceptions.h"
#include "tracer/python/lines.h"
#include "tracer/python/operator_types.h"
#include "tracer/python/process_choice.h"
#include "tracer/python/versions.h"
#include "tracer/record/recorder.h"

#include <string.h>

/* Requests of the program. */
static bool events_given, names_given, names_known;
static uint64_t given_events;
static bool given_registry;

static int read_events(const char *list, uint64_t *events) {
    *events = 0;
    for (const char *word = list; *word;) {
        word += strspn(word, ", \t");
        size_t length = strcspn(word, ", \t"), kind = 0;
        while (kind < PINSIGHT_PYTHON_KINDS &&
               !(strlen(pinsight_python_event_kinds[kind].name) == length &&
                 strncmp(word, pinsight_python_event_kinds[kind].name, length) == 0))
            kind++;
        if (kind < PINSIGHT_PYTHON_KINDS) {
            *events |= UINT64_C(1) << kind;
        } else if (length && !(length == 4 && strncmp(word, "none", 4) == 0)) {
            PyErr_Format(
                PyExc_ValueError,
                "'%s' is not a list of event kinds; use function, c_call, import, gc, gil, lock, "
                "task, generator (separated by commas) or none",
                list);
            return -1;
        }
        word += length;
    }
    return 0;
}

int pinsight_python_override(const char *events, const char *names) {
    uint64_t bits = 0;
    if (events && read_events(events, &bits) != 0)
        return -1;
    if (names && strcmp(names, "inline") != 0 && strcmp(names, "registry") != 0) {
        PyErr_Format(PyExc_ValueError, "names is inline or registry, not '%s'", names);
        return -1;
    }
    if (events) {
        events_given = true;
        given_events = bits;
    }
    if (names) {
        names_given = true;
        given_registry = strcmp(names, "registry") == 0;
        names_known = false;
    }
    return 0;
}

/* Reads the form of names. It cannot change later, because the channel for events is made at the
 * start of a run. */
static void read_names(void) {
    static struct pinsight_log_once once = PINSIGHT_LOG_ONCE_INIT;
    pinsight_recorder_choose();
    bool registry =
        pinsight_recorder->has_numbers_only ||
        (names_given ? given_registry : pinsight_resolve_registry(&pinsight_python_domain));
    if (!names_known)
        pinsight_python.registry = registry;
    else if (pinsight_python.registry != registry)
        pinsight_log_once(&once,
                          "names stays %s: it cannot be changed while the program runs; start it "
                          "again for names = %s",
                          pinsight_python.registry ? "registry" : "inline",
                          registry ? "registry" : "inline");
    names_known = true;
}

void pinsight_python_read_settings(void) {
    uint64_t events =
        events_given ? given_events : pinsight_resolve_events(&pinsight_python_domain);
    atomic_store(&pinsight_python.engine.kinds, events);
    pinsight_python.functions =
        pinsight_kind_is_on(&pinsight_python.engine, PINSIGHT_PYTHON_KIND_FUNCTION);
    pinsight_python.c_calls =
        pinsight_kind_is_on(&pinsight_python.engine, PINSIGHT_PYTHON_KIND_C_CALL);
    pinsight_python.no_c_calls = pinsight_resolve_no_c_calls(&pinsight_python_domain);
    pinsight_python.imports =
        pinsight_kind_is_on(&pinsight_python.engine, PINSIGHT_PYTHON_KIND_IMPORT);
    pinsight_python.imports_apart =
        (pinsight_python.functions || pinsight_python.c_calls || pinsight_python.imports) &&
        pinsight_resolve_import(&pinsight_python_domain) == PINSIGHT_IMPORT_MODULES;
    pinsight_python.garbage = pinsight_kind_is_on(&pinsight_python.engine, PINSIGHT_PYTHON_KIND_GC);
    pinsight_python.allocations = pinsight_resolve_allocations(&pinsight_python_domain);
    pinsight_python.gil = pinsight_kind_is_on(&pinsight_python.engine, PINSIGHT_PYTHON_KIND_GIL);
    pinsight_python.locks = pinsight_kind_is_on(&pinsight_python.engine, PINSIGHT_PYTHON_KIND_LOCK);
    pinsight_lines_read_settings();
    pinsight_python.exceptions = pinsight_resolve_exceptions(&pinsight_python_domain);
    pinsight_exceptions_check();
    pinsight_budget_read_settings();
#ifndef Py_GIL_DISABLED
    pinsight_python.tasks = pinsight_kind_is_on(&pinsight_python.engine, PINSIGHT_PYTHON_KIND_TASK);
    pinsight_python.generators =
        pinsight_kind_is_on(&pinsight_python.engine, PINSIGHT_PYTHON_KIND_GENERATOR);
#endif
    pinsight_python.some_functions = pinsight_python.some_functions || !pinsight_python.functions;
    pinsight_python.some_c_calls =
        pinsight_python.some_c_calls || !pinsight_python.c_calls || pinsight_python.no_c_calls;
    pinsight_python.has_modules = pinsight_resolve_has_modules(&pinsight_python_domain);
    pinsight_process_choice_read();
    pinsight_python.range_is_full =
        !pinsight_process_is_chosen() &&
        pinsight_resolve_range_end(&pinsight_python_domain, PINSIGHT_PYTHON_PUNIT_THREAD) <
            (uint32_t)pinsight_thread_next_number();
    pinsight_operator_types_read();
    read_names();
}
