/* Code objects: the lexgion of each in a code extra, and the lines of its instructions. */
#ifndef PINSIGHT_PYTHON_CODE_H
#define PINSIGHT_PYTHON_CODE_H

#include "tracer/python/cpython/code_extra.h"
#include "tracer/python/lexgion.h"
#include "tracer/python/versions.h"

/* Index of PInsight's code extra. It is set once, before the first event. */
extern Py_ssize_t pinsight_code_extra_index __attribute__((visibility("hidden")));

/* Requests a code extra from the interpreter. Holds the GIL. Returns 0 or -1. */
int pinsight_code_start(void);

/* Called by the interpreter when it frees a code object with PInsight's code extra. */
void pinsight_code_gone(void *extra);

/* Requests the same index in another interpreter. Returns false if that is impossible. Holds that
 * interpreter's GIL. May set an exception. */
bool pinsight_code_start_in_another(void);

/* Makes the lexgion of a code object that has none. `globals` are those of its function
 * (borrowed, or NULL). Returns NULL if memory is short. Holds the GIL. Keeps a pending exception.
 */
struct pinsight_python_lexgion *pinsight_code_lexgion_new(PyCodeObject *code, PyObject *globals);

/* Notes that a code object without a lexgion is not the user's; see excluded_thread.h. Holds the
 * GIL. */
void pinsight_code_of_library(PyCodeObject *code);

#if !PINSIGHT_HAS_MONITORING
/* Gives a code object that is filtered out a stand-in for a lexgion. All code objects that the same
 * settings filter out share the stand-in. `version` and `config_version` are those of the settings,
 * read before the filter was applied. Holds the GIL. */
void pinsight_code_stand_in(PyCodeObject *code, uint32_t version, uint32_t config_version);
#endif

/* Returns the globals of the function that an event of this thread is about, borrowed, or NULL if
 * they are unknown. If `code` has no frame (execution.h), they are those of its module. Slow path.
 * Holds the GIL. Keeps a pending exception. */
PyObject *pinsight_globals_of(PyCodeObject *code);

/* Returns the lexgion or the stand-in of a code object, or NULL. */
PINSIGHT_ALWAYS_INLINE struct pinsight_python_lexgion *pinsight_code_own(PyCodeObject *code) {
    return pinsight_code_extra(code, pinsight_code_extra_index);
}

/* Returns the lexgion of a code object, or NULL if memory is short. */
PINSIGHT_ALWAYS_INLINE struct pinsight_python_lexgion *pinsight_code_lexgion(PyCodeObject *code) {
    struct pinsight_python_lexgion *lexgion = pinsight_code_own(code);
    if (PINSIGHT_LIKELY(lexgion != NULL && !lexgion->stands_in))
        return lexgion;
    return pinsight_code_lexgion_new(code, pinsight_globals_of(code));
}

/* Fills in `lexgion->lines`. Slow path of pinsight_code_line(). */
void pinsight_code_read_lines(struct pinsight_python_lexgion *lexgion, PyCodeObject *code);

/* Returns the line of the instruction at `offset` bytes, or 0 if there is none. */
PINSIGHT_ALWAYS_INLINE int32_t pinsight_code_line(struct pinsight_python_lexgion *lexgion,
                                                  PyCodeObject *code, long offset) {
    if (PINSIGHT_UNLIKELY(!lexgion->lines))
        pinsight_code_read_lines(lexgion, code);
    size_t index = (size_t)offset / sizeof(uint16_t);
    return PINSIGHT_LIKELY(index < pinsight_line_count(lexgion)) ? lexgion->lines[index] : 0;
}

#endif
