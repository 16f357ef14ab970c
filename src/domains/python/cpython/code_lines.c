/* The lines of a code object's instructions; see code_lines.h. */
#include "domains/python/cpython/code_lines.h"

#include <stdlib.h>

#if PY_VERSION_HEX >= 0x030b0000
#define instructions(code) ((size_t)Py_SIZE(code))
#else
#define instructions(code) ((size_t)PyBytes_GET_SIZE((code)->co_code) / PINSIGHT_INSTRUCTION)
#endif

int32_t *pinsight_code_lines_new(const PyCodeObject *code, uint32_t *count) {
    struct pinsight_line_range range;
    size_t all = instructions(code);
    int32_t *lines = all < UINT32_MAX ? malloc((all ? all : 1) * sizeof *lines) : NULL;
    if (!lines)
        return NULL;
    pinsight_code_lines_begin(&range, code);
    pinsight_line_fill(&range, PINSIGHT_CODE_NEXT_RANGE, lines, all);
    *count = (uint32_t)all;
    return lines;
}
