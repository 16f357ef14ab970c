/*
 * A process that is not our child; see helper.h.
 *
 * wait(2) reports only children that were made with SIGCHLD as their exit signal, unless the caller
 * uses __WALL. Therefore a process without an exit signal is made. It makes the helper as its own
 * child and ends, so that the helper is an orphan, like a daemon. The first process must not
 * execute a program, because execve(2) sets the exit signal of its caller to SIGCHLD.
 *
 * In some cases orphans become children of the program: it is the first process of a container, or
 * has asked for them with PR_SET_CHILD_SUBREAPER. The first process then stays as the helper's
 * reaper for as long as the helper runs.
 *
 * Both processes are made as by posix_spawn(3). They share the program's memory, and their maker
 * waits until they have executed a program or ended. Nothing is copied, however large the program
 * is. No atfork handler runs. Only one of the three runs at a time, which matters because they
 * share one errno. (A reaper runs beside its maker, but only waits.)
 */
#include "tracer/core/helper.h"

#include "tracer/core/log.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

/* For code in a process that shares memory with this one, which sanitizers do not support. */
#define UNCHECKED __attribute__((no_sanitize("address", "thread", "undefined")))

/* libc's own clone(3). A library in front of it may take the new process for a fork. */
extern int __clone(int (*function)(void *), void *stack, int flags, void *argument, ...);

enum {
    STACK_SIZE = 128 * 1024, /* for both processes; the first uses the upper half */
    HIGH_FD = 200,           /* higher than the numbers that programs expect to get */
    HELPER_FD = 3,
};

/* The data that the three processes share. */
struct helper_start {
    char *const *words;
    char *const *variables;
    char *stack;
    int fd; /* the helper's end of the pair */
    bool has_stderr;
    bool keep;
    pid_t maker;
    _Atomic int error; /* errno of the first failure */
    _Atomic bool done; /* the helper runs, or will never run */
};

/* Closes every descriptor from HELPER_FD + 1 on. Does not call close(), by which a recorder guards
 * its descriptors. This table of descriptors is a copy and does not concern the recorder. */
UNCHECKED static void close_others(void) {
    if (syscall(SYS_close_range, HELPER_FD + 1, ~0u, 0) == 0)
        return;
    struct rlimit limit = {.rlim_cur = 65536};
    getrlimit(RLIMIT_NOFILE, &limit);
    for (rlim_t fd = HELPER_FD + 1; fd < limit.rlim_cur && fd < 1048576; fd++)
        syscall(SYS_close, (int)fd);
}

/* Moves the descriptors to the numbers that the helper expects. `fd` is higher than all of them. */
UNCHECKED static int arrange(const struct helper_start *start) {
    int nothing = open("/dev/null", O_RDWR);
    if (nothing < 0)
        return -1;
    int high = nothing > HELPER_FD ? nothing : fcntl(nothing, F_DUPFD, HELPER_FD + 1);
    bool told = start->has_stderr && fcntl(STDERR_FILENO, F_GETFD) >= 0;
    if (high < 0 || dup2(high, STDIN_FILENO) < 0 || (!told && dup2(high, STDERR_FILENO) < 0) ||
        dup2(STDERR_FILENO, STDOUT_FILENO) < 0 || dup2(start->fd, HELPER_FD) < 0)
        return -1;
    close_others();
    return 0;
}

/* The code of the second process, which becomes the helper. */
UNCHECKED static int be_helper(void *argument) {
    struct helper_start *start = argument;
    struct sigaction usual = {.sa_handler = SIG_DFL};
    sigset_t none;

    for (int number = 1; number <= SIGRTMAX; number++)
        /* fails only for libc's own signals, and those that cannot be handled */
        sigaction(number, &usual, NULL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    /* The system call, because a wrapper of execve() would have the helper traced. */
    syscall(SYS_execve, start->words[0], start->words, start->variables);
    atomic_store(&start->error, errno);
    return 127;
}

/* The code of the first process, which makes the helper. */
UNCHECKED static int be_maker(void *argument) {
    struct helper_start *start = argument;
    bool keep = start->keep;
    pid_t pid = -1;

    if (keep) {
        /* If the program ends, its memory is freed only when no process shares it any more. */
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != start->maker)
            return 1;
        /* Children that the helper leaves behind must not become the program's children either. */
        prctl(PR_SET_CHILD_SUBREAPER, 1);
    }
    if (arrange(start) == 0)
        pid = __clone(be_helper, start->stack + STACK_SIZE / 2,
                      CLONE_VM | CLONE_VFORK | CLONE_UNTRACED | SIGCHLD, start);
    if (pid < 0)
        atomic_store(&start->error, errno);
    else if (atomic_load(&start->error))
        syscall(SYS_wait4, pid, NULL, 0, NULL); /* it ended before it became a helper */
    atomic_store(&start->done, true);
    /* A reaper must not use `start` from here on. */
    if (keep && pid > 0) { /* otherwise there is nothing to wait for */
        for (int fd = 0; fd <= HELPER_FD; fd++)
            syscall(SYS_close, fd);
        while (syscall(SYS_wait4, -1, NULL, 0, NULL) > 0) {
        }
    }
    return 0;
}

/* Reapers whose helper was asked to end, which takes some seconds. Control thread only. */
static struct reaper {
    pid_t pid; /* 0: none */
    void *stack;
} reapers[8];

static void reap_reapers(void) {
    for (size_t i = 0; i < sizeof reapers / sizeof reapers[0]; i++) {
        if (reapers[i].pid > 0 &&
            syscall(SYS_wait4, reapers[i].pid, NULL, __WALL | WNOHANG, NULL)) {
            munmap(reapers[i].stack, STACK_SIZE);
            reapers[i].pid = 0;
        }
    }
}

/* Makes both processes. Returns 0, or the errno of the first failure. */
static int make(struct pinsight_helper *helper, struct helper_start *start) {
    int flags = CLONE_VM | CLONE_UNTRACED | (start->keep ? 0 : CLONE_VFORK);
    pid_t maker = __clone(be_maker, start->stack + STACK_SIZE, flags, start);
    if (maker < 0)
        return errno;
    if (start->keep) {
        const struct timespec moment = {.tv_nsec = 500000};
        while (!atomic_load(&start->done)) {
            if (syscall(SYS_wait4, maker, NULL, __WALL | WNOHANG, NULL) == maker)
                return ESRCH; /* killed before it was done */
            nanosleep(&moment, NULL);
        }
    }
    int error = atomic_load(&start->error);
    if (!start->keep || error) {
        syscall(SYS_wait4, maker, NULL, __WALL, NULL);
    } else {
        helper->reaper = maker;
        helper->stack = start->stack;
    }
    return error;
}

/* Moves a descriptor to a number that programs do not expect. */
static int move_up(int fd) {
    int high = fcntl(fd, F_DUPFD_CLOEXEC, HIGH_FD);
    if (high < 0) /* RLIMIT_NOFILE is low */
        high = fcntl(fd, F_DUPFD_CLOEXEC, HELPER_FD + 1);
    int error = errno;
    close(fd);
    errno = error;
    return high;
}

int pinsight_helper_start(struct pinsight_helper *helper, char *const *words,
                          char *const *variables) {
    struct helper_start start = {.words = words,
                                 .variables = variables,
                                 .has_stderr = pinsight_log_has_stderr(),
                                 .maker = getpid()};
    struct stat about = {0};
    int pair[2], subreaper = 0, error = 0;

    reap_reapers();
    *helper = (struct pinsight_helper)PINSIGHT_HELPER_NONE;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
        return errno;
    pair[0] = move_up(pair[0]);
    start.fd = move_up(pair[1]);
    prctl(PR_GET_CHILD_SUBREAPER, &subreaper);
    start.keep = subreaper || getpid() == 1;
    void *stack = mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (pair[0] < 0 || start.fd < 0 || stack == MAP_FAILED || fstat(pair[0], &about) != 0) {
        error = errno;
    } else {
        /* The program's signal handlers must not run in processes that share its memory. */
        sigset_t all, old;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &old);
        start.stack = stack;
        error = make(helper, &start);
        pthread_sigmask(SIG_SETMASK, &old, NULL);
    }
    if (stack != MAP_FAILED && !helper->stack)
        munmap(stack, STACK_SIZE);
    if (start.fd >= 0)
        close(start.fd);
    helper->fd = pair[0];
    helper->device = about.st_dev;
    helper->inode = about.st_ino;
    if (error)
        pinsight_helper_end(helper);
    return error;
}

/* Returns whether the descriptor still belongs to the pair. */
static bool is_ours(const struct pinsight_helper *helper) {
    struct stat about;

    return helper->fd >= 0 && fstat(helper->fd, &about) == 0 && about.st_dev == helper->device &&
           about.st_ino == helper->inode;
}

bool pinsight_helper_send(struct pinsight_helper *helper, const void *packet, size_t size) {
    return is_ours(helper) &&
           send(helper->fd, packet, size, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)size;
}

ssize_t pinsight_helper_receive(struct pinsight_helper *helper, void *packet, size_t room,
                                int patience_ms) {
    if (!is_ours(helper))
        return -1;
    struct pollfd wait = {.fd = helper->fd, .events = POLLIN};
    if (poll(&wait, 1, patience_ms) <= 0)
        return 0;
    if (!is_ours(helper))
        return -1;
    ssize_t size = recv(helper->fd, packet, room, MSG_DONTWAIT);
    if (size < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    return size > 0 ? size : -1;
}

void pinsight_helper_end(struct pinsight_helper *helper) {
    if (is_ours(helper))
        close(helper->fd);
    helper->fd = -1;
    for (size_t i = 0; helper->reaper > 0 && i < sizeof reapers / sizeof reapers[0]; i++) {
        if (reapers[i].pid == 0) {
            reapers[i] = (struct reaper){helper->reaper, helper->stack};
            helper->reaper = 0;
        }
    }
    reap_reapers();
    *helper = (struct pinsight_helper)PINSIGHT_HELPER_NONE;
}

void pinsight_helper_forget(struct pinsight_helper *helper) {
    if (is_ours(helper))
        syscall(SYS_close, helper->fd);
    *helper = (struct pinsight_helper)PINSIGHT_HELPER_NONE;
    for (size_t i = 0; i < sizeof reapers / sizeof reapers[0]; i++)
        reapers[i].pid = 0;
}
