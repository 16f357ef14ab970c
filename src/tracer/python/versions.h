/*
 * CPython's API as its headers offer it to extensions, with the same names in every version. Uses
 * of other parts of CPython are in cpython/.
 */
#ifndef PINSIGHT_PYTHON_VERSIONS_H
#define PINSIGHT_PYTHON_VERSIONS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#if PY_VERSION_HEX < 0x030c0000
#include <frameobject.h>
#endif

#include "tracer/core/inline.h"
#include "tracer/python/has_gil.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if PINSIGHT_HAS_GIL == defined(Py_GIL_DISABLED)
#error "the build takes these headers for those of another build of CPython: with a GIL, or without"
#endif

/* sys.monitoring (PEP 669) came with 3.12. Earlier versions have the C profile function. */
#define PINSIGHT_HAS_MONITORING (PY_VERSION_HEX >= 0x030c0000)

#if PY_VERSION_HEX < 0x030c0000
#define PyUnstable_Eval_RequestCodeExtraIndex _PyEval_RequestCodeExtraIndex
#define PyUnstable_Code_GetExtra _PyCode_GetExtra
#define PyUnstable_Code_SetExtra _PyCode_SetExtra
#endif

#if PY_VERSION_HEX < 0x03090000
#define PyInterpreterState_Get _PyInterpreterState_Get
#endif

/*
 * The plain form: the same code, compiled with public interfaces alone (PINSIGHT_PYTHON_PLAIN, see
 * CMakeLists.txt). It is used for PINSIGHT_PLAIN=1, and for a CPython that is newer than PInsight.
 * Files in cpython/ have other bodies there, and plain/without.c replaces the omitted files.
 */
#ifdef PINSIGHT_PYTHON_PLAIN
#define PINSIGHT_IS_PLAIN 1
#else
#define PINSIGHT_IS_PLAIN 0
#endif

/* Returns whether the calling thread, which holds the GIL, is in the main interpreter. Other
 * interpreters are not observed. */
static inline bool pinsight_in_main_interpreter(void) {
    return PyInterpreterState_Get() == PyInterpreterState_Main();
}

#endif
