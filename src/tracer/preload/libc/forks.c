/*
 * fork() and the related functions, in a process that may have a recorder.
 *
 * A recorder may need a notification of a fork, and of a change of user or namespace. Its library
 * for that is meant to be preloaded. If it were preloaded into every process, it
 * would load the recorder everywhere, which costs some milliseconds each. Therefore the same entry
 * points are here. The entry points lead to libc, or to another preloaded library, until a domain
 * is opened in this process. From then on the entry points lead to the recorder's library. That
 * library finds libc's functions with dlsym(RTLD_NEXT), which searches its own dependencies after
 * dlopen().
 *
 * fork() may be called in a signal handler. Therefore fork's target is looked up when the process
 * starts, and the call is an atomic load and a jump. The function vfork() stays as it is, because
 * its child shares our memory.
 */
#include "forward.h"
#include "libc.h"
#include "tracer/core/fork_signals.h"

#include "tracer/record/recorder.h"

#include <dlfcn.h>
#include <errno.h>
#include <grp.h>
#include <linux/nsfs.h>
#include <pty.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/types.h>
#include <unistd.h>

#ifndef CLONE_PIDFD
#define CLONE_PIDFD 0x1000
#endif

/* Set before `has_guards`. */
static struct pinsight_recorder_guards recorder;
static atomic_bool has_guards;
static atomic_bool present;

void pinsight_forks_follow(void) {
    atomic_store(&present, true);
}

void pinsight_forks_guard(const struct pinsight_recorder_guards *guards) {
    recorder = *guards;
    atomic_store(&has_guards,
                 recorder.before_fork && recorder.after_fork_parent && recorder.after_fork_child);
    pinsight_redirect_into(recorder.forks, TO_fork, TO_setns);
}

static _Atomic bool may_not_block;

void pinsight_forks_block_no_signals(void) {
    atomic_store(&may_not_block, true);
}

static void block_signals(struct pinsight_fork_signals *signals) {
    if (!atomic_load_explicit(&may_not_block, memory_order_relaxed)) {
        pinsight_fork_signals_block(signals);
    }
}

PINSIGHT_EXPORT pid_t fork(void) {
    pid_t (*next)(void) = pinsight_next(TO_fork);
    if (!next) {
        return -1;
    }
    struct pinsight_fork_signals blocked = {0};
    bool follows = atomic_load_explicit(&present, memory_order_acquire);
    if (follows) {
        block_signals(&blocked);
    }
    pid_t child = next();
    if (child == 0) {
        pinsight_leader_is_this();
        pinsight_threads_forked(true);
        pinsight_fork_signals_unblock_child(&blocked);
        return 0;
    }
    if (child > 0 && follows) {
        pinsight_threads_forked(false);
    }
    pinsight_fork_signals_unblock(&blocked);
    return child;
}

struct cloned {
    int (*fn)(void *);
    void *arg;
    struct pinsight_fork_signals blocked;
};

/* Runs in a cloned child. libc ends only the child's thread when its function returns. The
 * recorder's threads in the child would keep it alive, so the whole process ends here. */
static int run_cloned(void *argument) {
    struct cloned *cloned = argument;
    pinsight_fork_signals_unblock_child(&cloned->blocked);
    _exit(cloned->fn(cloned->arg));
}

PINSIGHT_EXPORT int clone(int (*fn)(void *), void *stack, int flags, void *arg, ...) {
    /* Callers pass as many of these as their flags require: clone(2). */
    bool wants_child_tid = flags & (CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID);
    bool wants_tls = wants_child_tid || (flags & CLONE_SETTLS);
    bool wants_parent_tid = wants_tls || (flags & (CLONE_PARENT_SETTID | CLONE_PIDFD));
    va_list args;
    va_start(args, arg);
    pid_t *parent_tid = wants_parent_tid ? va_arg(args, pid_t *) : NULL;
    void *tls = wants_tls ? va_arg(args, void *) : NULL;
    pid_t *child_tid = wants_child_tid ? va_arg(args, pid_t *) : NULL;
    va_end(args);
    int (*next)(int (*)(void *), void *, int, void *, ...) = pinsight_next(TO_clone);
    if (!next) {
        return -1;
    }
    /* A child of clone() without CLONE_VM has a copy of this. */
    struct cloned cloned = {.fn = fn, .arg = arg};
    if (fn && !(flags & CLONE_VM) && atomic_load_explicit(&has_guards, memory_order_acquire)) {
        fn = run_cloned;
        arg = &cloned;
        block_signals(&cloned.blocked);
    }
    int result = next(fn, stack, flags, arg, parent_tid, tls, child_tid);
    pinsight_fork_signals_unblock(&cloned.blocked);
    return result;
}

/* The recorder's library may have no forkpty(), and libc's does not call the fork() above. */
PINSIGHT_EXPORT pid_t forkpty(int *master, char *name, const struct termios *terminal,
                              const struct winsize *size) {
    pid_t (*next)(int *, char *, const struct termios *, const struct winsize *) =
        pinsight_next(TO_forkpty);
    if (!next) {
        return -1;
    }
    if (!atomic_load_explicit(&present, memory_order_acquire)) {
        return next(master, name, terminal, size);
    }
    struct pinsight_fork_signals blocked = {0};
    sigset_t signals;
    bool guarded = atomic_load_explicit(&has_guards, memory_order_acquire);
    block_signals(&blocked);
    if (guarded) {
        recorder.before_fork(&signals);
    }
    pid_t child = next(master, name, terminal, size);
    int saved_errno = errno;
    if (child == 0) {
        if (guarded) {
            recorder.after_fork_child(&signals);
        }
        pinsight_leader_is_this();
        pinsight_threads_forked(true);
        pinsight_fork_signals_unblock_child(&blocked);
    } else {
        if (guarded) {
            recorder.after_fork_parent(&signals);
        }
        pinsight_threads_forked(false);
        pinsight_fork_signals_unblock(&blocked);
    }
    errno = saved_errno;
    return child;
}

PINSIGHT_EXPORT int daemon(int no_chdir, int no_close) {
    int (*next)(int, int) = pinsight_next(TO_daemon);
    struct pinsight_fork_signals blocked = {0};
    if (atomic_load_explicit(&present, memory_order_acquire)) {
        block_signals(&blocked);
    }
    int result = next ? next(no_chdir, no_close) : -1;
    if (result == 0) {
        pinsight_leader_is_this();
        pinsight_fork_signals_unblock_child(&blocked);
    } else {
        pinsight_fork_signals_unblock(&blocked);
    }
    return result;
}

static void (*_Atomic restriction_listener)(enum pinsight_restriction restriction);

void pinsight_preload_on_restriction(void (*listener)(enum pinsight_restriction restriction)) {
    restriction_listener = listener;
}

void pinsight_notify_restriction(enum pinsight_restriction restriction) {
    void (*listener)(enum pinsight_restriction) = restriction_listener;
    if (listener) {
        listener(restriction);
    }
}

#define FORWARD(name, is_alone, parameters, arguments)                                             \
    PINSIGHT_EXPORT int name parameters {                                                          \
        int(*next) parameters = pinsight_next(TO_##name);                                          \
        const bool alone = (is_alone) != 0;                                                        \
        pinsight_notify_restriction(alone ? PINSIGHT_RESTRICTION_THREADS                           \
                                          : PINSIGHT_RESTRICTION_PLACE);                           \
        int result = next ? next arguments : -1;                                                   \
        if (alone) {                                                                               \
            pinsight_notify_restriction(PINSIGHT_RESTRICTION_DONE);                                \
        }                                                                                          \
        return result;                                                                             \
    }

FORWARD(setuid, false, (uid_t uid), (uid))
FORWARD(setgid, false, (gid_t gid), (gid))
FORWARD(seteuid, false, (uid_t uid), (uid))
FORWARD(setegid, false, (gid_t gid), (gid))
FORWARD(setreuid, false, (uid_t real, uid_t effective), (real, effective))
FORWARD(setregid, false, (gid_t real, gid_t effective), (real, effective))
FORWARD(setresuid, false, (uid_t real, uid_t effective, uid_t saved), (real, effective, saved))
FORWARD(setresgid, false, (gid_t real, gid_t effective, gid_t saved), (real, effective, saved))
FORWARD(setgroups, false, (size_t count, const gid_t *groups), (count, groups))
FORWARD(initgroups, false, (const char *user, gid_t group), (user, group))
FORWARD(chroot, false, (const char *path), (path))
/* Only a process with one thread can enter another user namespace: unshare(2), setns(2). */
#define ALONE (CLONE_NEWUSER | CLONE_THREAD | CLONE_SIGHAND | CLONE_VM)
FORWARD(unshare, flags &ALONE, (int flags), (flags))
FORWARD(setns, ioctl(fd, NS_GET_NSTYPE) == CLONE_NEWUSER || (type & CLONE_NEWUSER),
        (int fd, int type), (fd, type))
