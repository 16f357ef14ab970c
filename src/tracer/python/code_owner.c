/* The owners of code; see code_owner.h. */
#include "tracer/python/code_owner.h"

#include "base/code_folders.h"
#include "base/users_code.h"
#include "tracer/core/info.h"
#include "tracer/core/process.h"
#include "tracer/core/resolve.h"
#include "tracer/python/domain.h"
#include "tracer/python/text.h"
#include "tracer/record/python.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The longest list of folders in an event, in bytes. */
#define LONGEST_LIST 1900

static struct pinsight_code_folders folders;

/* ---- the interpreter's own folders ---- */

static bool ends_with(const char *text, const char *end) {
    size_t length = strlen(text), rest = strlen(end);
    return length >= rest && strcmp(text + length - rest, end) == 0;
}

static void add_text(PyObject *text, enum pinsight_code_owner owner) {
    char *path = text && PyUnicode_Check(text) ? pinsight_utf8_copy(text) : NULL;
    if (path && path[0] == '/')
        pinsight_code_folders_add(&folders, path, owner);
    free(path);
}

/* Adds the folder of the module os. */
static void add_standard_library(void) {
    PyObject *modules = PyImport_GetModuleDict();
    PyObject *module = modules ? PyDict_GetItemString(modules, "os") : NULL;
    PyObject *names = module && PyModule_Check(module) ? PyModule_GetDict(module) : NULL;
    PyObject *file = names ? PyDict_GetItemString(names, "__file__") : NULL;
    char *path = file && PyUnicode_Check(file) ? pinsight_utf8_copy(file) : NULL;
    char *slash = path ? strrchr(path, '/') : NULL;

    if (slash && path[0] == '/') {
        *slash = '\0';
        pinsight_code_folders_add(&folders, path, PINSIGHT_CODE_OF_LIBRARY);
    }
    free(path);
    add_text(PySys_GetObject("_stdlib_dir"), PINSIGHT_CODE_OF_LIBRARY);
}

/* Returns whether an entry of sys.path contains installed packages. */
static bool is_for_packages(const char *path) {
    return path[0] == '/' &&
           (ends_with(path, "/site-packages") || ends_with(path, "/dist-packages"));
}

/* Calls `visit` with each folder of packages. */
static void each_for_packages(void (*visit)(const char *folder, const char *data),
                              const char *data) {
    PyObject *path = PySys_GetObject("path");

    for (Py_ssize_t i = 0; path && PyList_Check(path) && i < PyList_GET_SIZE(path); i++) {
        PyObject *entry = PyList_GET_ITEM(path, i);
        char *folder = PyUnicode_Check(entry) ? pinsight_utf8_copy(entry) : NULL;
        if (folder && is_for_packages(folder))
            visit(folder, data);
        free(folder);
    }
}

static void add_library(const char *folder, const char *unused) {
    (void)unused;
    pinsight_code_folders_add(&folders, folder, PINSIGHT_CODE_OF_LIBRARY);
}

/* ---- the program that was started ---- */

/* Returns whether a package runs other programs, so that a user who runs one is not interested in
 * its own code. */
static bool is_runner(const char *package) {
    static const char *const runners[] = {
        "IPython",   "accelerate",   "celery",    "coverage", "dask",      "debugpy",
        "deepspeed", "flask",        "gunicorn",  "horovod",  "hypercorn", "ipykernel",
        "jupyter",   "jupyter_core", "lightning", "mpi4py",   "nbconvert", "notebook",
        "papermill", "pinsight",     "pip",       "pytest",   "ray",       "streamlit",
        "torch",     "uvicorn"};

    for (size_t i = 0; i < sizeof(runners) / sizeof(*runners); i++)
        if (strcmp(package, runners[i]) == 0)
            return true;
    return false;
}

static void add_users_package(const char *folder, const char *package) {
    char path[PATH_MAX];
    struct stat about;
    int length = snprintf(path, sizeof path - 3, "%s/%s", folder, package);

    if (length <= 0 || (size_t)length >= sizeof path - 3)
        return;
    bool there = stat(path, &about) == 0;
    if (!there) {
        strcpy(path + length, ".py");
        there = stat(path, &about) == 0;
        path[length] = '\0';
    }
    if (there)
        pinsight_code_folders_add(&folders, path, PINSIGHT_CODE_OF_USER);
}

/* Adds the top package of the module that the user started. */
static void add_package_of(const char *module, size_t length) {
    char package[256];
    size_t first = strcspn(module, ".");

    if (length > first)
        length = first;
    if (!length || length >= sizeof package)
        return;
    memcpy(package, module, length);
    package[length] = '\0';
    if (!is_runner(package))
        each_for_packages(add_users_package, package);
}

static bool is_word(const char *text, size_t length, const char *word) {
    return strlen(word) == length && strncmp(text, word, length) == 0;
}

/* Handles a script that an installer wrote as a command for a package. The first imported module
 * belongs to the package. Returns false for a script of the user. */
static bool add_console_script(const char *path) {
    char text[4096];
    const char *slash = strrchr(path, '/');
    bool is_bin = slash && slash - path >= 4 && strncmp(slash - 4, "/bin", 4) == 0;
    int file = is_bin ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) : -1;
    ssize_t got = file >= 0 ? read(file, text, sizeof text) : -1;

    if (file >= 0)
        close(file);
    if (got <= 0 || (size_t)got >= sizeof text || memchr(text, '\0', (size_t)got))
        return false;
    text[got] = '\0';
    if (strncmp(text, "#!", 2) != 0 || !strstr(text, "sys.exit("))
        return false;
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, "from ", 5) != 0)
            continue;
        const char *module = line + 5;
        size_t length = strcspn(module, " \t\n");
        if (strncmp(module + length, " import ", 8) != 0 || is_word(module, length, "__future__"))
            continue;
        if (!is_word(module, length, "pkg_resources") &&
            !is_word(module, length, "importlib.metadata") &&
            !is_word(module, length, "importlib_metadata"))
            add_package_of(module, length);
        return true;
    }
    return false;
}

/* Handles a script among installed packages, or in a project of that name. Its neighbours are the
 * user's, too, unless it is in the standard library. */
static void add_script(const char *script) {
    char path[PATH_MAX], *slash;
    struct stat about;
    size_t known;

    if (!realpath(script, path) || stat(path, &about) != 0)
        return;
    if (pinsight_users_file(&folders, path) || !strstr(path, "-packages/"))
        return;
    slash = strrchr(path, '/');
    if (!S_ISDIR(about.st_mode) && slash) {
        *slash = '\0';
        if (is_for_packages(path) &&
            pinsight_code_folders_find(&folders, path, &known) == PINSIGHT_CODE_OF_LIBRARY)
            *slash = '/'; /* the script alone */
    }
    pinsight_code_folders_add(&folders, path, PINSIGHT_CODE_OF_USER);
}

static void add_main_file(const char *name) {
    char *folder = getcwd(NULL, 0), *full = realpath(name, NULL);
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/%s", folder ? folder : "", name);

    if (full && length > 0 && (size_t)length < sizeof path) {
        if (add_console_script(full) || add_console_script(name)) {
            /* The names that its code may have: the given path, the absolute path, and the path
             * without links. */
            pinsight_code_folders_add(&folders, name, PINSIGHT_CODE_OF_LIBRARY);
            pinsight_code_folders_add(&folders, path, PINSIGHT_CODE_OF_LIBRARY);
            pinsight_code_folders_add(&folders, full, PINSIGHT_CODE_OF_LIBRARY);
        } else {
            add_script(name);
        }
    }
    free(folder);
    free(full);
}

/* Adds the program that the words of a command start, as CPython reads them. */
static void add_program(const char *words, const char *end) {
    for (const char *word = words + strlen(words) + 1; word < end; word += strlen(word) + 1) {
        if (word[0] != '-') {
            add_main_file(word);
            return;
        }
        if (strcmp(word, "--check-hash-based-pycs") == 0)
            word += strlen(word) + 1;
        if (word >= end || word[1] == '-')
            continue;
        const char *flag = word + 1;
        flag += strcspn(flag, "cmWX");
        const char *value = *flag && flag[1] ? flag + 1 : word + strlen(word) + 1;
        if (*flag == 'c' || word[1] == '\0')
            return;
        if (*flag == 'm') {
            if (value < end)
                add_package_of(value, strlen(value));
            return;
        }
        if (*flag && !flag[1])
            word = value;
        if (word >= end)
            return;
    }
}

/* ---- the patterns of the configuration ---- */

static void add_patterns(void) {
    size_t count;
    bool is_default;
    char **patterns =
        pinsight_resolve_types(&pinsight_python_domain, PINSIGHT_KEY_MINE, &count, &is_default);

    for (size_t i = 0; i < count; i++) {
        pinsight_code_folders_mine(&folders, patterns[i]);
        free(patterns[i]);
    }
    free(patterns);
}

/* ---- for the domain ---- */

void pinsight_code_owner_start(void) {
    static bool done;
    char words[8192];
    size_t used = 0;
    ssize_t got;

    if (done)
        return;
    done = true;
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    add_standard_library();
    each_for_packages(add_library, NULL);
    int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    while (file >= 0 && used < sizeof words - 1 &&
           (got = read(file, words + used, sizeof words - 1 - used)) > 0)
        used += (size_t)got;
    if (file >= 0)
        close(file);
    words[used] = '\0';
    add_program(words, words + used);
    add_patterns();
    PyErr_Restore(type, value, traceback);
}

bool pinsight_code_owner_is_user(const char *file, const char *module, const char *name) {
    return pinsight_users_code(&folders, file, module, name);
}

static const char *list_of(enum pinsight_code_owner owner, char *list) {
    pinsight_code_folders_text(&folders, owner, list, LONGEST_LIST);
    return list[0] ? list : "-";
}

void pinsight_code_owner_describe(void) {
    static uint32_t recorded; /* session version */
    char libraries[LONGEST_LIST], users[LONGEST_LIST];

    if (!pinsight_record_python_code_folders_enabled() || recorded == pinsight_session_version())
        return;
    recorded = pinsight_session_version();
    pinsight_record_python_code_folders(list_of(PINSIGHT_CODE_OF_LIBRARY, libraries),
                                        list_of(PINSIGHT_CODE_OF_USER, users));
}
