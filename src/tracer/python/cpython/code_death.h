/*
 * Notification of code objects that the interpreter frees. From CPython 3.12 on, it comes from a
 * watcher (PyCode_AddWatcher). Earlier, the function that frees code objects (tp_dealloc) is
 * redirected.
 *
 * A watcher sees the code objects of one interpreter. If a call path may name code objects of
 * another interpreter, or if no watcher is free, later versions redirect tp_dealloc, too.
 */
#ifndef PINSIGHT_CPYTHON_CODE_DEATH_H
#define PINSIGHT_CPYTHON_CODE_DEATH_H

#include "tracer/python/versions.h"

#define PINSIGHT_HAS_CODE_WATCHERS (PY_VERSION_HEX >= 0x030c0000)

/* Calls pinsight_path_code_gone() for each code object that is freed. Later calls do nothing. Holds
 * the GIL. */
void pinsight_code_death_start(void);

/* The function in tp_dealloc. */
void pinsight_code_death_dealloc(PyObject *code);

#if PINSIGHT_HAS_CODE_WATCHERS

extern bool pinsight_code_death_patched; /* tp_dealloc is redirected */

/* Called before code objects of another interpreter than the main one are named. Under the lock of
 * the paths, without the GIL. */
void pinsight_code_death_of_others(void);

/* Returns whether this thread is in another interpreter. Any thread. */
static inline bool pinsight_code_death_is_of_others(const PyThreadState *state) {
    return state->interp != PyInterpreterState_Main();
}

#else
#define pinsight_code_death_patched true

static inline void pinsight_code_death_of_others(void) {
}

static inline bool pinsight_code_death_is_of_others(const PyThreadState *state) {
    (void)state;
    return false;
}

#endif

/* Returns whether notification still works. Otherwise data about code objects must not be used. Any
 * thread. */
static inline bool pinsight_code_death_is_watched(void) {
    return !pinsight_code_death_patched || PyCode_Type.tp_dealloc == pinsight_code_death_dealloc;
}

#endif
