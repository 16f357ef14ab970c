/* Lexgions of the Python domain; see lexgion.h. */
#include "tracer/python/lexgion.h"

#include "base/users_code.h"
#include "tracer/core/info.h"
#include "tracer/python/budget.h"
#include "tracer/python/code_owner.h"
#include "tracer/python/domain.h"
#include "tracer/record/python.h"

#include <stdlib.h>
#include <string.h>

/* Sizes in bytes: the recorder's head of an event, and the fields of an inline function event
 * without its strings (lineno, code_id, python_thread_id, how). */
#define FUNCTION_BYTES (PINSIGHT_EVENT_HEAD_BYTES + 4 + 8 + 4 + 1)
#define CALL_BYTES (PINSIGHT_EVENT_HEAD_BYTES + 4 + 8 + 4)

/* Returns whether a module is PInsight's own package or extension. */
static bool is_own(const char *module) {
    if (module[0] == '_')
        module++;
    return strncmp(module, "pinsight", 8) == 0 &&
           (module[8] == '\0' || module[8] == '.' || strcmp(module + 8, "_python") == 0);
}

/* Returns whether a function ends the process, or the program in it, without exit functions. */
static bool leaves(const char *name) {
    return strcmp(name, "posix._exit") == 0 || strcmp(name, "posix.execv") == 0 ||
           strcmp(name, "posix.execve") == 0;
}

uint32_t pinsight_code_numbers(uint32_t count) {
    static _Atomic uint32_t last;
    return atomic_fetch_add_explicit(&last, count, memory_order_relaxed) + 1;
}

static bool ends_with(const char *text, const char *end) {
    size_t length = strlen(text), rest = strlen(end);
    return length >= rest && strcmp(text + length - rest, end) == 0;
}

/* Returns whether code is of importlib's loaders, or makes a call for them (compile). */
static bool lends(const char *name, const char *filename) {
    return strstr(filename, "_bootstrap_external") ||
           strcmp(name, "_call_with_frames_removed") == 0;
}

struct pinsight_python_lexgion *pinsight_lexgion_new(bool is_c, char *name, char *filename,
                                                     char *module, int32_t lineno) {
    static _Atomic uint32_t last_callee;
    struct pinsight_python_lexgion *lexgion = NULL;
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
    pinsight_python.cost.met++;
    uint32_t id = is_c ? atomic_fetch_add(&last_callee, 1) + 1 : pinsight_code_numbers(1);
    *lexgion = (struct pinsight_python_lexgion){.state = PINSIGHT_LEXGION_INIT(id)};
    lexgion->code_id = is_c ? 0 : (uint64_t)(uint32_t)pinsight_process.pid << 32 | id;
    lexgion->is_c = is_c;
    lexgion->hidden = is_own(module);
    lexgion->leaves = is_c && leaves(name);
    lexgion->users = !is_c && pinsight_code_owner_is_user(filename, module, name);
    lexgion->bootstrap = !is_c && pinsight_importlib_file(filename);
    lexgion->lends = lexgion->bootstrap && lends(name, filename);
    lexgion->imports = lexgion->bootstrap && strcmp(name, "_find_and_load") == 0;
    lexgion->schedules =
        !is_c && ends_with(name, "reschedule") && ends_with(filename, "/trio/_core/_run.py");
    lexgion->state.ask_each = lexgion->leaves || lexgion->imports || lexgion->schedules;
    lexgion->name = name;
    lexgion->filename = filename;
    lexgion->module = module;
    lexgion->lineno = lineno;
    uint32_t strings = (uint32_t)(strlen(name) + strlen(filename) + 2);
    lexgion->begin_bytes = is_c ? (uint32_t)strlen(name) + 1 : FUNCTION_BYTES + strings;
    lexgion->call_bytes = CALL_BYTES + strings;
    return lexgion;
}

void pinsight_python_retire(struct pinsight_python_lexgion *lexgion) {
#if !PINSIGHT_HAS_GIL
    pinsight_lexgion_begun(lexgion);
#endif
    pinsight_lexgion_retire(&pinsight_python.engine, &lexgion->state);
}

bool pinsight_lexgion_calls(const struct pinsight_python_lexgion *lexgion) {
    return !lexgion->hidden &&
           (!lexgion->bootstrap || lexgion->lends || !pinsight_python.imports_apart);
}

bool pinsight_python_define(struct pinsight_python_lexgion *lexgion) {
    if (lexgion->hidden)
        return false;
    pinsight_lexgion_define(&pinsight_python.engine, &lexgion->state);
    return true;
}

bool pinsight_lexgion_selects(struct pinsight_python_lexgion *lexgion) {
    pinsight_lexgion_resolve(&pinsight_python.engine, &lexgion->state);
    bool some = lexgion->is_c ? pinsight_python.some_c_calls : pinsight_python.some_functions;
    lexgion->some =
        lexgion->some || lexgion->hidden || lexgion->state.filtered || lexgion->state.window;
    return some || lexgion->some;
}

/* ---- for the engine ---- */

void pinsight_python_define_now(const struct pinsight_lexgion *state) {
    const struct pinsight_python_lexgion *lexgion = (const struct pinsight_python_lexgion *)state;
    uint64_t before = pinsight_info_before();
    if (lexgion->is_c) {
        if (pinsight_record_python_callee_info_enabled())
            pinsight_record_python_callee_info(state->id, lexgion->name, lexgion->module);
    } else if (pinsight_record_python_code_info_enabled()) {
        pinsight_record_python_code_info(state->id, lexgion->code_id, lexgion->name,
                                         lexgion->filename, lexgion->lineno, lexgion->module);
    }
    pinsight_info_after(before);
}

void pinsight_python_owner(const struct pinsight_lexgion *state,
                           struct pinsight_window_owner *owner) {
    const struct pinsight_python_lexgion *lexgion = (const struct pinsight_python_lexgion *)state;
    owner->is_c_call = lexgion->is_c;
    owner->name = lexgion->name;
    owner->filename = lexgion->filename;
    owner->lineno = lexgion->lineno;
}

bool pinsight_python_wanted(struct pinsight_lexgion *state) {
    struct pinsight_python_lexgion *lexgion = (struct pinsight_python_lexgion *)state;
    lexgion->some = lexgion->some || state->filtered || state->window; /* as before */
    if (lexgion->bootstrap && pinsight_python.imports_apart)
        return false;
    return !pinsight_python.has_modules || pinsight_module_wanted(lexgion->module);
}

void pinsight_python_lexgion_free(struct pinsight_lexgion *state) {
    struct pinsight_python_lexgion *lexgion = (struct pinsight_python_lexgion *)state;
    pinsight_budget_forget(lexgion);
    free((char *)lexgion->name);
    free((char *)lexgion->filename);
    free((char *)lexgion->module);
    free(lexgion->lines);
    pinsight_frames_free(lexgion->paused);
    free(lexgion);
}
