/*
 * LLVM's OpenMP in place of GCC's, from the moment when an object that needs libgomp is opened.
 *
 * `pinsight run` cannot know which packages a Python program will import. Where it finds a libomp
 * that can stand in for what they need, it names it ($PINSIGHT_LIBOMP), and here it is opened ahead
 * of the first object that needs libgomp: what was opened with RTLD_GLOBAL is searched before the
 * libraries that a later object brings along, so libgomp's functions are found in libomp
 * (dlopen(3)). Where libgomp is there already it stays, for who has called one runtime must not go
 * on with the other.
 *
 * dlopen() is taken over for that, by code that leaves the caller's address in its place, since
 * glibc looks at the caller's DT_RUNPATH (dlopen.S).
 */
#include "libc.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtimes/libomp.h"
#include "runtimes/linker.h"
#include "runtimes/objects.h"

enum { TRIES = 100000 };

/* Of LLVM's and Intel's OpenMP; NULL where the process has none at its start. */
extern void __kmpc_fork_call(void) __attribute__((weak));

typedef void *(*open_library)(const char *name, int flags);

static atomic_bool looking; /* objects that are opened are looked at */
static _Atomic pid_t turn;  /* of the process in which a thread looks; 0: none does */
static char *libomp_path;   /* set before `looking` */

/* Whose turn it is has these; `over`: libgomp was met, and nothing more is to be looked at;
 * `needed` is that libgomp, `by` what needs it, `found` scratch. */
static bool over;
static struct pinsight_objects *seen;
static struct pinsight_libomp libomp;
static char needed[PATH_MAX], by[PATH_MAX], found[PATH_MAX];

void pinsight_stand_in_ready(void) {
    const char *value = secure_getenv("PINSIGHT_LIBOMP");
    if (!value || strcmp(value, "no") == 0)
        return;
    pinsight_unseen_at_start(strcmp(value, "gomp") == 0);
    if (strcmp(value, "gomp") == 0)
        return;
    libomp_path = value[0] == '/' ? strdup(value) : NULL;
    /* What is there at the start is found by all that comes later, for libgomp's functions too. */
    atomic_store(&looking, !__kmpc_fork_call);
}

const char *pinsight_stand_in_path(void) {
    return libomp_path;
}

static const char *base_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static int note_kind(struct dl_phdr_info *info, size_t size, void *data) {
    (void)size;
    int kind = info->dlpi_name ? pinsight_runtime_of_name(base_of(info->dlpi_name)) : -1;
    if (kind >= 0)
        *(unsigned *)data |= 1u << kind;
    return 0;
}

unsigned pinsight_runtimes_loaded(void) {
    unsigned kinds = 0;
    dl_iterate_phdr(note_kind, &kinds);
    return kinds;
}

/* One thread at a time, and until libomp is there. The turn of a thread that was not copied by
 * fork() is over. Nobody waits for ever: who has the turn may wait for the dynamic linker's lock,
 * and who has that lock may come here from a constructor. */
static bool take_turn(void) {
    pid_t own = getpid();
    for (int i = 0; i < TRIES; i++) {
        pid_t holder = atomic_load(&turn);
        if (holder == own)
            sched_yield();
        else if (atomic_compare_exchange_weak(&turn, &holder, own))
            return true;
    }
    return false;
}

/* libc's dlopen(), or that of whoever has taken it over too. */
static open_library next_dlopen(void) {
    static _Atomic open_library next;
    open_library found_next = atomic_load_explicit(&next, memory_order_relaxed);
    if (!found_next) {
        found_next = (open_library)dlsym(RTLD_NEXT, "dlopen");
        atomic_store_explicit(&next, found_next, memory_order_relaxed);
    }
    return found_next;
}

/* The libomp that may stand in is loaded, for code that needs it by itself. */
static bool is_there(void) {
    void *library = libomp_path ? next_dlopen()(libomp_path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    if (library)
        dlclose(library);
    return library;
}

/* May libomp come into the process now, or be found by all that comes later? What speaks against it
 * is said. */
static bool may_come(const struct pinsight_object_found *gomp) {
    unsigned kinds = pinsight_runtimes_loaded();
    const char *why = NULL;
    bool there = is_there();
    if (!libomp_path) {
        why = "what a command starts is not known beforehand";
    } else if (!there && kinds & 1u << PINSIGHT_LIBIOMP) {
        why = "Intel's OpenMP is there, beside which LLVM's must not be loaded";
    } else if (!there && kinds & 1u << PINSIGHT_LIBOMP) {
        why = "another of LLVM's is there, beside which a second one must not be loaded";
    } else if (kinds & 1u << PINSIGHT_LIBGOMP) {
        why = "it was loaded before LLVM's could come";
    } else if (pinsight_objects_first(seen, PINSIGHT_LIBIOMP)) {
        why = "Intel's OpenMP comes with it, beside which LLVM's must not be loaded";
    } else {
        memccpy(libomp.path, libomp_path, '\0', sizeof(libomp.path) - 1);
        if (pinsight_libomp_check(&libomp, seen) != PINSIGHT_LIBOMP_GOOD)
            why = "LLVM's does not serve all that is taken from it";
    }
    if (why)
        pinsight_report_unseen(gomp->by, gomp->path, why, libomp.lacks);
    return !why;
}

/* Is an object about to be opened that needs libgomp, and is libomp to come before it? */
static bool is_needed(const char *name) {
    const char *library_path = getenv("LD_LIBRARY_PATH");
    const struct pinsight_linker_paths paths = {.library_path = library_path};
    if (!seen)
        seen = calloc(1, sizeof(*seen));
    if (!seen)
        return false;
    seen->library_path = library_path;
    if (!strchr(name, '/'))
        name = pinsight_linker_find(name, &paths, found) ? found : NULL;
    if (name)
        pinsight_objects_add(seen, name);
    const struct pinsight_object_found *gomp = pinsight_objects_first(seen, PINSIGHT_LIBGOMP);
    if (!gomp)
        return false;
    over = true;
    bool comes = may_come(gomp);
    memccpy(needed, gomp->path, '\0', PATH_MAX - 1);
    memccpy(by, gomp->by, '\0', PATH_MAX - 1);
    pinsight_objects_free(seen);
    free(seen);
    seen = NULL;
    return comes;
}

static void bring(void) {
    if (!next_dlopen()(libomp_path, RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE)) {
        pinsight_report_unseen(by, needed, "LLVM's cannot be loaded", dlerror());
    } else {
        pinsight_note_once(
            "libomp",
            "LLVM's OpenMP (%s) is loaded in place of libgomp (%s), which %s needs and no "
            "tool can observe; --libomp no leaves it",
            libomp_path, needed, by);
    }
}

static void look(const char *name) {
    /* A constructor of libomp's, or a handler of a signal, comes here again. Initial-exec: no call.
     */
    static __thread bool inside __attribute__((tls_model("initial-exec")));
    if (inside || !take_turn())
        return;
    inside = true;
    if (!over && is_needed(name))
        bring();
    if (over)
        atomic_store(&looking, false);
    inside = false;
    atomic_store(&turn, 0);
}

/* Called by dlopen() before anything else; gives where to go on. */
open_library pinsight_stand_in_before(const char *name, int flags);
open_library pinsight_stand_in_before(const char *name, int flags) {
    open_library open_next = next_dlopen();
    if (atomic_load_explicit(&looking, memory_order_acquire) && name && *name &&
        !(flags & RTLD_NOLOAD)) {
        int saved_errno = errno;
        look(name);
        errno = saved_errno;
    }
    return open_next;
}
