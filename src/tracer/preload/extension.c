/*
 * Finds, opens and starts the Python extension that belongs to the interpreter of this process.
 */
#include "libc/libc.h"
#include "preload.h"

#include "base/no_extension.h"
#include "base/plain.h"
#include "base/program.h"
#include "tracer/record/recorder.h"

#include <ctype.h>
#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define EXTENSION_PREFIX "_pinsight_python-"
#define EXTENSION_SUFFIX ".so"
#define EXTENSION_PLAIN "-plain" /* src/tracer/python/sources.cmake */

bool pinsight_python_tag(const char *version, char *tag, size_t size) {
    int length = 0;
    sscanf(version, "%*1[0-9].%*2[0-9]%n", &length);
    bool free_threaded = strstr(version, "free-threading") != NULL;
    if (length == 0 || (size_t)length + free_threaded >= size) {
        tag[0] = '\0';
        return false;
    }
    memcpy(tag, version, (size_t)length);
    strcpy(tag + length, free_threaded ? "t" : "");
    return true;
}

bool pinsight_domain_wanted(const char *list, const char *domain) {
    if (!list || !*list) {
        return true;
    }
    size_t wanted = strlen(domain);
    while (*list) {
        list += strspn(list, ", \t");
        size_t length = strcspn(list, ", \t");
        if (length == wanted && strncasecmp(list, domain, wanted) == 0) {
            return true;
        }
        list += length;
    }
    return false;
}

/* Copies the version from the name of an extension. Returns false for another file, for the plain
 * form, and if there is no room. */
static bool version_of(const char *name, char *version, size_t size) {
    size_t length = strlen(name), around = strlen(EXTENSION_PREFIX) + strlen(EXTENSION_SUFFIX);
    if (length <= around || length - around >= size ||
        strncmp(name, EXTENSION_PREFIX, strlen(EXTENSION_PREFIX)) != 0 ||
        strcmp(name + length - strlen(EXTENSION_SUFFIX), EXTENSION_SUFFIX) != 0 ||
        strstr(name, EXTENSION_PLAIN)) {
        return false;
    }
    snprintf(version, size, "%.*s", (int)(length - around), name + strlen(EXTENSION_PREFIX));
    return true;
}

/* Orders 3.9 before 3.13, and 3.13 before 3.13t. */
static int compare_versions(const void *a, const void *b) {
    return strverscmp(a, b);
}

void pinsight_extensions_there(const char *folder, char *list, size_t size) {
    char versions[32][16];
    size_t count = 0, used = 0;
    DIR *dir = opendir(folder);
    for (struct dirent *file; dir && count < 32 && (file = readdir(dir));) {
        count += version_of(file->d_name, versions[count], sizeof(versions[count]));
    }
    if (dir) {
        closedir(dir);
    }
    qsort(versions, count, sizeof(versions[0]), compare_versions);
    for (size_t i = 0; i < count; i++) {
        int added = snprintf(list + used, size - used, "%s%s", used ? ", " : "", versions[i]);
        if (added < 0 || (size_t)added >= size - used) {
            list[used] = '\0';
            break;
        }
        used += (size_t)added;
    }
    if (used == 0) {
        snprintf(list, size, "none");
    }
}

static void report_missing(const char *libdir, const char *tag) {
    char there[256];
    char why[1024];
    char topic[64];
    char interpreter[1024];
    pinsight_program_self(interpreter, sizeof(interpreter));
    pinsight_extensions_there(libdir, there, sizeof(there));
    snprintf(topic, sizeof(topic), "no-python-%s", tag);
    bool known = pinsight_why_no_extension(libdir, tag, why, sizeof(why));
    pinsight_message_once(topic,
                          "there is no extension for Python %s in %s (there: %s)%s%s, its programs "
                          "run untraced; run `%s -m pip install .` or `make build "
                          "CMAKE_ARGS=-DPINSIGHT_PYTHONS=%s` in PInsight's folder",
                          tag, libdir, there, known ? ": " : "", why, interpreter, interpreter);
}

/* Writes the path of the extension. Chooses the plain form if that is asked for or needed, or if
 * there is no other. Returns false if there is none. */
static bool find_extension(const char *libdir, const char *version, const char *tag, char *path,
                           size_t size) {
    bool first = pinsight_plain_is_asked(secure_getenv(PINSIGHT_PLAIN_VARIABLE)) ||
                 pinsight_plain_is_needed(version);
    for (int plain = first; plain < 2; plain++) {
        int length = snprintf(path, size, "%s/" EXTENSION_PREFIX "%s%s" EXTENSION_SUFFIX, libdir,
                              tag, plain ? EXTENSION_PLAIN : "");
        if (length > 0 && (size_t)length < size && access(path, R_OK) == 0) {
            return true;
        }
    }
    return false;
}

void pinsight_extension_start(const char *libdir, const char *version, pinsight_audit_hook hook) {
    char tag[16];
    char path[4096];
    if (!pinsight_python_tag(version, tag, sizeof(tag))) {
        return;
    }
    if (!find_extension(libdir, version, tag, path, sizeof(path))) {
        report_missing(libdir, tag);
        return;
    }
    void *library =
        pinsight_recorder_shim.open(libdir) ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!library) {
        const char *error = dlerror();
        pinsight_message_once("no-extension",
                              "cannot load the Python extension, the program runs untraced: %s; %s",
                              error, pinsight_load_cure(error));
        return;
    }
    int (*start)(const char *, void *, void *) = dlsym(library, "pinsight_python_start");
    if (!start) {
        pinsight_message_once(
            "no-start",
            "%s is of another version of PInsight, the program runs untraced; build "
            "or install PInsight again",
            path);
        return;
    }
    if (start("preload", hook, NULL) == 0) {
        pinsight_preload_opened();
    }
}
