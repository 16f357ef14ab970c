/*
 * Notices new interpreters by an audit hook; see cpython/new_interpreter.h. From 3.13 on, not all
 * new interpreters are announced, but each does audited operations at its start.
 */
#include "tracer/python/cpython/new_interpreter.h"

static void (*listener)(void);

static int audit(const char *event, PyObject *arguments, void *unused) {
    (void)event;
    (void)arguments;
    (void)unused;
    if (!pinsight_in_main_interpreter())
        listener();
    return 0;
}

void pinsight_interpreters_notice(void (*made)(void)) {
    listener = made;
    if (PySys_AddAuditHook(audit, NULL) != 0)
        PyErr_Clear();
}
