/* Finds out whether a generator has begun, into which an exception is thrown. */
#ifndef PINSIGHT_CPYTHON_STARTED_H
#define PINSIGHT_CPYTHON_STARTED_H

#include "tracer/python/cpython/frame.h"
#include "tracer/python/plain/instruction_at.h"

/* Returns whether the execution of `code` in a frame, as events identify it, is behind the
 * instructions that make the generator. Holds the GIL. */
static inline bool pinsight_has_started(const PyCodeObject *code, void *frame) {
#if PY_VERSION_HEX < 0x030b0000
    (void)code;
    (void)frame;
    return true; /* an exception that is thrown into an unstarted one is reported as its start */
#elif PINSIGHT_IS_PLAIN
    return PyFrame_GetLasti(frame) >= pinsight_instruction_first(code);
#elif PINSIGHT_HAS_MONITORING
    return pinsight_frame_offset(code, pinsight_frame_at(frame)) >=
           code->_co_firsttraceable * (long)sizeof(_Py_CODEUNIT);
#else
    return PyFrame_GetLasti(frame) >= code->_co_firsttraceable * (int)sizeof(_Py_CODEUNIT);
#endif
}

#endif
