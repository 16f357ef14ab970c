/* How the model comes to know functions, C callables and call sites by small numbers. */
#ifndef PINSIGHT_READER_PYTHON_NAMES_H
#define PINSIGHT_READER_PYTHON_NAMES_H

#include "reader/model.h"

/* The function with this name, file and first line; made if it is new. name and file are numbers
 * of strings. */
uint32_t pinsight_names_function(struct pinsight_model *model, uint32_t name, uint32_t file,
                                 int32_t line);

/* The C callable with this name (a number of a string). */
uint32_t pinsight_names_callee(struct pinsight_model *model, uint32_t name);

/* The call site of a callee at a line of a caller (PINSIGHT_NONE where it is not known), or
 * PINSIGHT_NONE. A function calls in the order of its lines: mostly at the site that followed the
 * last one before. */
uint32_t pinsight_names_other_site(struct pinsight_model *model, uint32_t callee, uint32_t caller,
                                   int32_t line);

static inline uint32_t pinsight_names_known_site(struct pinsight_model *model, uint32_t callee,
                                                 uint32_t caller, int32_t line) {
    uint32_t last = caller == PINSIGHT_NONE ? 0 : model->functions[caller].last_site;
    uint32_t next = last ? model->sites[last - 1].next : 0;

    if (next) {
        const struct pinsight_site *expected = &model->sites[next - 1];

        if (expected->callee == callee && expected->line == line && expected->caller == caller) {
            model->functions[caller].last_site = next;
            return next - 1;
        }
    }
    return pinsight_names_other_site(model, callee, caller, line);
}

/* Likewise; it is made where it is new. */
uint32_t pinsight_names_new_site(struct pinsight_model *model, uint32_t callee, uint32_t caller,
                                 int32_t line);

static inline uint32_t pinsight_names_site(struct pinsight_model *model, uint32_t callee,
                                           uint32_t caller, int32_t line) {
    uint32_t site = pinsight_names_known_site(model, callee, caller, line);

    return site != PINSIGHT_NONE ? site : pinsight_names_new_site(model, callee, caller, line);
}

/* The function with the number that registry events give a code object; one whose code_info did
 * not come yet gets its name when it does. */
uint32_t pinsight_names_new_code(struct pinsight_process *process, uint32_t code);
uint32_t pinsight_names_new_callee(struct pinsight_process *process, uint32_t callee);

static inline uint32_t pinsight_names_code(struct pinsight_process *process, uint32_t code) {
    uint32_t function = pinsight_numbers_get(&process->codes, code);

    return function != PINSIGHT_MAP_NONE ? function : pinsight_names_new_code(process, code);
}

/* Likewise of a C callable. */
static inline uint32_t pinsight_names_callee_number(struct pinsight_process *process,
                                                    uint32_t callee) {
    uint32_t number = pinsight_numbers_get(&process->callees, callee);

    return number != PINSIGHT_MAP_NONE ? number : pinsight_names_new_callee(process, callee);
}

/* A code_info or callee_info event. */
void pinsight_names_code_info(struct pinsight_process *process, uint32_t code, uint64_t code_id,
                              const char *name, const char *file, int32_t line, const char *module);
void pinsight_names_callee_info(struct pinsight_process *process, uint32_t callee, const char *name,
                                const char *module);

/* A lexgion_profile event; kind as in enum pinsight_kind. */
void pinsight_names_profile(struct pinsight_thread *thread, enum pinsight_kind kind,
                            const char *name, const char *file, int32_t line,
                            const struct pinsight_monitored *counted);

/* The number of the group (module or file) of a function or callee, PINSIGHT_NONE where the model
 * does not group. */
uint32_t pinsight_names_function_group(struct pinsight_model *model, uint32_t function);
uint32_t pinsight_names_site_group(struct pinsight_model *model, uint32_t site);

#endif
