/* The owners of code; see code_owner.h. */
#include "tracer/python/code_owner.h"

#include "base/code_folders.h"
#include "base/users_code.h"
#include "tracer/core/info.h"
#include "tracer/core/process.h"
#include "tracer/core/resolve.h"
#include "tracer/python/domain.h"
#include "tracer/python/started_program.h"
#include "tracer/python/text.h"
#include "tracer/record/python.h"

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

/* Adds the names that the code of a command may have: the given path, the absolute path, and the
 * path without links. */
static void add_command(const char *name) {
    char *folder = getcwd(NULL, 0), *full = realpath(name, NULL);
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/%s", folder ? folder : "", name);

    if (full && length > 0 && (size_t)length < sizeof path) {
        pinsight_code_folders_add(&folders, name, PINSIGHT_CODE_OF_LIBRARY);
        pinsight_code_folders_add(&folders, path, PINSIGHT_CODE_OF_LIBRARY);
        pinsight_code_folders_add(&folders, full, PINSIGHT_CODE_OF_LIBRARY);
    }
    free(folder);
    free(full);
}

/* Adds the program, unless a library started it as its worker. */
static void add_program(void) {
    struct pinsight_started started;
    bool is_users;

    pinsight_started_find(getpid(), &started);
    is_users = !pinsight_started_by_program(&started);
    if (started.package[0] && is_users && !pinsight_started_is_runner(&started))
        each_for_packages(add_users_package, started.package);
    if (started.kind == PINSIGHT_STARTED_COMMAND)
        add_command(started.file);
    else if (started.kind == PINSIGHT_STARTED_SCRIPT && is_users)
        add_script(started.file);
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

    if (done)
        return;
    done = true;
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    add_standard_library();
    each_for_packages(add_library, NULL);
    add_program();
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
