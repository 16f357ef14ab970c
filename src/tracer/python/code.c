/* Code objects; see code.h. */
#include "tracer/python/code.h"

#include "tracer/python/compiled.h"
#include "tracer/python/cpython/code_extra_set.h"
#include "tracer/python/cpython/code_lines.h"
#include "tracer/python/cpython/current_frame.h"
#include "tracer/python/domain.h"
#include "tracer/python/generated_name.h"
#include "tracer/python/lexgion_reuse.h"
#include "tracer/python/modules.h"
#include "tracer/python/qualname.h"
#include "tracer/python/serial.h"
#include "tracer/python/spans.h"
#include "tracer/python/text.h"
#include "tracer/python/thread_name.h"

#include <stdlib.h>
#include <string.h>

Py_ssize_t pinsight_code_extra_index = -1;

void pinsight_code_gone(void *extra) {
    struct pinsight_python_lexgion *lexgion = extra;
    if (!lexgion || lexgion->stands_in)
        return;
    pinsight_serial_begin();
    lexgion->code = NULL;
    if (!pinsight_lexgion_reuse_keep(lexgion))
        pinsight_python_retire(lexgion);
    pinsight_serial_end();
}

int pinsight_code_start(void) {
    if (pinsight_code_extra_index < 0)
        pinsight_code_extra_index = PyUnstable_Eval_RequestCodeExtraIndex(pinsight_code_gone);
    return pinsight_code_extra_index < 0 ? -1 : 0;
}

bool pinsight_code_start_in_another(void) {
    Py_ssize_t index;
    do
        index = PyUnstable_Eval_RequestCodeExtraIndex(pinsight_code_gone);
    while (index >= 0 && index < pinsight_code_extra_index);
    return index == pinsight_code_extra_index;
}

PyObject *pinsight_globals_of(PyCodeObject *code) {
#if PINSIGHT_HAS_MONITORING
    void *frame = pinsight_current_frame();
    if (!frame || !pinsight_frame_runs(frame, code))
        return pinsight_compiled_globals(code);
#else
    (void)code;
#endif
    return PyEval_GetGlobals();
}

/* Returns the kept lexgion of an equal code object, or a new one. Takes ownership of the strings.
 */
static struct pinsight_python_lexgion *lexgion_of(char *name, char *filename, char *module,
                                                  int32_t lineno) {
    struct pinsight_python_lexgion *lexgion =
        pinsight_lexgion_reuse_take(name, filename, module, lineno);
    if (!lexgion)
        return pinsight_lexgion_new(false, name, filename, module, lineno);
    free(name);
    free(filename);
    free(module);
    return lexgion;
}

static struct pinsight_python_lexgion *lexgion_new(PyCodeObject *code, PyObject *globals) {
    struct pinsight_python_lexgion *own = pinsight_code_own(code);
    if (own && !own->stands_in)
        return own; /* made by another thread meanwhile */
    char *generated = pinsight_generated_name(code);
    struct pinsight_python_lexgion *lexgion = lexgion_of(
        generated ? generated : pinsight_qualname(code, globals),
        pinsight_utf8_copy(code->co_filename), pinsight_module_name(globals), code->co_firstlineno);
    if (!lexgion)
        return NULL;
    lexgion->code = code;
    lexgion->some = lexgion->some || own;
    lexgion->renames = pinsight_thread_code_renames(code, lexgion->filename);
    lexgion->span = (uint8_t)pinsight_span_code(code, lexgion->filename);
    lexgion->state.ask_each = lexgion->state.ask_each || lexgion->renames || lexgion->span;
    lexgion->is_generator =
        (code->co_flags & (CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR)) != 0;
    if (pinsight_code_extra_set(code, pinsight_code_extra_index, lexgion) == 0)
        return lexgion;
    lexgion->code = NULL;
    pinsight_python_retire(lexgion);
    return NULL;
}

struct pinsight_python_lexgion *pinsight_code_lexgion_new(PyCodeObject *code, PyObject *globals) {
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    pinsight_serial_begin();
    struct pinsight_python_lexgion *lexgion = lexgion_new(code, globals);
    pinsight_serial_end();
    PyErr_Restore(type, value, traceback);
    return lexgion;
}

/* Makes a stand-in, which is never freed. */
static struct pinsight_python_lexgion *stand_in_new(void) {
    struct pinsight_python_lexgion *made =
        pinsight_lexgion_new(false, strdup("?"), strdup("?"), strdup("?"), 0);
    if (made) {
        made->stands_in = true;
        made->users = false;
    }
    return made;
}

void pinsight_code_of_library(PyCodeObject *code) {
    static struct pinsight_python_lexgion *library;
    if (!library)
        library = stand_in_new();
    if (library && pinsight_code_extra_set(code, pinsight_code_extra_index, library) != 0)
        PyErr_Clear();
}

#if !PINSIGHT_HAS_MONITORING

void pinsight_code_stand_in(PyCodeObject *code, uint32_t version, uint32_t config_version) {
    /* There is one for each configuration. */
    static struct pinsight_python_lexgion *newest;
    if (!newest || newest->state.resolved != config_version) {
        struct pinsight_python_lexgion *made = stand_in_new();
        if (!made)
            return;
        made->state.filtered = true;
        made->state.resolved = config_version;
        newest = made;
    }
    newest->quiet_version = version;
    if (pinsight_code_own(code) == newest)
        return;
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    if (pinsight_code_extra_set(code, pinsight_code_extra_index, newest) != 0)
        PyErr_Clear();
    PyErr_Restore(type, value, traceback);
}

#endif

void pinsight_code_read_lines(struct pinsight_python_lexgion *lexgion, PyCodeObject *code) {
    uint32_t count = 0;
    /* A loader's lines do not belong to the function that gets the call. */
    bool borrowed = lexgion->lends && pinsight_python.imports_apart;
    pinsight_serial_begin();
    int32_t *lines = lexgion->lines ? NULL
                     : borrowed     ? calloc(1, sizeof *lines)
                                    : pinsight_code_lines_new(code, &count);
    if (lines) { /* in this order, because other threads read the count first */
        lexgion->lines = lines;
        __atomic_store_n(&lexgion->line_count, count, __ATOMIC_RELEASE);
    }
    pinsight_serial_end();
}
