/* The recorder of a process, and its tables for the domains; see recorder.h and table.h. */
#include "tracer/record/recorder.h"

#include "format/choice.h"
#include "tracer/record/table.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/*
 * A recorder other than the file recorder comes with a libpinsight of its own, which contains it:
 * LIBDIR/RECORDER/libpinsight.so.0. It is opened before libraries that record, so that these are
 * linked to it. Tables of domains that it does not contain are beside it, in libpinsight-DOMAIN.so.
 * The name of a table is pinsight_record_table_DOMAIN.
 */
extern const struct pinsight_recorder pinsight_recorder_here __attribute__((weak));

const struct pinsight_recorder *pinsight_recorder = &pinsight_recorder_file;
const char *pinsight_recorder_output;
const char *pinsight_recorder_ring = "";
void (*pinsight_recorder_on_loss)(const char *path, const char *why);
void (*pinsight_recorder_on_first)(void);
void (*pinsight_recorder_on_alone)(bool begins);

static char folder[PATH_MAX]; /* folder of libpinsight, with a slash */
static void *library;         /* libpinsight, if it contains another recorder */
static bool is_none;          /* the requested recorder is missing */

/* Opens this libpinsight, to find tables in it. */
static void *own_library(void) {
    Dl_info where;
    if (!dladdr(&pinsight_recorder, &where) || !where.dli_fname)
        return NULL;
    const char *slash = strrchr(where.dli_fname, '/');
    if (slash && slash - where.dli_fname + 1 < (long)sizeof folder)
        memcpy(folder, where.dli_fname, (size_t)(slash - where.dli_fname) + 1);
    return dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
}

static char why[512];

static void choose(void) {
    const char *name = pinsight_recorder_name();
    if (strcmp(name, pinsight_recorder_file.name) == 0)
        return;
    if (&pinsight_recorder_here && strcmp(name, pinsight_recorder_here.name) == 0) {
        pinsight_recorder = &pinsight_recorder_here;
        library = own_library();
        return;
    }
    is_none = true;
    snprintf(why, sizeof why,
             "PINSIGHT_RECORDER is %.32s, whose library was not loaded in time; start the program "
             "with `pinsight run --recorder %.32s`",
             name, name);
}

const char *pinsight_recorder_choose(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, choose);
    return is_none ? why : NULL;
}

int pinsight_recorder_link(const struct pinsight_record_link *link) {
    if (pinsight_recorder == &pinsight_recorder_file) {
        *link->in_force = link->file;
        return 0;
    }
    char name[PATH_MAX];
    snprintf(name, sizeof name, "pinsight_record_table_%s", link->domain);
    const void *table = library ? dlsym(library, name) : NULL;
    if (!table) {
        char path[PATH_MAX];
        bool fits = snprintf(path, sizeof path, "%slibpinsight-%s.so", folder, link->domain) <
                    (int)sizeof path;
        void *its = fits ? dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) : NULL;
        table = its ? dlsym(its, name) : NULL;
    }
    if (!table)
        return -1;
    *link->in_force = table;
    return 0;
}
