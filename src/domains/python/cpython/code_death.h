/*
 * Being told of code objects that the interpreter frees: by a watcher (PyCode_AddWatcher) from
 * CPython 3.12 on, before that by the function that frees them (tp_dealloc).
 *
 * A watcher is told of the code objects of one interpreter. As soon as a call path may name one of
 * another interpreter's, and where no watcher is free, later versions get by with tp_dealloc too.
 */
#ifndef PINSIGHT_CPYTHON_CODE_DEATH_H
#define PINSIGHT_CPYTHON_CODE_DEATH_H

#include "domains/python/versions.h"

#define PINSIGHT_HAS_CODE_WATCHERS (PY_VERSION_HEX >= 0x030c0000)

/* From now on pinsight_path_code_gone() is called for each code object that goes. Once; later calls
 * do nothing. Holds the GIL. */
void pinsight_code_death_start(void);

/* What is put into tp_dealloc. */
void pinsight_code_death_dealloc(PyObject *code);

#if PINSIGHT_HAS_CODE_WATCHERS

extern bool pinsight_code_death_patched; /* it is there */

/* Code objects of another interpreter than the main one are about to be named. Under the lock of
 * the paths, without the GIL. */
void pinsight_code_death_of_others(void);

/* Is this thread in another interpreter? Any thread. */
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

/* Is it still so? Otherwise what is kept of code objects may not be believed. Any thread. */
static inline bool pinsight_code_death_is_watched(void) {
    return !pinsight_code_death_patched || PyCode_Type.tp_dealloc == pinsight_code_death_dealloc;
}

#endif
