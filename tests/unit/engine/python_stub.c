/* The Python domain without an interpreter; see python_stub.h. */
#include "python_stub.h"

#include "base/kernel_clock.h"
#include "describe/python.h"
#include "tracer/core/settings.h"
#include "tracer/python/budget.h"
#include "tracer/python/code_owner.h"
#include "tracer/python/fast_count.h"
#include "tracer/python/fast_path.h"
#include "tracer/python/generators.h"
#include "tracer/python/import.h"
#include "tracer/python/spans.h"
#include "tracer/python/thread_name.h"

#include "base/users_code.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct pinsight_domain pinsight_python_domain = {
    PINSIGHT_PYTHON_TABLES,
};

struct pinsight_python_settings pinsight_python = {.engine = PINSIGHT_PYTHON_ENGINE};

bool stub_greenlets;
bool stub_started = true;
unsigned stub_left;
uint64_t stub_clock = 1;

static struct pinsight_python_thread *thread;

uint64_t pinsight_kernel_ns(clockid_t clock) {
    (void)clock;
    return stub_clock;
}

void pinsight_kernel_clock_differs(char *name, size_t room) {
    (void)room;
    *name = '\0';
}

struct pinsight_python_thread *stub_start(void) {
    if (pinsight_domain_register(&pinsight_python_domain) != 0)
        return NULL;
    struct pinsight_core_thread *core = pinsight_thread_get();
    thread = core ? calloc(1, sizeof *thread) : NULL;
    if (!thread)
        return NULL;
    pinsight_python_thread_attach(thread, core);
    return thread;
}

struct pinsight_python_lexgion *stub_lexgion(bool is_c, const char *name, const char *module) {
    struct pinsight_python_lexgion *lexgion = pinsight_lexgion_new(
        is_c, strdup(name), strdup(is_c ? "<C>" : "f.py"), strdup(module), is_c ? 0 : 1);
    if (lexgion && !is_c)
        lexgion->code = lexgion;
    return lexgion;
}

void stub_events(bool functions, bool c_calls, bool imports, bool registry) {
    pinsight_python.functions = functions;
    pinsight_python.c_calls = c_calls;
    pinsight_python.imports = imports;
    pinsight_python.registry = registry;
    pinsight_python.engine.config_version = pinsight_config_version();
    pinsight_decision_version_next();
}

/* ---- what the interpreter would call ---- */

/* The flavour of the callbacks for the mode in force; false where there are none. */
static bool flavour_now(enum pinsight_flavour *flavour) {
    enum pinsight_mode mode = pinsight_domain_mode(&pinsight_python_domain);
    *flavour = mode == PINSIGHT_MODE_MONITORING ? PINSIGHT_COUNT
               : pinsight_python.registry       ? PINSIGHT_REGISTRY
                                                : PINSIGHT_INLINE;
    return mode >= PINSIGHT_MODE_MONITORING;
}

bool stub_begin(struct pinsight_python_lexgion *lexgion, void *frame, int how) {
    enum pinsight_flavour flavour;
    if (!flavour_now(&flavour))
        return false;
    if (flavour == PINSIGHT_REGISTRY && pinsight_fast_begin(0, thread, lexgion, frame, how, 0))
        return false;
    if (flavour == PINSIGHT_COUNT && pinsight_fast_count_begin(thread, lexgion, frame, how, 0))
        return false;
    return pinsight_begin(thread, lexgion, frame, how, 0, flavour);
}

bool stub_end(struct pinsight_python_lexgion *lexgion, void *frame, int how) {
    enum pinsight_flavour flavour;
    if (!flavour_now(&flavour))
        return false;
    if (flavour == PINSIGHT_REGISTRY && pinsight_fast_end(0, thread, lexgion, frame, how))
        return false;
    if (flavour == PINSIGHT_COUNT && pinsight_fast_count_end(thread, lexgion, frame))
        return false;
    return pinsight_end(thread, lexgion, frame, how, flavour);
}

/* Begins a C call by the fast path, which reads the line from the caller's only instruction. */
static bool fast_c_begin(struct pinsight_python_lexgion *caller,
                         struct pinsight_python_lexgion *callee, void *frame, int32_t lineno,
                         enum pinsight_flavour flavour) {
    caller->lines = &lineno;
    caller->line_count = 1;
    bool begun = flavour == PINSIGHT_REGISTRY
                     ? pinsight_fast_callee(callee) &&
                           pinsight_fast_c_begin(0, thread, caller, frame, 0, callee)
                     : flavour == PINSIGHT_COUNT &&
                           pinsight_fast_count_c_begin(thread, caller, frame, 0, callee);
    caller->lines = NULL;
    caller->line_count = 0;
    return begun;
}

void stub_c_begin(struct pinsight_python_lexgion *caller, struct pinsight_python_lexgion *callee,
                  void *frame, int32_t lineno) {
    enum pinsight_flavour flavour;
    if (!flavour_now(&flavour))
        return;
    if (fast_c_begin(caller, callee, frame, lineno, flavour))
        return;
    if (!pinsight_c_exclude(thread, callee, callee))
        pinsight_c_begin(thread, caller, callee, frame, lineno, flavour);
}

void stub_c_end(struct pinsight_python_lexgion *caller, struct pinsight_python_lexgion *callee,
                void *frame, int how) {
    enum pinsight_flavour flavour;
    if (!flavour_now(&flavour))
        return;
    if (flavour == PINSIGHT_REGISTRY && pinsight_fast_c_end(0, thread, caller, frame, how))
        return;
    if (flavour == PINSIGHT_COUNT && pinsight_fast_count_c_end(thread, caller, frame))
        return;
    if (!pinsight_c_was_excluded(thread, callee))
        pinsight_c_end(thread, caller, frame, callee, how, flavour);
}

/* ---- what the balance asks of the rest of the domain ---- */

void pinsight_c_end_unmatched(struct pinsight_python_thread *at, void *code, void *frame,
                              void *callable, int how) {
    struct pinsight_python_lexgion *caller = code, *callee = callable;
    if (callee->state.in_flight == 0 && pinsight_lexgion_is_shut(callee))
        return;
    if (!pinsight_c_end_find(at, frame, how) && !caller->hidden &&
        !pinsight_lexgion_selects(callee))
        pinsight_end_drop(at);
}

void pinsight_task_scheduled(void) {
}

bool pinsight_there_are_greenlets(void) {
    return stub_greenlets;
}

bool pinsight_generator_has_started(const void *code, void *frame) {
    (void)code;
    (void)frame;
    return stub_started;
}

/* A module whose name begins with "no" is left out by a filter. */
bool pinsight_module_wanted(const char *module) {
    return strncmp(module, "no", 2) != 0;
}

void pinsight_python_catch_up(void) {
    pinsight_python.engine.config_version = pinsight_config_version();
    pinsight_python_thread_changed(thread);
}

struct pinsight_python_thread *pinsight_python_thread_new(void) {
    return NULL;
}

void pinsight_python_thread_find_name(struct pinsight_python_thread *at, bool in_c) {
    (void)in_c;
    at->name_tries--;
    pinsight_python_thread_changed(at);
}

void pinsight_thread_renamed(struct pinsight_python_thread *at) {
    (void)at;
}

void pinsight_span_called(enum pinsight_span_code what) {
    (void)what;
}

void pinsight_budget_forget(const struct pinsight_python_lexgion *lexgion) {
    (void)lexgion;
}

void pinsight_adopt(struct pinsight_python_thread *at, const void *frame, bool inclusive) {
    (void)frame;
    (void)inclusive;
    at->adopts = false;
}

void pinsight_python_account(struct pinsight_python_thread *at) {
    pinsight_engine_account(&pinsight_python.engine, &at->engine);
}

char *pinsight_import_begin(struct pinsight_python_thread *at) {
    pinsight_record_python_import_begin("module", at->number, 0);
    return strdup("module");
}

struct pinsight_python_lexgion *pinsight_import_lexgion(void) {
    return NULL;
}

char *pinsight_import_resume(struct pinsight_python_thread *at, const char *module) {
    pinsight_record_python_import_begin(module, at->number, 0);
    return strdup(module);
}

void pinsight_import_end(struct pinsight_python_thread *at, char *module, int how) {
    if (module)
        pinsight_record_python_import_end(module, at->number, (uint8_t)how);
    free(module);
}

void pinsight_python_leaving(void) {
    stub_left++;
}

bool pinsight_code_owner_is_user(const char *file, const char *module, const char *name) {
    return pinsight_users_code(NULL, file, module, name);
}

/* There is one interpreter. */
struct pinsight_python_thread *pinsight_python_state(const struct pinsight_core_thread *core) {
    return core->state[pinsight_python_domain.slot];
}

struct pinsight_python_thread *
pinsight_python_state_next(const struct pinsight_python_thread *thread) {
    (void)thread;
    return NULL;
}
