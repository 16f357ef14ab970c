/* Code objects; see code.h. */
#include "domains/python/code.h"

#include "domains/python/modules.h"
#include "domains/python/qualname.h"

#include <stdlib.h>
#include <string.h>

Py_ssize_t pinsight_code_extra_index = -1;

/* Called by the interpreter when a code object goes. */
static void code_gone(void *extra) {
    if (extra)
        pinsight_lexgion_retire(extra);
}

int pinsight_code_start(void) {
    if (pinsight_code_extra_index < 0)
        pinsight_code_extra_index = PyUnstable_Eval_RequestCodeExtraIndex(code_gone);
    return pinsight_code_extra_index < 0 ? -1 : 0;
}

struct pinsight_lexgion *pinsight_code_lexgion_new(PyCodeObject *code, PyObject *globals) {
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    struct pinsight_lexgion *lexgion = pinsight_lexgion_new(
        false, pinsight_qualname(code, globals), pinsight_utf8_copy(code->co_filename),
        pinsight_module_name(globals), code->co_firstlineno);
    if (lexgion &&
        PyUnstable_Code_SetExtra((PyObject *)code, pinsight_code_extra_index, lexgion) != 0) {
        pinsight_lexgion_retire(lexgion);
        lexgion = NULL;
    }
    if (lexgion)
        lexgion->is_generator =
            (code->co_flags & (CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR)) != 0;
    PyErr_Restore(type, value, traceback);
    return lexgion;
}

void pinsight_code_read_lines(struct pinsight_lexgion *lexgion, PyCodeObject *code) {
#if PY_VERSION_HEX >= 0x030b0000
    size_t count = (size_t)Py_SIZE(code);
#else
    size_t count = (size_t)PyBytes_GET_SIZE(code->co_code) / sizeof(uint16_t);
#endif
    int32_t *lines = malloc((count ? count : 1) * sizeof *lines);
    if (!lines)
        return;
    for (size_t i = 0; i < count; i++) {
        int line = PyCode_Addr2Line(code, (int)(i * sizeof(uint16_t)));
        lines[i] = line > 0 ? line : 0;
    }
    lexgion->line_count = (uint32_t)count;
    lexgion->lines = lines;
}
