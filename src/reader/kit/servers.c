/* Processes that serve a library; see servers.h. */
#include "reader/kit/servers.h"

#include <string.h>

/* The most servers above a process. A trace may say that processes are each other's parents. */
#define MOST_ABOVE 4

/* Moves *text behind a prefix, if it begins with it. */
static bool skip(const char **text, const char *prefix) {
    const size_t length = strlen(prefix);

    if (strncmp(*text, prefix, length) != 0)
        return false;
    *text += length;
    return true;
}

/* multiprocessing's servers run `from multiprocessing.resource_tracker import main;main(6)`, from
 * CPython 3.14 on with `import sys; ` before it. joblib has `from joblib.externals.loky.… import
 * main; main(3)`. */
bool pinsight_command_is_servers(const char *command, bool has_parent, bool *is_code) {
    static const char option[] = " -c ";
    const char *code = strstr(command, option);

    *is_code = code != NULL;
    if (!code)
        return false;
    code += strlen(option);
    code += strspn(code, "' ");
    skip(&code, "import sys; ");
    if (!skip(&code, "from "))
        return false;
    return skip(&code, "multiprocessing.") || (has_parent && code[strcspn(code, ". ")] == '.');
}

/* Returns whether a process is a server. A worker that a server forked has its command, too. */
static bool is_server(const struct pinsight_process *process,
                      const struct pinsight_process *parent) {
    bool is_code;

    return process->command != parent->command &&
           pinsight_command_is_servers(
               pinsight_strings_text(&process->model->strings, process->command), true, &is_code);
}

const struct pinsight_process *pinsight_process_starter(const struct pinsight_process *process) {
    const struct pinsight_process *parent = pinsight_model_parent(process);

    for (int i = 0; parent && i < MOST_ABOVE; i++) {
        const struct pinsight_process *above = pinsight_model_parent(parent);

        if (!above || !is_server(parent, above))
            break;
        parent = above;
    }
    return parent;
}
