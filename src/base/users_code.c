/* The owner of Python code; see users_code.h. */
#include "base/users_code.h"

#include "base/code_folders.h"

#include <string.h>

/* Returns whether a path contains "/lib/pythonX.Y/" or "/lib64/…", or leads into "pythonXY.zip". */
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

/* Returns whether a user typed the code. Names in angle brackets belong to code without a file. The
 * names below belong to typed code. All others, such as "<__array_function__ internals>", belong to
 * code that a library made. */
static bool is_typed(const char *file) {
    static const char *const starts[] = {
        "<string>",       "<stdin>", "<console>", "<ipython-input", "<doctest",      "<unknown>",
        "<python-input-", "<cell",   "<input>",   "<pyshell#",      "<dynamic-code>"};

    for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
        if (!strncmp(file, starts[i], strlen(starts[i])))
            return true;
    return false;
}

/* Returns whether a file is a launcher that pip writes for a command: ".../bin/mypy". */
static bool is_launcher(const char *file) {
    const char *name = strrchr(file, '/');

    return name && !strchr(name, '.') && name - file >= 4 && !strncmp(name - 4, "/bin", 4);
}

/* Returns whether a path leads into installed packages: ".../lib/pythonX.Y/site-packages/". */
static bool is_installed(const char *path) {
    return strstr(path, "/site-packages/") || strstr(path, "/dist-packages/");
}

/* The answer of the user's patterns for some code. */
enum verdict { UNDECIDED, USERS, NOT_USERS };

static enum verdict verdict_of(const struct pinsight_code_folders *folders, const char *file,
                               const char *module) {
    if (!folders || !folders->mine.count)
        return UNDECIDED;
    if (pinsight_code_patterns_fit(&folders->mine, file, module))
        return USERS;
    return folders->mine.alone ? NOT_USERS : UNDECIDED;
}

static bool is_users_by_folder(const struct pinsight_code_folders *folders, const char *file) {
    size_t known;

    if (file[0] == '<')
        return is_typed(file);
    if (!folders || !folders->count)
        return !is_launcher(file) && !is_installed(file) && !is_library(file);
    switch (pinsight_code_folders_find(folders, file, &known)) {
    case PINSIGHT_CODE_OF_LIBRARY:
        return false;
    case PINSIGHT_CODE_OF_USER:
        return !is_installed(file + known);
    default:
        return !is_installed(file);
    }
}

bool pinsight_users_file(const struct pinsight_code_folders *folders, const char *file) {
    const enum verdict verdict = file[0] ? verdict_of(folders, file, NULL) : NOT_USERS;

    return verdict == UNDECIDED ? is_users_by_folder(folders, file) : verdict == USERS;
}

/* Returns whether a function was made by dataclasses, by its qualified name. They make methods
 * within a function of this name, in the module of the class. */
static bool is_made(const char *name) {
    static const char start[] = "__create_fn__";

    return !strncmp(name, start, sizeof(start) - 1);
}

bool pinsight_users_code(const struct pinsight_code_folders *folders, const char *file,
                         const char *module, const char *name) {
    const enum verdict verdict = file[0] ? verdict_of(folders, file, module) : NOT_USERS;

    if (verdict != UNDECIDED)
        return verdict == USERS && (strcmp(file, "<string>") != 0 || !is_made(name));
    if (!is_users_by_folder(folders, file))
        return false;
    return strcmp(file, "<string>") != 0 ||
           ((!module[0] || strcmp(module, "__main__") == 0) && !is_made(name));
}

bool pinsight_importlib_file(const char *file) {
    static const char start[] = "<frozen importlib._bootstrap";

    return !strncmp(file, start, sizeof(start) - 1);
}
