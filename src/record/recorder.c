/* The recorder of a process, and its tables for the domains; see recorder.h and table.h. */
#include "record/recorder.h"

#include "record/choice.h"
#include "record/table.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/*
 * Another recorder than the file recorder lies in libraries of its own, beside libpinsight:
 * libpinsight-RECORDER-DOMAIN.so has the table of a domain, pinsight_record_table. That of the core
 * has the recorder too, pinsight_recorder_here.
 */
typedef void *open_function(const char *path, int flags);

const struct pinsight_recorder *pinsight_recorder = &pinsight_recorder_file;
void (*pinsight_recorder_on_loss)(const char *path, int error);

static char folder[PATH_MAX]; /* of libpinsight, with a slash */
static bool is_none;          /* the one that is asked for is missing */

/* The shim, where it is, knows what there is to opening a recorder. */
static void *open_library(const char *recorder, const char *domain) {
    char path[PATH_MAX];
    open_function *open = (open_function *)(uintptr_t)dlsym(RTLD_DEFAULT, "pinsight_preload_open");
    if (snprintf(path, sizeof path, "%slibpinsight-%s-%s.so", folder, recorder, domain) >=
        (int)sizeof path)
        return NULL;
    return open ? open(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)
                : dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}

static void find_folder(void) {
    Dl_info where;
    const char *slash = NULL;
    if (dladdr(&pinsight_recorder, &where) && where.dli_fname)
        slash = strrchr(where.dli_fname, '/');
    if (slash && slash - where.dli_fname + 1 < (long)sizeof folder)
        memcpy(folder, where.dli_fname, (size_t)(slash - where.dli_fname) + 1);
}

static char why[512];

static void choose(void) {
    const char *name = pinsight_recorder_name();
    if (strcmp(name, pinsight_recorder_file.name) == 0)
        return;
    find_folder();
    void *library = strlen(name) < 32 && !strchr(name, '/') ? open_library(name, "core") : NULL;
    const struct pinsight_recorder *found = library ? dlsym(library, "pinsight_recorder_here") : NULL;
    if (found) {
        pinsight_recorder = found;
        return;
    }
    is_none = true;
    const char *error = dlerror();
    snprintf(why, sizeof why, "%s", error ? error : "PINSIGHT_RECORDER names no recorder");
}

const char *pinsight_recorder_choose(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, choose);
    return is_none ? why : NULL;
}

int pinsight_recorder_link(const struct pinsight_record_link *link) {
    if (pinsight_recorder == &pinsight_recorder_file) {
        *link->in_force = link->file;
        return is_none ? -1 : 0;
    }
    void *library = open_library(pinsight_recorder->name, link->domain);
    const void *table = library ? dlsym(library, "pinsight_record_table") : NULL;
    if (!table)
        return -1;
    *link->in_force = table;
    return 0;
}
