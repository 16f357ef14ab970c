/* Whose a piece of Python code is; see users_code.h. */
#include "base/users_code.h"

#include "base/code_folders.h"

#include <string.h>

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
    static const char *const starts[] = {
        "<string>",       "<stdin>", "<console>", "<ipython-input", "<doctest",      "<unknown>",
        "<python-input-", "<cell",   "<input>",   "<pyshell#",      "<dynamic-code>"};

    for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
        if (!strncmp(file, starts[i], strlen(starts[i])))
            return true;
    return false;
}

/* What pip writes so that a package can be called by a name: ".../bin/mypy". */
static bool is_launcher(const char *file) {
    const char *name = strrchr(file, '/');

    return name && !strchr(name, '.') && name - file >= 4 && !strncmp(name - 4, "/bin", 4);
}

/* Whether packages are installed below a folder of the path: ".../lib/pythonX.Y/site-packages/". */
static bool is_installed(const char *path) {
    return strstr(path, "/site-packages/") || strstr(path, "/dist-packages/");
}

bool pinsight_users_file(const struct pinsight_code_folders *folders, const char *file) {
    size_t known;

    if (!file[0])
        return false;
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

/* The functions of a dataclass are made within a function of this name, in the class's module. */
static bool is_made(const char *name) {
    static const char start[] = "__create_fn__";

    return !strncmp(name, start, sizeof(start) - 1);
}

bool pinsight_users_code(const struct pinsight_code_folders *folders, const char *file,
                         const char *module, const char *name) {
    if (!pinsight_users_file(folders, file))
        return false;
    return strcmp(file, "<string>") != 0 ||
           ((!module[0] || strcmp(module, "__main__") == 0) && !is_made(name));
}

bool pinsight_importlib_file(const char *file) {
    static const char start[] = "<frozen importlib._bootstrap";

    return !strncmp(file, start, sizeof(start) - 1);
}
