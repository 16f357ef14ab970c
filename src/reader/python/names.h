/* Numbers of functions, C callables and call sites in the model. */
#ifndef PINSIGHT_READER_PYTHON_NAMES_H
#define PINSIGHT_READER_PYTHON_NAMES_H

#include "reader/model.h"

/* Returns the function with a name, file and first line. Makes it if it is new. `name` and `file`
 * are numbers of strings. */
uint32_t pinsight_names_function(struct pinsight_model *model, uint32_t name, uint32_t file,
                                 int32_t line);

/* Returns the C callable with a name (a number of a string). Makes it if it is new. */
uint32_t pinsight_names_callee(struct pinsight_model *model, uint32_t name);

/* Return the call site of a callee at a line of a caller, or PINSIGHT_NONE. The caller is
 * PINSIGHT_NONE if unknown. pinsight_names_known_site() tries the site that followed the last one
 * before, because functions mostly call in the order of their lines. */
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

/* Return the call site. Make it if it is new. */
uint32_t pinsight_names_new_site(struct pinsight_model *model, uint32_t callee, uint32_t caller,
                                 int32_t line);

static inline uint32_t pinsight_names_site(struct pinsight_model *model, uint32_t callee,
                                           uint32_t caller, int32_t line) {
    uint32_t site = pinsight_names_known_site(model, callee, caller, line);

    return site != PINSIGHT_NONE ? site : pinsight_names_new_site(model, callee, caller, line);
}

/* Return the function with a code object's number in registry events. A function whose code_info
 * has not come yet gets its name later. */
uint32_t pinsight_names_new_code(struct pinsight_process *process, uint32_t code);
uint32_t pinsight_names_new_callee(struct pinsight_process *process, uint32_t callee);

static inline uint32_t pinsight_names_code(struct pinsight_process *process, uint32_t code) {
    uint32_t function = pinsight_numbers_get(&process->codes, code);

    return function != PINSIGHT_MAP_NONE ? function : pinsight_names_new_code(process, code);
}

/* Returns the callee with a number in registry events. */
static inline uint32_t pinsight_names_callee_number(struct pinsight_process *process,
                                                    uint32_t callee) {
    uint32_t number = pinsight_numbers_get(&process->callees, callee);

    return number != PINSIGHT_MAP_NONE ? number : pinsight_names_new_callee(process, callee);
}

/* Take a code_info or callee_info event. */
void pinsight_names_code_info(struct pinsight_process *process, uint32_t code, uint64_t code_id,
                              const char *name, const char *file, int32_t line, const char *module);
void pinsight_names_callee_info(struct pinsight_process *process, uint32_t callee, const char *name,
                                const char *module);

/* Takes a lexgion_profile event. `kind` is an enum pinsight_kind. */
void pinsight_names_profile(struct pinsight_thread *thread, enum pinsight_kind kind,
                            const char *name, const char *file, int32_t line,
                            const struct pinsight_monitored *counted);

/* Return the number of the group (module or file) of a function or callee, or PINSIGHT_NONE if the
 * model does not group. */
uint32_t pinsight_names_function_group(struct pinsight_model *model, uint32_t function);
uint32_t pinsight_names_site_group(struct pinsight_model *model, uint32_t site);

#endif
