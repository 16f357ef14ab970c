/* The Python interpreters that a user may mean; see pythons.h. */
#include "doctor/pythons.h"

#include <ctype.h>
#include <dirent.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/paths.h"

/* Returns whether a name is python3, python3.11, python3.13t and so on, but not python3-config. */
static bool is_python_name(const char *name) {
    if (strncmp(name, "python3", 7) != 0) {
        return false;
    }
    name += 7;
    if (*name == '.') {
        name++;
        while (isdigit((unsigned char)*name)) {
            name++;
        }
        name += *name == 't';
    }
    return *name == '\0';
}

/* Returns whether an environment is in the list. Its prefix and version identify it. */
static bool is_known(const struct pinsight_pythons *pythons, const struct pinsight_command *one) {
    for (size_t i = 0; i < pythons->count; i++) {
        const struct pinsight_command *other = &pythons->items[i];
        if (strcmp(one->prefix, other->prefix) == 0 && strcmp(one->version, other->version) == 0) {
            return true;
        }
    }
    return false;
}

/* Adds an interpreter, unless it is known. Returns false if the program is none by its file. */
static bool add(struct pinsight_pythons *pythons, const char *interpreter) {
    struct pinsight_command *one = &pythons->items[pythons->count];

    pinsight_command_look_at(one, interpreter);
    bool is_python = one->is_python;
    if (is_python && !is_known(pythons, one)) {
        pythons->count++;
    } else {
        pinsight_command_free(one);
    }
    return is_python;
}

/* Adds the interpreter that a program starts, which has the name of one, or the program itself as a
 * broken one. A file that several names lead to is asked once. */
static void add_asked(struct pinsight_pythons *pythons, const char *program) {
    struct pinsight_pythons_broken *one = &pythons->broken[pythons->broken_count];
    char interpreter[PATH_MAX];
    struct stat file;

    if (pythons->broken_count == PINSIGHT_PYTHONS_BROKEN || realpath(program, one->real) == NULL ||
        stat(one->real, &file) != 0 || !S_ISREG(file.st_mode) || access(program, X_OK) != 0) {
        return;
    }
    for (size_t i = 0; i < pythons->broken_count; i++) {
        if (strcmp(pythons->broken[i].real, one->real) == 0) {
            return;
        }
    }
    if (pinsight_ask_python(program, interpreter, one->why)) {
        add(pythons, interpreter);
        return;
    }
    snprintf(one->program, sizeof(one->program), "%s", program);
    pythons->broken_count++;
}

static int compare(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Adds pyenv's interpreters. Its shims on PATH start only one version of many. */
static void add_pyenv(struct pinsight_pythons *pythons) {
    const char *root = getenv("PYENV_ROOT"), *home = getenv("HOME");
    char pattern[PATH_MAX];
    glob_t found;

    if (root != NULL && *root != '\0') {
        snprintf(pattern, sizeof(pattern), "%s/versions/*/bin/python3", root);
    } else {
        snprintf(pattern, sizeof(pattern), "%s/.pyenv/versions/*/bin/python3",
                 home != NULL ? home : "");
    }
    if (glob(pattern, 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc && pythons->count < PINSIGHT_PYTHONS_MAX; i++) {
            add(pythons, found.gl_pathv[i]);
        }
    }
    globfree(&found);
}

/* Adds the interpreters of a folder, sorted by their names, because a folder has no order. Shims of
 * pyenv are not asked, because they fail for each version that is not chosen. */
static void add_folder(struct pinsight_pythons *pythons, const char *folder) {
    char path[PATH_MAX], *names[64];
    const char *end = strrchr(folder, '/');
    bool has_shims = end != NULL && strcmp(end, "/shims") == 0;
    size_t count = 0;
    DIR *dir = opendir(folder);

    for (struct dirent *entry; dir != NULL && count < 64 && (entry = readdir(dir)) != NULL;) {
        if (is_python_name(entry->d_name)) {
            names[count] = strdup(entry->d_name);
            count += names[count] != NULL;
        }
    }
    if (dir != NULL) {
        closedir(dir);
    }
    qsort(names, count, sizeof(*names), compare);
    for (size_t i = 0; i < count; i++) {
        if (pythons->count < PINSIGHT_PYTHONS_MAX && pinsight_path_join(path, folder, names[i]) &&
            !add(pythons, path) && !has_shims) {
            add_asked(pythons, path);
        }
        free(names[i]);
    }
}

void pinsight_pythons_find(struct pinsight_pythons *pythons, char *const *command) {
    const char *list = getenv("PATH");
    char folder[PATH_MAX];

    *pythons = (struct pinsight_pythons){
        .items = calloc(PINSIGHT_PYTHONS_MAX, sizeof(*pythons->items)),
        .broken = calloc(PINSIGHT_PYTHONS_BROKEN, sizeof(*pythons->broken)),
    };
    if (pythons->items == NULL || pythons->broken == NULL) {
        return;
    }
    if (command != NULL) {
        pinsight_command_look(&pythons->items[0], command);
        pythons->count = pythons->items[0].is_python;
        return;
    }
    for (const char *at = list != NULL ? list : "/usr/bin";;) {
        size_t length = strcspn(at, ":");
        if (length > 0 && length < sizeof(folder)) {
            snprintf(folder, sizeof(folder), "%.*s", (int)length, at);
            add_folder(pythons, folder);
        }
        if (at[length] == '\0') {
            break;
        }
        at += length + 1;
    }
    add_pyenv(pythons);
}

void pinsight_pythons_free(struct pinsight_pythons *pythons) {
    for (size_t i = 0; pythons->items != NULL && i < PINSIGHT_PYTHONS_MAX; i++) {
        pinsight_command_free(&pythons->items[i]);
    }
    free(pythons->items);
    free(pythons->broken);
}
