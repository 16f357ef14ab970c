/* Whose a piece of Python code is; see users_code.h. */
#include "base/users_code.h"

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
    static const char *const starts[] = {"<string>",       "<stdin>",  "<console>",
                                         "<ipython-input", "<doctest", "<unknown>",
                                         "<python-input-", "<cell"};

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

bool pinsight_users_file(const char *file) {
    if (!file[0] || is_launcher(file))
        return false;
    if (file[0] == '<')
        return is_typed(file);
    return !strstr(file, "/site-packages/") && !strstr(file, "/dist-packages/") &&
           !is_library(file);
}

/* The functions of a dataclass are made within a function of this name, in the class's module. */
static bool is_made(const char *name) {
    static const char start[] = "__create_fn__";

    return !strncmp(name, start, sizeof(start) - 1);
}

bool pinsight_users_code(const char *file, const char *module, const char *name) {
    if (!pinsight_users_file(file))
        return false;
    return strcmp(file, "<string>") != 0 ||
           ((!module[0] || strcmp(module, "__main__") == 0) && !is_made(name));
}

bool pinsight_importlib_file(const char *file) {
    static const char start[] = "<frozen importlib._bootstrap";

    return !strncmp(file, start, sizeof(start) - 1);
}
