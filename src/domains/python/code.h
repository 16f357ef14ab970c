/* Code objects: the lexgion of each, kept in a code extra, and the lines of its instructions. */
#ifndef PINSIGHT_PYTHON_CODE_H
#define PINSIGHT_PYTHON_CODE_H

#include "domains/python/cpython/code_extra.h"
#include "domains/python/lexgion.h"
#include "domains/python/versions.h"

/* Index of our code extra; set once, before the first event. */
extern Py_ssize_t pinsight_code_extra_index __attribute__((visibility("hidden")));

/* Ask the interpreter for a code extra. Holds the GIL. Returns 0 or -1. */
int pinsight_code_start(void);

/* Called by the interpreter when a code object goes, with our code extra. */
void pinsight_code_gone(void *extra);

/* The same in another interpreter, where it has the same index. False where it cannot have it.
 * Holds that one's GIL; may set an exception. */
bool pinsight_code_start_in_another(void);

/* Make the lexgion of a code object that has none. `globals` (borrowed, may be NULL) are those of
 * the function that runs. NULL when memory is short. Holds the GIL; keeps a pending exception. */
struct pinsight_python_lexgion *pinsight_code_lexgion_new(PyCodeObject *code, PyObject *globals);

/* Remember of a code object without a lexgion that it is not the user's; see excluded_thread.h.
 * Holds the GIL. */
void pinsight_code_of_library(PyCodeObject *code);

#if !PINSIGHT_HAS_MONITORING
/* Give a code object that is filtered out a stand-in in place of a lexgion of its own: quiet, and
 * the same for all that were found to be filtered out by the same settings. `version` and
 * `config_version`, of the settings, were read before that was found. Holds the GIL. */
void pinsight_code_stand_in(PyCodeObject *code, uint32_t version, uint32_t config_version);
#endif

/* The globals of the function that runs in this thread, borrowed; NULL without one. */
static inline PyObject *pinsight_running_globals(void) {
    return PyEval_GetGlobals();
}

/* What a code object has: a lexgion, a stand-in, or NULL. */
PINSIGHT_ALWAYS_INLINE struct pinsight_python_lexgion *pinsight_code_own(PyCodeObject *code) {
    return pinsight_code_extra(code, pinsight_code_extra_index);
}

/* The lexgion of a code object; NULL when memory is short. */
PINSIGHT_ALWAYS_INLINE struct pinsight_python_lexgion *pinsight_code_lexgion(PyCodeObject *code) {
    struct pinsight_python_lexgion *lexgion = pinsight_code_own(code);
    if (PINSIGHT_LIKELY(lexgion != NULL && !lexgion->stands_in))
        return lexgion;
    return pinsight_code_lexgion_new(code, pinsight_running_globals());
}

/* Fill `lexgion->lines`; slow path of the next function. */
void pinsight_code_read_lines(struct pinsight_python_lexgion *lexgion, PyCodeObject *code);

/* The line of the instruction at `offset` bytes; 0 where there is none. */
PINSIGHT_ALWAYS_INLINE int32_t pinsight_code_line(struct pinsight_python_lexgion *lexgion,
                                                  PyCodeObject *code, long offset) {
    if (PINSIGHT_UNLIKELY(!lexgion->lines))
        pinsight_code_read_lines(lexgion, code);
    size_t index = (size_t)offset / sizeof(uint16_t);
    return PINSIGHT_LIKELY(index < pinsight_line_count(lexgion)) ? lexgion->lines[index] : 0;
}

#endif
