/*
 * The lines of a code object's instructions, read from its own table in one pass. The interpreter's
 * PyCode_Addr2Line() walks that table from its begin for each instruction.
 */
#ifndef PINSIGHT_CPYTHON_CODE_LINES_H
#define PINSIGHT_CPYTHON_CODE_LINES_H

#include "domains/python/versions.h"

#if !PINSIGHT_IS_PLAIN

#include "domains/python/cpython/line_table.h"

/* What CPython has the lines of a code object in: a bytes object. */
static inline PyObject *pinsight_code_line_table(const PyCodeObject *code) {
#if PY_VERSION_HEX >= 0x030a0000
    return code->co_linetable;
#else
    return code->co_lnotab;
#endif
}

#if PY_VERSION_HEX >= 0x030b0000
#define PINSIGHT_CODE_NEXT_RANGE pinsight_line_next_locations
#elif PY_VERSION_HEX >= 0x030a0000
#define PINSIGHT_CODE_NEXT_RANGE pinsight_line_next_linetable
#else
#define PINSIGHT_CODE_NEXT_RANGE pinsight_line_next_lnotab
#endif

/* Begin to read the table. Whatever makes a code object sees to it that its table is bytes. */
static inline void pinsight_code_lines_begin(struct pinsight_line_range *range,
                                             const PyCodeObject *code) {
    PyObject *table = pinsight_code_line_table(code);
    pinsight_line_begin(range, (const unsigned char *)PyBytes_AS_STRING(table),
                        (size_t)PyBytes_GET_SIZE(table), code->co_firstlineno);
}

#endif

/* The line of each instruction of `code`, 0 where there is none, in memory that the caller frees;
 * `count` gets how many there are. NULL where memory is short. Any thread, with or without the GIL:
 * of the code object nothing is read that ever changes. In the plain form it needs the GIL, and
 * keeps a pending exception. */
int32_t *pinsight_code_lines_new(const PyCodeObject *code, uint32_t *count);

#endif
