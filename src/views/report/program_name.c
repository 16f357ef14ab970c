/* Names the program of a process; see program_name.h. */
#include "views/report/program_name.h"

#include "base/memory.h"
#include "base/shell.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns a path without its folders. */
static const char *last_part(const char *path) {
    size_t at = strlen(path);

    while (at > 1 && path[at - 1] == '/') /* a program may be a folder, too */
        at--;
    while (at && path[at - 1] != '/')
        at--;
    return path + at;
}

static bool is_interpreter(const char *program) {
    static const char *const names[] = {"python", "pypy"};

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (strncmp(program, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/* Returns the name of the script or module that an interpreter runs, from its split command; NULL
 * without a name. Options are those of `python --help`: one letter each, which may stand together.
 * -c, -m, -W and -X have an argument. */
static const char *what_it_runs(char *command) {
    pinsight_shell_next(&command);
    for (;;) {
        const char *word = pinsight_shell_next(&command);

        if (!word || word[0] != '-')
            return word && *word ? last_part(word) : NULL;
        if (word[1] == '\0')
            return NULL; /* runs code from standard input */
        if (word[1] == '-') {
            if (strcmp(word, "--check-hash-based-pycs") == 0)
                pinsight_shell_next(&command);
            continue;
        }
        for (const char *option = word + 1; *option; option++) {
            const char *argument = option + 1;

            if (*option == 'c')
                return NULL;
            if (!strchr("mWX", *option))
                continue;
            if (!*argument)
                argument = pinsight_shell_next(&command);
            if (*option == 'm')
                return argument;
            break;
        }
    }
}

char *pinsight_program_name(const char *program, const char *command, char *buffer, size_t size) {
    const char *name = last_part(program);
    char *words = is_interpreter(name) ? pinsight_strdup(command) : NULL;
    const char *runs = words ? what_it_runs(words) : NULL;

    snprintf(buffer, size, "%s", runs && *runs ? runs : name);
    free(words);
    return buffer;
}
