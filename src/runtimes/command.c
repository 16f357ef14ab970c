/* Finds the program that a command will run; see command.h. */
#include "runtimes/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/program.h"
#include "base/safe_files.h"
#include "runtimes/elf.h"
#include "runtimes/python.h"
#include "runtimes/script.h"

enum { STEPS_MAX = 8 };

/* Commands that start another command, which is among their arguments. */
static const char *const starters[] = {
    "env",    "nice", "nohup",  "time",     "timeout",   "taskset",  "numactl", "stdbuf", "setsid",
    "ionice", "chrt", "mpirun", "mpiexec",  "orterun",   "prterun",  "prun",    "srun",   "jsrun",
    "aprun",  "perf", "strace", "xvfb-run", "catchsegv", "unbuffer", NULL,
};

static const char *base_of(const char *path) {
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

/* Returns whether a name is one of these commands. A machine with several MPIs has launchers such
 * as mpirun.openmpi and mpirun.mpich. */
static bool is_starter(const char *name) {
    for (const char *const *one = starters; *one != NULL; one++) {
        size_t length = strlen(*one);
        if (strncmp(name, *one, length) == 0 && (name[length] == '\0' || name[length] == '.')) {
            return true;
        }
    }
    return false;
}

/*
 * pyenv puts shell scripts with the names of interpreters on the path, in <root>/shims. The version
 * that such a script starts comes from PYENV_VERSION, from a file .python-version in this folder or
 * above, or from <root>/version.
 */
static bool read_version(const char *path, char version[64]) {
    FILE *file = pinsight_open_to_read(path);
    bool good = file != NULL && fgets(version, 64, file) != NULL;

    if (file != NULL) {
        fclose(file);
    }
    version[good ? strcspn(version, " \t\r\n:") : 0] = '\0';
    return good && *version != '\0' && strchr(version, '/') == NULL;
}

static bool pyenv_version(const char *root, char version[64]) {
    const char *given = getenv("PYENV_VERSION");
    char folder[PATH_MAX], path[PATH_MAX + 32];

    if (given != NULL && *given != '\0') {
        snprintf(version, 64, "%.*s", (int)strcspn(given, ":"), given);
        return strchr(version, '/') == NULL;
    }
    if (getcwd(folder, sizeof(folder)) != NULL) {
        for (char *end = folder + strlen(folder); end != NULL; end = strrchr(folder, '/')) {
            *end = '\0';
            snprintf(path, sizeof(path), "%s/.python-version", folder);
            if (read_version(path, version)) {
                return true;
            }
        }
    }
    snprintf(path, sizeof(path), "%s/version", root);
    return read_version(path, version);
}

static bool behind_shim(const char *shim, char path[PATH_MAX]) {
    static const char between[] = "/shims/";
    char root[PATH_MAX], version[64];
    const char *name = base_of(shim);
    size_t length = strlen(shim) - strlen(name);

    if (length < sizeof(between) ||
        strncmp(shim + length - strlen(between), between, strlen(between)) != 0) {
        return false;
    }
    snprintf(root, sizeof(root), "%.*s", (int)(length - strlen(between)), shim);
    return pyenv_version(root, version) &&
           snprintf(path, PATH_MAX, "%s/versions/%s/bin/%s", root, version, name) < PATH_MAX &&
           access(path, X_OK) == 0;
}

/* Returns the first argument of a starter that looks like a Python, a script of one, or a program
 * with a path. Skips words with a =, which are variables for env, and options. */
static char *const *started_by(char *const *words) {
    char path[PATH_MAX];

    for (words++; *words != NULL; words++) {
        const char *name = base_of(*words);
        size_t length = strlen(name);
        if (**words == '-' || strchr(*words, '=') != NULL) {
            continue;
        }
        bool likely = strncmp(name, "python", 6) == 0 || strncmp(name, "pypy", 4) == 0 ||
                      strchr(*words, '/') != NULL || is_starter(name) ||
                      (length > 3 && strcmp(name + length - 3, ".py") == 0);
        if (likely && pinsight_program_find(*words, path) == 0) {
            return words;
        }
    }
    return NULL;
}

void pinsight_command_look(struct pinsight_command *command, char *const *words) {
    char path[PATH_MAX];
    struct pinsight_first_line line;
    const char *script = NULL; /* the file whose first line named the interpreter */
    char named[PATH_MAX];
    char *const own[] = {named, NULL};

    memset(command, 0, sizeof(*command));
    for (int step = 0; step < STEPS_MAX; step++) {
        if (words[0] == NULL || pinsight_program_find(words[0], path) != 0) {
            return;
        }
        if (behind_shim(path, named)) {
            snprintf(path, sizeof(path), "%s", named);
        } else if (is_starter(base_of(path)) && words[1] != NULL && script == NULL) {
            words = started_by(words);
            if (words == NULL) {
                return;
            }
            continue;
        } else if (pinsight_script_first_line(path, &line)) {
            bool is_env = strcmp(base_of(line.text), "env") == 0;
            char *argument = line.argument;
            if (is_env && strncmp(argument, "-S", 2) == 0) {
                argument += 2 + strspn(argument + 2, " \t");
                argument[strcspn(argument, " \t")] = '\0';
            }
            script = script == NULL ? words[0] : script;
            if (snprintf(named, sizeof(named), "%s", is_env ? argument : line.text) == 0) {
                return;
            }
            words = own;
            continue;
        }
        struct pinsight_elf elf;
        if (pinsight_elf_open(&elf, path) == 0) {
            snprintf(command->program, sizeof(command->program), "%s", path);
            command->is_python = pinsight_python_is(&elf, path);
            command->is_debug = command->is_python && pinsight_python_is_debug(&elf);
            pinsight_elf_close(&elf);
        }
        break;
    }
    if (command->is_python) {
        pinsight_python_look(command, script, script == NULL ? words + 1 : NULL);
    }
}

void pinsight_command_look_at(struct pinsight_command *command, const char *interpreter) {
    char *const words[] = {(char *)interpreter, NULL};

    pinsight_command_look(command, words);
}

void pinsight_command_free(struct pinsight_command *command) {
    for (size_t i = 0; i < command->site_count; i++) {
        free(command->sites[i]);
    }
    command->site_count = 0;
}
