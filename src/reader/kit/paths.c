/* Call paths. Numbers are resolved to functions when they come; names may follow later. */
#include "reader/kit/paths.h"

#include "base/memory.h"
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

/* Whether a path goes through "/lib/pythonX.Y/" or "/lib64/…", or into "pythonXY.zip". */
static bool is_library(const char *file) {
    static const char *const folders[] = {"/lib/python", "/lib64/python"};

    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
        for (const char *at = file; (at = strstr(at, folders[i]));) {
            const char *digits = at += strlen(folders[i]);

            at += strspn(at, "0123456789.t");
            if (at > digits && *at == '/')
                return true;
        }
    for (const char *at = file; (at = strstr(at, "/python"));) {
        at += strlen("/python");
        at += strspn(at, "0123456789t");
        if (!strncmp(at, ".zip/", 5))
            return true;
    }
    return false;
}

/* Names in angle brackets are of code without a file. These are what a user types; everything else,
 * such as "<__array_function__ internals>", is what a library made. */
static bool is_typed(const char *file) {
    static const char *const starts[] = {"<string>",       "<stdin>",  "<console>",
                                         "<ipython-input", "<doctest", "<unknown>",
                                         "<python-input-", "<cell"};

    for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
        if (!strncmp(file, starts[i], strlen(starts[i])))
            return true;
    return false;
}

bool pinsight_path_is_users(const char *file) {
    if (!file[0])
        return false;
    if (file[0] == '<')
        return is_typed(file);
    return !strstr(file, "/site-packages/") && !strstr(file, "/dist-packages/") &&
           !is_library(file);
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
        const char *file = file_of(model, at);

        if (pinsight_path_is_users(file))
            return at;
        if (strncmp(file, "<frozen ", 8) != 0)
            outermost = at;
    }
    return outermost;
}
