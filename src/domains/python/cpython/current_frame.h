/* The frame that runs in this thread, CPython 3.12 and later. */
#ifndef PINSIGHT_CPYTHON_CURRENT_FRAME_H
#define PINSIGHT_CPYTHON_CURRENT_FRAME_H

#include "domains/python/versions.h"

/* The interpreter frame that runs in this thread: inside a monitoring callback, the event's own. It
 * identifies the execution for as long as it lasts. The thread must hold the GIL. */
static inline void *pinsight_current_frame(void) {
    PyThreadState *state = PyThreadState_Get();
#if PY_VERSION_HEX >= 0x030d0000
    return state->current_frame;
#else
    return state->cframe->current_frame;
#endif
}

#endif
