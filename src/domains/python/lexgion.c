/* Lexgions of the Python domain; see lexgion.h. */
#include "domains/python/lexgion.h"

#include "core/info.h"
#include "core/process.h"
#include "core/resolve.h"
#include "core/settings.h"
#include "domains/python/count.h"
#include "domains/python/domain.h"
#include "domains/python/modules.h"
#include "record/python.h"

#include <stdlib.h>
#include <string.h>

/* A name may be as long as a program likes, an event may not be longer than a sub-buffer. */
#define LONGEST_TEXT 2000

/* Sizes in bytes of LTTng's event header and the contexts vpid and vtid, then of the fields of an
 * inline function event beside its strings: lineno, code_id, python_thread_id, how. */
#define EVENT_BYTES (6 + 8)
#define FUNCTION_BYTES (EVENT_BYTES + 4 + 8 + 4 + 1)
#define CALL_BYTES (EVENT_BYTES + 4 + 8 + 4)

/* PInsight's own package and extension are no part of the program. */
static bool is_own(const char *module) {
    if (module[0] == '_')
        module++;
    return strncmp(module, "pinsight", 8) == 0 &&
           (module[8] == '\0' || module[8] == '.' || strcmp(module + 8, "_python") == 0);
}

/* These end the process, or the program in it, past every exit function. */
static bool leaves(const char *name) {
    return strcmp(name, "posix._exit") == 0 || strcmp(name, "posix.execv") == 0 ||
           strcmp(name, "posix.execve") == 0;
}

uint32_t pinsight_code_numbers(uint32_t count) {
    static _Atomic uint32_t last;
    return atomic_fetch_add_explicit(&last, count, memory_order_relaxed) + 1;
}

struct pinsight_lexgion *pinsight_lexgion_new(bool is_c, char *name, char *filename, char *module,
                                              int32_t lineno) {
    static uint32_t next_callee = 1; /* under the GIL */
    struct pinsight_lexgion *lexgion = NULL;
    if (name && filename && module)
        lexgion =
            aligned_alloc(PINSIGHT_LEXGION_ALIGN, (sizeof *lexgion + PINSIGHT_LEXGION_ALIGN - 1) &
                                                      ~(size_t)(PINSIGHT_LEXGION_ALIGN - 1));
    if (!lexgion) {
        free(name);
        free(filename);
        free(module);
        return NULL;
    }
    memset(lexgion, 0, sizeof *lexgion);
    lexgion->id = is_c ? next_callee++ : pinsight_code_numbers(1);
    lexgion->code_id = is_c ? 0 : (uint64_t)(uint32_t)pinsight_process.pid << 32 | lexgion->id;
    lexgion->is_c = is_c;
    lexgion->hidden = is_own(module);
    lexgion->leaves = is_c && leaves(name);
    lexgion->imports = !is_c && strcmp(name, "_find_and_load") == 0 &&
                       strcmp(filename, "<frozen importlib._bootstrap>") == 0;
    lexgion->name = name;
    lexgion->filename = filename;
    lexgion->module = module;
    lexgion->lineno = lineno;
    uint32_t strings = (uint32_t)(strlen(name) + strlen(filename) + 2);
    lexgion->begin_bytes = is_c ? (uint32_t)strlen(name) + 1 : FUNCTION_BYTES + strings;
    lexgion->call_bytes = CALL_BYTES + strings;
    return lexgion;
}

bool pinsight_lexgion_define(struct pinsight_lexgion *lexgion) {
    if (lexgion->hidden)
        return false;
    if (lexgion->defined == pinsight_generation())
        return true;
    lexgion->defined = pinsight_generation();
    uint64_t before = pinsight_info_before();
    if (lexgion->is_c) {
        if (pinsight_record_python_callee_info_enabled())
            pinsight_record_python_callee_info(lexgion->id, lexgion->name, lexgion->module);
    } else if (pinsight_record_python_code_info_enabled()) {
        pinsight_record_python_code_info(lexgion->id, lexgion->code_id, lexgion->name,
                                         lexgion->filename, lexgion->lineno, lexgion->module);
    }
    pinsight_info_after(before);
    return true;
}

void pinsight_lexgion_resolve(struct pinsight_lexgion *lexgion) {
    struct pinsight_window_owner owner = {
        .domain = &pinsight_python_domain,
        .is_c_call = lexgion->is_c,
        .lexgion = lexgion->id,
        .name = lexgion->name,
        .filename = lexgion->filename,
        .lineno = lexgion->lineno,
    };
    enum pinsight_mode after;
    uint32_t generation = pinsight_settings_generation();
    lexgion->some = lexgion->some || lexgion->filtered || lexgion->window;
    lexgion->filtered = pinsight_python.has_modules && !pinsight_module_wanted(lexgion->module);
    lexgion->window = pinsight_resolve_window(lexgion->window, &owner, generation, &after);
    lexgion->after = (uint8_t)after;
    lexgion->last_open = false;
    lexgion->resolved = generation;
}

bool pinsight_lexgion_selects(struct pinsight_lexgion *lexgion) {
    if (lexgion->resolved != pinsight_settings_generation())
        pinsight_lexgion_resolve(lexgion);
    bool some = lexgion->is_c ? pinsight_python.some_c_calls : pinsight_python.some_functions;
    lexgion->some = lexgion->some || lexgion->hidden || lexgion->filtered || lexgion->window;
    return some || lexgion->some;
}

void pinsight_lexgion_retire(struct pinsight_lexgion *lexgion) {
    lexgion->dead = true;
    pinsight_lexgion_collect(lexgion);
}

void pinsight_lexgion_collect(struct pinsight_lexgion *lexgion) {
    if (!lexgion->dead || lexgion->in_flight)
        return;
    if (lexgion->slot && !pinsight_count_release(lexgion))
        return; /* its counts are still to be written; freed after that */
    if (lexgion->window) {
        pinsight_window_forget(lexgion->window); /* its timer may be due: it knows the names */
        free(lexgion->window);
    }
    free((char *)lexgion->name);
    free((char *)lexgion->filename);
    free((char *)lexgion->module);
    free(lexgion->lines);
    pinsight_frames_free(lexgion->paused);
    free(lexgion);
}

char *pinsight_utf8_copy(PyObject *text) {
    if (!text || !PyUnicode_Check(text) || PyUnicode_GetLength(text) == 0)
        return strdup("?");
    PyObject *bytes = NULL;
    Py_ssize_t length;
    const char *utf8 = PyUnicode_AsUTF8AndSize(text, &length);
    if (!utf8) {
        PyErr_Clear();
        bytes = PyUnicode_AsEncodedString(text, "utf-8", "backslashreplace");
        if (!bytes) {
            PyErr_Clear();
            return strdup("?");
        }
        utf8 = PyBytes_AS_STRING(bytes);
        length = PyBytes_GET_SIZE(bytes);
    }
    if (length > LONGEST_TEXT) {
        length = LONGEST_TEXT;
        while (length > 0 && ((unsigned char)utf8[length] & 0xc0) == 0x80)
            length--; /* not in the middle of a character */
    }
    char *copy = strndup(utf8, (size_t)length);
    Py_XDECREF(bytes);
    return copy;
}
