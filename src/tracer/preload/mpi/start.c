/*
 * The first call of MPI in a process. The call finds the MPI library of the process, and opens the
 * library of wrappers for it. This library does not link MPI, so that a process without MPI never
 * loads it.
 */
#include "base/got.h"
#include "tracer/mpi/shim.h"
#include "tracer/preload/loaded.h"
#include "tracer/preload/opening.h"
#include "tracer/preload/preload.h"
#include "tracer/record/recorder.h"
#include "trampolines.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {
#define TRAMPOLINE(name) #name,
#define UNEXPORTED(name) #name,
#include "mpi/functions.h"
#undef UNEXPORTED
#undef TRAMPOLINE
};
#define TRAMPOLINE(name) +1
#define UNEXPORTED(name)
enum {
    COUNT = sizeof(names) / sizeof(*names),
    EXPORTED = 0
#include "mpi/functions.h"
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *mpi; /* handle of the MPI library */
static void *next[COUNT];
static void *unset[COUNT]; /* the first targets of the trampolines */
static struct pinsight_got_redirection
    redirections[COUNT]; /* functions that objects are redirected to */
static unsigned redirection_count;
static struct pinsight_got got = {.prefix = "MPI_", .redirections = redirections};
static struct pinsight_opening opening; /* of the domain, at the first call that finds an MPI */

/* Stands in for the functions in a process without MPI. Errors are positive numbers (MPI 3.1,
 * 8.4). */
static int absent(void) {
    pinsight_message_once("no-mpi", "the program calls MPI, and has loaded no MPI library");
    return 16;
}

/* Opens the MPI library that an object has or is linked with. Returns NULL if there is none. */
static void *look_for_mpi(void *object) {
    return pinsight_loaded_open(pinsight_loaded_at(dlsym(object, "PMPI_Init")));
}

/* Finds the library that the caller is linked with, even if it is loaded with RTLD_LOCAL. */
static void *find_from(void *caller) {
    void *object = pinsight_loaded_open(pinsight_loaded_at(caller));
    void *found = object ? look_for_mpi(object) : NULL;
    if (object)
        dlclose(object);
    return found;
}

/* Finds any library of the process that has MPI. */
static void *find_any(void) {
    return pinsight_loaded_find("", look_for_mpi);
}

/* Finds an object of the MPI library. Objects may have been copied into a program that is linked
 * with the library (R_*_COPY). Then the copies are valid, which the global scope contains. */
static void *find(const char *name) {
    bool is_global = dlsym(RTLD_DEFAULT, "PMPI_Init") == dlsym(mpi, "PMPI_Init");
    void *found = is_global ? dlsym(RTLD_DEFAULT, name) : NULL;
    return found ? found : dlsym(mpi, name);
}

/* Finds the function that follows a trampoline. The result is the library's function, or that of
 * another tool, which calls the library's itself (MPI 3.1, 14.2). */
static void *find_next(const char *name) {
    char profiled[128];
    snprintf(profiled, sizeof(profiled), "P%s", name);
    void *real = dlsym(mpi, profiled);
    void *other = dlsym(RTLD_NEXT, name);
    if (!real || !other)
        return real ? real : dlsym(mpi, name);
    const struct link_map *map = pinsight_loaded_at(other), *ours = pinsight_loaded_at(real);
    if (!map || !ours || map == ours)
        return real;
    void *object = pinsight_loaded_open(map);
    bool is_mpi = object && dlsym(object, profiled) && dlsym(object, profiled) != real;
    if (object)
        dlclose(object);
    return is_mpi ? real : other;
}

/* Returns "openmpi" or "mpich". Otherwise returns NULL, with the name of the library in
 * `version`. */
static const char *find_flavour(char *version, size_t size) {
    char text[8192] = "";
    int length = 0, major = 0, minor = 0;
    int (*abi)(int *, int *) = (int (*)(int *, int *))dlsym(mpi, "PMPI_Abi_get_version");
    int (*get)(char *, int *) = (int (*)(char *, int *))dlsym(mpi, "PMPI_Get_library_version");
    if (get)
        get(text, &length);
    text[strcspn(text, "\r\n\t,")] = '\0';
    snprintf(version, size, "%.100s", *text ? text : "of an unknown kind");
    if (abi && abi(&major, &minor) == 0 && major > 0)
        return NULL; /* the binary interface of the standard itself (MPI 5.0) */
    if (dlsym(mpi, "ompi_mpi_comm_world"))
        return "openmpi";
    /* Libraries with MPICH's interface (MPICH ABI Compatibility Initiative). */
    static const char *const like_mpich[] = {"MPICH", "Intel", "MVAPICH",
                                             "CRAY",  "Cray",  "ParaStation"};
    for (size_t i = 0; i < sizeof(like_mpich) / sizeof(*like_mpich); i++)
        if (strstr(text, like_mpich[i]))
            return "mpich";
    return NULL;
}

/* Redirects the loaded objects' calls. `first` is an address in the MPI library, which is excluded,
 * as this library is. The caller has the lock, or there is one thread. */
static void redirect_objects(const void *first) {
    got.count = redirection_count;
    got.excluded[0] = first;
    got.excluded[1] = pinsight_mpi_unexported;
    pinsight_got_redirect(&got);
}

static int compare(const void *a, const void *b) {
    return strcmp(((const struct pinsight_got_redirection *)a)->name,
                  ((const struct pinsight_got_redirection *)b)->name);
}

/* Redirects the objects that are loaded at the start. Such objects may be linked with a library
 * whose functions are not exported here. A program may begin with one of them, such as
 * MPI_Session_init. */
static void redirect_linked(void) {
    void *first = dlsym(RTLD_DEFAULT, "PMPI_Session_init");
    void *library = pinsight_loaded_open(pinsight_loaded_at(first));
    if (!library)
        return;
    for (unsigned i = EXPORTED; i < COUNT; i++) {
        void *real = dlsym(library, names[i]);
        if (real)
            redirections[redirection_count++] = (struct pinsight_got_redirection){
                names[i], real, pinsight_mpi_unexported[i - EXPORTED]};
    }
    qsort(redirections, redirection_count, sizeof(*redirections), compare);
    redirect_objects(first);
}

/* Lists the functions with wrappers that are not exported. */
static void find_unexported(void) {
    redirection_count = 0;
    for (unsigned i = EXPORTED; i < COUNT; i++)
        if (next[i] && pinsight_mpi_targets[i] != unset[i])
            redirections[redirection_count++] = (struct pinsight_got_redirection){
                names[i], dlsym(mpi, names[i]), pinsight_mpi_unexported[i - EXPORTED]};
    qsort(redirections, redirection_count, sizeof(*redirections), compare);
}

static void objects_loaded(void) {
    pthread_mutex_lock(&lock);
    redirect_objects(dlsym(mpi, "PMPI_Init"));
    pthread_mutex_unlock(&lock);
}

static void open_flavour(void) {
    static struct pinsight_mpi_shim shim = {.count = COUNT,
                                            .names = names,
                                            .targets = pinsight_mpi_targets,
                                            .next = next,
                                            .find = find,
                                            .loaded = objects_loaded};
    char version[128], name[64];
    const char *flavour = find_flavour(version, sizeof(version));
    if (!flavour) {
        pinsight_message_once(
            "mpi-unknown",
            "the MPI library is %s, which PInsight has no wrappers for, so MPI is not "
            "traced; use Open MPI or one with MPICH's binary interface",
            version);
        return;
    }
    snprintf(name, sizeof(name), "mpi-%s", flavour);
    void *library = pinsight_opening_library(opening.libdir, name);
    if (!library) {
        pinsight_message_once(
            "no-mpi-flavour",
            "MPI is not traced: %s; build PInsight with the headers of %s (Debian: "
            "%s) and %s",
            dlerror(), version, strcmp(flavour, "mpich") == 0 ? "libmpich-dev" : "libopenmpi-dev",
            pinsight_recorder_shim.package);
        return;
    }
    pinsight_mpi_start_function start =
        (pinsight_mpi_start_function)dlsym(library, PINSIGHT_MPI_START);
    if (start)
        start(&shim); /* start() has written any message */
}

static void open_mpi(void *caller) {
    mpi = find_from(caller);
    if (!mpi)
        mpi = find_any();
    if (!mpi)
        return; /* another call may find one */
    for (unsigned i = 0; i < COUNT; i++) {
        unset[i] = pinsight_mpi_targets[i];
        next[i] = find_next(names[i]);
    }
    if (opening.libdir) {
        open_flavour();
        find_unexported();
        redirect_objects(dlsym(mpi, "PMPI_Init"));
    }
    for (unsigned i = 0; i < COUNT; i++)
        if (pinsight_mpi_targets[i] == unset[i])
            atomic_store_explicit(&pinsight_mpi_targets[i], next[i] ? next[i] : (void *)absent,
                                  memory_order_release);
}

void *pinsight_mpi_first(unsigned function, void *caller) {
    int saved_errno = errno;
    pthread_mutex_lock(&lock);
    if (!mpi)
        open_mpi(caller);
    void *target = mpi ? pinsight_mpi_targets[function] : (void *)absent;
    pthread_mutex_unlock(&lock);
    errno = saved_errno;
    return target;
}

__attribute__((constructor)) static void start(void) {
    pinsight_opening_ready(&opening, "mpi");
    if (opening.libdir)
        redirect_linked();
}
