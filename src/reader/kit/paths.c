/* Call paths. Numbers become functions when they come; the names may follow later. */
#include "reader/kit/paths.h"

#include "base/memory.h"
#include "base/users_code.h"
#include "reader/kit/servers.h"
#include "reader/python/names.h"

#include <stdlib.h>
#include <string.h>

uint32_t pinsight_path_of(struct pinsight_process *process, uint32_t number) {
    struct pinsight_model *model = process->model;

    if (!number)
        return PINSIGHT_NONE;
    return PINSIGHT_NUMBERED(&process->paths, number, 0, 0, model->paths, model->path_count,
                             model->path_capacity, .function = PINSIGHT_NONE,
                             .parent = PINSIGHT_NONE);
}

void pinsight_path_info(struct pinsight_process *process, uint32_t number, uint32_t parent,
                        uint32_t code, int32_t line) {
    uint32_t path = pinsight_path_of(process, number);
    uint32_t above = pinsight_path_of(process, parent);

    if (path == PINSIGHT_NONE)
        return;
    process->model->paths[path] = (struct pinsight_path){
        .function = pinsight_names_code(process, code), .parent = above, .line = line};
}

uint32_t *pinsight_path_frames(const struct pinsight_model *model, uint32_t path, size_t *count) {
    uint32_t *frames;
    size_t n = 0;

    *count = 0;
    for (uint32_t at = path; at != PINSIGHT_NONE && n < PINSIGHT_PATH_DEEPEST;
         at = model->paths[at].parent)
        n++;
    if (!n)
        return NULL;
    frames = pinsight_calloc(n, sizeof(*frames));
    *count = n;
    for (uint32_t at = path; n > 0; at = model->paths[at].parent)
        frames[--n] = at;
    return frames;
}

/* Returns whether a function is the code of `python -c`, of servers alone. */
static bool is_servers(const struct pinsight_model *model, const char *file, const char *name) {
    bool servers = false;

    if (strcmp(file, "<string>") != 0 || strcmp(name, "<module>") != 0)
        return false;
    for (size_t i = 0; i < model->process_count; i++) {
        const struct pinsight_process *process = model->processes[i];
        const char *command = pinsight_strings_text(&model->strings, process->command);
        bool is_code;

        if (!pinsight_command_is_servers(command, pinsight_model_parent(process), &is_code) &&
            is_code)
            return false;
        servers = servers || is_code;
    }
    return servers;
}

bool pinsight_function_is_users(const struct pinsight_model *model, uint32_t function) {
    const struct pinsight_function *of = &model->functions[function];
    const char *module = pinsight_strings_text(&model->strings, of->module);
    const char *file = pinsight_strings_text(&model->strings, of->file);
    const char *name = pinsight_strings_text(&model->strings, of->name);

    return pinsight_users_code(&model->code_folders, file, module, name) &&
           !is_servers(model, file, name);
}

bool pinsight_function_is_users_module(const struct pinsight_model *model, uint32_t function) {
    const struct pinsight_function *of = &model->functions[function];
    const char *module = pinsight_strings_text(&model->strings, of->module);

    return of->known && !strcmp(pinsight_strings_text(&model->strings, of->name), "<module>") &&
           strcmp(module, "__main__") != 0 && strcmp(module, "__mp_main__") != 0 &&
           pinsight_function_is_users(model, function);
}

static const char *file_of(const struct pinsight_model *model, uint32_t path) {
    uint32_t function = model->paths[path].function;

    if (function == PINSIGHT_NONE || !model->functions[function].known)
        return "";
    return pinsight_strings_text(&model->strings, model->functions[function].file);
}

uint32_t pinsight_path_users_line(const struct pinsight_model *model, uint32_t path) {
    uint32_t outermost = PINSIGHT_NONE;
    size_t steps = 0;

    for (uint32_t at = path; at != PINSIGHT_NONE && steps < PINSIGHT_PATH_DEEPEST;
         at = model->paths[at].parent, steps++) {
        uint32_t function = model->paths[at].function;
        const char *file = file_of(model, at);

        if (file[0] && pinsight_function_is_users(model, function))
            return at;
        if (strncmp(file, "<frozen ", 8) != 0)
            outermost = at;
    }
    return outermost;
}
