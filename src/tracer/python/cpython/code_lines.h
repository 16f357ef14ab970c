/*
 * The lines of a code object's instructions, read from its table in one pass. The interpreter's
 * PyCode_Addr2Line() would read the table from its start for each instruction.
 */
#ifndef PINSIGHT_CPYTHON_CODE_LINES_H
#define PINSIGHT_CPYTHON_CODE_LINES_H

#include "tracer/python/versions.h"

#if !PINSIGHT_IS_PLAIN

#include "runtimes/line_table.h"

/* Returns the bytes object with the lines of a code object. */
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

/* Begins to read the table. All functions that make a code object check that its table is bytes. */
static inline void pinsight_code_lines_begin(struct pinsight_line_range *range,
                                             const PyCodeObject *code) {
    PyObject *table = pinsight_code_line_table(code);
    pinsight_line_begin(range, (const unsigned char *)PyBytes_AS_STRING(table),
                        (size_t)PyBytes_GET_SIZE(table), code->co_firstlineno);
}

#endif

/* Returns the line of each instruction of `code`, 0 if it has none, in memory that the caller
 * frees. `count` gets the number of instructions. Returns NULL if memory is short. Any thread, with
 * or without the GIL, because the used parts of a code object never change. The plain form needs
 * the GIL, and keeps a pending exception. */
int32_t *pinsight_code_lines_new(const PyCodeObject *code, uint32_t *count);

#endif
