/*
 * What PINSIGHT_PLAIN=1 does in place of cpython/: CPython's API alone, and attributes that Python
 * programs may read. It takes longer, so who is called for each event has a function of its own for
 * it. All hold the GIL.
 */
#ifndef PINSIGHT_PYTHON_PLAIN_H
#define PINSIGHT_PYTHON_PLAIN_H

#include "core/plain.h"
#include "domains/python/versions.h"

/* ---- code objects ---- */

/* A code object's extra; NULL without one. */
static inline void *pinsight_plain_extra(PyCodeObject *code, Py_ssize_t index) {
    void *extra = NULL;
    return PyUnstable_Code_GetExtra((PyObject *)code, index, &extra) == 0 ? extra : NULL;
}

/* The line of the instruction at `offset` bytes; 0 where there is none. */
static inline int32_t pinsight_plain_line(PyCodeObject *code, long offset) {
    int line = offset < 0 ? 0 : PyCode_Addr2Line(code, (int)offset);
    return line > 0 ? line : 0;
}

/* ---- the frame that runs ---- */

/* Identifies the execution for as long as it lasts: its frame object, which is made for this. */
static inline void *pinsight_plain_frame(void) {
    return PyEval_GetFrame();
}

/* The code object of a frame, borrowed. */
PyCodeObject *pinsight_plain_code(PyFrameObject *frame);

/* The offset of the instruction that a frame is at, in bytes; less than 0 before the first. Keeps a
 * pending exception. */
long pinsight_plain_offset(PyFrameObject *frame);

#if PINSIGHT_HAS_MONITORING

/* Is a call under way whose end is not reported (pinsight_call_ends_unseen)? */
bool pinsight_plain_call_ends_unseen(void);

#else

/* How a generator's execution begins and ends, as in the events; `frame` is the event's. */
int pinsight_plain_begin_how(PyFrameObject *frame, const PyCodeObject *code);
int pinsight_plain_end_how(PyFrameObject *frame, const PyCodeObject *code, PyObject *result);

/* The first argument of the function that runs, whose name is `name`; a new reference, or NULL. */
PyObject *pinsight_plain_argument(const char *name);

/*
 * Have `function` called for what the calling thread, and the threads that `threading` starts from
 * now on, execute; in the main thread too, as soon as that may be. Again does nothing where it was
 * done. `take_out` gives the calling thread back.
 */
void pinsight_plain_profile(Py_tracefunc function);
void pinsight_plain_take_out(void);

/* At the end, in a thread that has our function: if the program has put another in its place
 * (sys.setprofile), that is said. Executes an expression, which no event is recorded of. */
void pinsight_plain_check(void);

/* Is the event the check's own? */
bool pinsight_plain_is_check(void);

/* To be called now and then: `threading` may have been imported. */
void pinsight_plain_look_for_threading(void);

#endif

/* ---- what is called ---- */

/* The descriptor of a method wrapper, borrowed; the wrapper where it cannot be found. */
PyObject *pinsight_plain_method_wrapper_of(PyObject *wrapper);

/* The instance's own name space, borrowed; made where it has none yet. NULL where there can be
 * none. */
PyObject *pinsight_plain_instance_dict(PyObject *object);

/* ---- the GIL ---- */

/* Does this thread hold the GIL, in the interpreter that it came from? "No" where that is not
 * known. */
bool pinsight_plain_holds_gil(void);

#endif
