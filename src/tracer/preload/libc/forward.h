/* The functions of libc that this library replaces, and their present targets. */
#ifndef PINSIGHT_PRELOAD_FORWARD_H
#define PINSIGHT_PRELOAD_FORWARD_H

#include <stdatomic.h>
#include <stddef.h>

/* X(name) for each function that a recorder's library for forks may export. */
#define PINSIGHT_FORK_FUNCTIONS(X)                                                                 \
    X(fork)                                                                                        \
    X(clone)                                                                                       \
    X(daemon)                                                                                      \
    X(setuid)                                                                                      \
    X(setgid)                                                                                      \
    X(seteuid)                                                                                     \
    X(setegid)                                                                                     \
    X(setreuid)                                                                                    \
    X(setregid)                                                                                    \
    X(setresuid)                                                                                   \
    X(setresgid)                                                                                   \
    X(unshare)                                                                                     \
    X(setns)

/* X(name) for each function that its library for descriptors may export. */
#define PINSIGHT_FD_FUNCTIONS(X) X(close)

/* X(name) for each function that no recorder exports. */
#define PINSIGHT_OWN_FUNCTIONS(X)                                                                  \
    X(forkpty)                                                                                     \
    X(chroot)                                                                                      \
    X(setgroups)                                                                                   \
    X(initgroups)                                                                                  \
    X(close_range)                                                                                 \
    X(closefrom)                                                                                   \
    X(fopen)                                                                                       \
    X(fopen64)                                                                                     \
    X(backtrace)                                                                                   \
    X(execve)                                                                                      \
    X(execvpe)                                                                                     \
    X(fexecve)                                                                                     \
    X(posix_spawn)                                                                                 \
    X(posix_spawnp)                                                                                \
    X(pthread_create)

#define PINSIGHT_TARGET(name) TO_##name,
enum pinsight_target {
    PINSIGHT_FORK_FUNCTIONS(PINSIGHT_TARGET) PINSIGHT_FD_FUNCTIONS(PINSIGHT_TARGET)
        PINSIGHT_OWN_FUNCTIONS(PINSIGHT_TARGET) TARGETS
};

/* The present target of each entry point; NULL until its first use. */
extern void *_Atomic pinsight_targets[TARGETS];

/* Looks up the function behind this library, and stores it as the target. Returns NULL with errno
 * ENOSYS if there is none. Thread-safe. */
void *pinsight_find_next(enum pinsight_target target);

/* Makes the entry points from `first` to `last` lead into `library` (a handle of dlopen()), as far
 * as it has the functions. */
void pinsight_redirect_into(void *library, enum pinsight_target first, enum pinsight_target last);

/* Returns the present target; see pinsight_find_next(). After the first call, the cost is an atomic
 * load. */
static inline void *pinsight_next(enum pinsight_target target) {
    void *function = atomic_load_explicit(&pinsight_targets[target], memory_order_acquire);
    return __builtin_expect(function != NULL, 1) ? function : pinsight_find_next(target);
}

#endif
