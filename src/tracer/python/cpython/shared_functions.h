/*
 * Functions that the program passes to another interpreter (concurrent.interpreters,
 * InterpreterPoolExecutor). From CPython 3.14 on, an interpreter passes a function without
 * surroundings by its code, and refuses code that has a code extra (Objects/codeobject.c,
 * _PyCode_CheckNoInternalState). Each function that has run has PInsight's. The functions that pass
 * objects are therefore redirected (method_table.h), and get copies that have none.
 */
#ifndef PINSIGHT_CPYTHON_SHARED_FUNCTIONS_H
#define PINSIGHT_CPYTHON_SHARED_FUNCTIONS_H

#include "tracer/python/versions.h"

/* Redirects these functions, now or when their modules are loaded. A repeated call does nothing.
 * Holds the GIL. Keeps a pending exception. */
#if PY_VERSION_HEX >= 0x030e0000 && !PINSIGHT_IS_PLAIN
void pinsight_shared_functions_start(void);
#else
static inline void pinsight_shared_functions_start(void) {
}
#endif

#endif
