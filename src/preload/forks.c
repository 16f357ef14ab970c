/*
 * fork() and its like, in a process that LTTng-UST may be in.
 *
 * LTTng-UST must be told about a fork, and about a change of user or namespace; it has a library
 * for that, liblttng-ust-fork.so, which is meant to be preloaded. Preloaded into everything, it
 * loads LTTng-UST into every process, which costs each some milliseconds. So the same entry points
 * are here: they lead to libc (or to what else was preloaded) until a domain was opened in this
 * process, and to liblttng-ust-fork.so from then on. That library finds libc's functions with
 * dlsym(RTLD_NEXT), which for a library opened with dlopen() looks in its own dependencies.
 *
 * fork() may be called in a signal handler: its targets are looked up when the process starts, and
 * calling one is an atomic load and a jump. vfork() is left alone; its child shares our memory.
 */
#include "preload.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pty.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#define UST_LIBRARY "liblttng-ust.so.1"
#define UST_FORK_LIBRARY "liblttng-ust-fork.so.1"

/* What liblttng-ust-fork.so exports, as of LTTng-UST 2.13; forkpty, which it forgets, is last. */
enum target {
    FORK,
    CLONE,
    DAEMON,
    SETUID,
    SETGID,
    SETEUID,
    SETEGID,
    SETREUID,
    SETREGID,
    SETRESUID,
    SETRESGID,
    UNSHARE,
    SETNS,
    FORKPTY,
    TARGETS
};
static const char *const names[TARGETS] = {
    "fork",     "clone",    "daemon",    "setuid",    "setgid",  "seteuid", "setegid",
    "setreuid", "setregid", "setresuid", "setresgid", "unshare", "setns",   "forkpty"};

/* What each entry point calls now. */
static void *_Atomic targets[TARGETS];

/* lttng/ust-fork.h: to be called around a fork. Set once, before `ust_ready`. */
static void (*before_fork)(sigset_t *);
static void (*after_fork_parent)(sigset_t *);
static void (*after_fork_child)(sigset_t *);
static atomic_bool ust_ready;

static void *find_next(enum target target) {
    void *next = dlsym(RTLD_NEXT, names[target]);
    if (!next && target == FORKPTY) {
        /* In a library of its own before glibc 2.34. */
        void *util = dlopen("libutil.so.1", RTLD_LAZY | RTLD_LOCAL);
        next = util ? dlsym(util, names[target]) : NULL;
    }
    if (next) {
        void *expected = NULL;
        atomic_compare_exchange_strong(&targets[target], &expected, next);
    }
    return atomic_load_explicit(&targets[target], memory_order_acquire);
}

/* The function to call; NULL, with errno set, where libc has none. */
static inline void *get(enum target target) {
    void *function = atomic_load_explicit(&targets[target], memory_order_acquire);
    if (__builtin_expect(!function, 0)) {
        function = find_next(target);
        if (!function) {
            errno = ENOSYS;
        }
    }
    return function;
}

void pinsight_forks_find(void) {
    /* Those that a signal handler may call (signal-safety(7)). */
    find_next(FORK);
    find_next(SETUID);
    find_next(SETGID);
}

/* LTTng-UST may lie where the dynamic linker does not look by itself: its fork library is beside
 * the library that the domain brought in. */
static void *open_beside_ust(void) {
    void *ust = dlopen(UST_LIBRARY, RTLD_LAZY | RTLD_NOLOAD);
    struct link_map *map;
    char path[4096];
    if (!ust) {
        return NULL;
    }
    void *library = NULL;
    if (dlinfo(ust, RTLD_DI_LINKMAP, &map) == 0) {
        const char *slash = strrchr(map->l_name, '/');
        int folder = slash ? (int)(slash - map->l_name) : 0;
        if (slash && snprintf(path, sizeof(path), "%.*s/" UST_FORK_LIBRARY, folder, map->l_name) <
                         (int)sizeof(path)) {
            library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
        }
    }
    dlclose(ust);
    return library;
}

int pinsight_preload_opened(void) {
    if (atomic_load(&ust_ready)) {
        return 0;
    }
    void *library = open_beside_ust();
    if (!library) {
        library = dlopen(UST_FORK_LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    }
    if (!library) {
        pinsight_say_once("no-ust-fork",
                          "cannot load LTTng-UST's fork support, children that fork without exec "
                          "are not traced: %s; install LTTng-UST again",
                          dlerror());
        return -1;
    }
    before_fork = dlsym(library, "lttng_ust_before_fork");
    after_fork_parent = dlsym(library, "lttng_ust_after_fork_parent");
    after_fork_child = dlsym(library, "lttng_ust_after_fork_child");
    atomic_store(&ust_ready, before_fork && after_fork_parent && after_fork_child);
    for (int i = 0; i < FORKPTY; i++) {
        void *function = dlsym(library, names[i]);
        if (function) {
            atomic_store_explicit(&targets[i], function, memory_order_release);
        }
    }
    return 0;
}

PINSIGHT_EXPORT pid_t fork(void) {
    pid_t (*next)(void) = get(FORK);
    return next ? next() : -1;
}

PINSIGHT_EXPORT int clone(int (*fn)(void *), void *stack, int flags, void *arg, ...) {
    /* Callers pass as many of these as their flags ask for; the rest is not read by the kernel. */
    va_list args;
    va_start(args, arg);
    pid_t *parent_tid = va_arg(args, pid_t *);
    void *tls = va_arg(args, void *);
    pid_t *child_tid = va_arg(args, pid_t *);
    va_end(args);
    int (*next)(int (*)(void *), void *, int, void *, ...) = get(CLONE);
    return next ? next(fn, stack, flags, arg, parent_tid, tls, child_tid) : -1;
}

PINSIGHT_EXPORT pid_t forkpty(int *master, char *name, const struct termios *terminal,
                              const struct winsize *size) {
    pid_t (*next)(int *, char *, const struct termios *, const struct winsize *) = get(FORKPTY);
    if (!next) {
        return -1;
    }
    if (!atomic_load_explicit(&ust_ready, memory_order_acquire)) {
        return next(master, name, terminal, size);
    }
    sigset_t signals;
    before_fork(&signals);
    pid_t child = next(master, name, terminal, size);
    int saved_errno = errno;
    if (child == 0) {
        after_fork_child(&signals);
    } else {
        after_fork_parent(&signals);
    }
    errno = saved_errno;
    return child;
}

PINSIGHT_EXPORT int daemon(int no_chdir, int no_close) {
    int (*next)(int, int) = get(DAEMON);
    return next ? next(no_chdir, no_close) : -1;
}

/* clang-format off */
#define FORWARD(target, name, parameters, arguments)                                               \
    PINSIGHT_EXPORT int name parameters                                                            \
    {                                                                                              \
        int(*next) parameters = get(target);                                                       \
        return next ? next arguments : -1;                                                         \
    }
/* clang-format on */

FORWARD(SETUID, setuid, (uid_t uid), (uid))
FORWARD(SETGID, setgid, (gid_t gid), (gid))
FORWARD(SETEUID, seteuid, (uid_t uid), (uid))
FORWARD(SETEGID, setegid, (gid_t gid), (gid))
FORWARD(SETREUID, setreuid, (uid_t real, uid_t effective), (real, effective))
FORWARD(SETREGID, setregid, (gid_t real, gid_t effective), (real, effective))
FORWARD(SETRESUID, setresuid, (uid_t real, uid_t effective, uid_t saved), (real, effective, saved))
FORWARD(SETRESGID, setresgid, (gid_t real, gid_t effective, gid_t saved), (real, effective, saved))
FORWARD(UNSHARE, unshare, (int flags), (flags))
FORWARD(SETNS, setns, (int fd, int type), (fd, type))
