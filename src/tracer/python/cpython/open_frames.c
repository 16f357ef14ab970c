/* The open frames of the calling thread; see open_frames.h. */
#include "tracer/python/cpython/open_frames.h"

#include "tracer/python/cpython/frame.h"

#if PINSIGHT_HAS_MONITORING && !PINSIGHT_IS_PLAIN

size_t pinsight_open_frames(struct pinsight_open_frame *frames, size_t most) {
    size_t count = 0;
    for (const pinsight_frame *frame = pinsight_frame_top(PyThreadState_Get()); frame;
         frame = pinsight_frame_caller(frame)) {
        if (pinsight_frame_is_internal(frame) ||
            !pinsight_frame_counts(pinsight_frame_code(frame), pinsight_frame_at(frame),
                                   pinsight_frame_is_of_generator(frame)))
            continue;
        if (count < most) {
            frames[count].identity = (void *)frame;
            frames[count].code = (PyCodeObject *)pinsight_frame_code(frame);
            frames[count].globals = frame->f_globals;
        }
        count++;
    }
    return count;
}

#else

#include <frameobject.h>

/* Events identify an execution by its frame object, which is made if necessary, and stays. The
 * references that are released here are not the last ones. */
size_t pinsight_open_frames(struct pinsight_open_frame *frames, size_t most) {
    size_t count = 0;
    PyFrameObject *frame = PyEval_GetFrame(), *next;
    Py_XINCREF(frame);
    for (; frame; frame = next) {
        if (count < most) {
            frames[count].identity = frame;
#if PY_VERSION_HEX >= 0x030b0000
            PyCodeObject *code = PyFrame_GetCode(frame);
            PyObject *globals = PyFrame_GetGlobals(frame);
            frames[count].code = code;
            frames[count].globals = globals;
            Py_DECREF(code);
            Py_DECREF(globals);
#else
            frames[count].code = frame->f_code;
            frames[count].globals = frame->f_globals;
#endif
        }
        count++;
#if PY_VERSION_HEX >= 0x03090000
        next = PyFrame_GetBack(frame);
#else
        next = frame->f_back;
        Py_XINCREF(next);
#endif
        Py_DECREF(frame);
    }
    return count;
}

#endif
