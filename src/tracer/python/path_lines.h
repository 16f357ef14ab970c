/* The lines of instructions in the code objects of call paths. Under the lock of the paths. */
#ifndef PINSIGHT_PYTHON_PATH_LINES_H
#define PINSIGHT_PYTHON_PATH_LINES_H

#include "tracer/python/cpython/code_lines.h"
#include "tracer/python/cpython/frame.h"
#include "tracer/python/cpython/line_block.h"
#include "tracer/python/path_code.h"

/* Makes room for `more` code objects beyond the `made` existing ones. Returns false if memory is
 * short. */
bool pinsight_path_lines_make(uint32_t made, uint32_t more);

/* Reads the line of the instruction at an offset in bytes from the table. */
static inline int32_t pinsight_path_line_read(const PyCodeObject *code, long offset) {
#if PY_VERSION_HEX >= 0x030b0000
    PyObject *table = pinsight_code_line_table(code);
    return pinsight_line_find_block((const unsigned char *)PyBytes_AS_STRING(table),
                                    (size_t)PyBytes_GET_SIZE(table), code->co_firstlineno, offset);
#else
    struct pinsight_line_range range;
    pinsight_code_lines_begin(&range, code);
    return pinsight_line_find(&range, PINSIGHT_CODE_NEXT_RANGE, offset);
#endif
}

/* Like pinsight_path_line_read(), for a code object that was asked for a line before. */
int32_t pinsight_path_line_cached(uint32_t known, long offset);

/* Returns the line of an instruction in the form of cpython/frame.h, or 0 if there is none. `known`
 * is the number of `code`. */
static inline int32_t pinsight_path_line(uint32_t known, struct pinsight_path_code *code,
                                         uintptr_t at) {
    long offset = pinsight_frame_offset(code->code, at);
    if (offset >= 0) {
        if (code->misses)
            return pinsight_path_line_cached(known, offset);
        code->misses = 1;
    }
    return pinsight_path_line_read(code->code, offset);
}

/* Frees the lines of a code object. */
void pinsight_path_lines_gone(uint32_t known);

#endif
