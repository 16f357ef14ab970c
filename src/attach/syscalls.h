/* A stopped thread of another process, its registers, and the system calls that we make in it. */
#ifndef PINSIGHT_ATTACH_SYSCALLS_H
#define PINSIGHT_ATTACH_SYSCALLS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/user.h>

struct pinsight_stopped {
    int tid;
    struct user_regs_struct registers; /* the thread continues with these */
    long waits_in;    /* number of the system call that was interrupted; -1 if none */
    uint64_t signals; /* that the thread had blocked */
    sigset_t own;     /* that the calling thread had blocked */
};

/* The place at which a redirected thread continues later. */
struct pinsight_resume {
    uint64_t stack, at;
};

/* The address of an instruction in the process that makes a system call. */
struct pinsight_syscaller {
    uint64_t at;
};

/* Finds such an instruction. Returns false with errno if there is none. */
bool pinsight_syscaller_find(struct pinsight_syscaller *caller, int pid);

/*
 * Stops a thread. Blocks the thread's signals until pinsight_stopped_end(), which lets the thread
 * continue with `registers`. Blocks those of the calling thread, too: if it ended in between, the
 * other thread would keep wrong registers. An interrupted system call is made again, or returns
 * EINTR if that is impossible (signal(7), "Interruption of system calls"). Returns false with
 * errno.
 */
bool pinsight_stopped_begin(struct pinsight_stopped *stopped, int tid);
void pinsight_stopped_end(struct pinsight_stopped *stopped);

/* Returns whether the thread waits in a system call for events, connections, data, time or
 * children. A thread that makes one of these calls holds no lock of the C library. */
bool pinsight_stopped_waits(const struct pinsight_stopped *stopped);

/* Returns whether the thread's next instruction is in this range. */
bool pinsight_stopped_is_within(const struct pinsight_stopped *stopped, uint64_t begin,
                                size_t size);

/* Returns the place at which the thread would continue. */
struct pinsight_resume pinsight_stopped_resume(const struct pinsight_stopped *stopped);

/* Makes the thread continue at `at`. The stack pointer becomes a multiple of 16 below the red zone
 * (System V ABI for x86-64, section 3.2.2). */
void pinsight_stopped_redirect(struct pinsight_stopped *stopped, uint64_t at);

/* Makes a system call in the stopped thread. Returns false with errno if it fails. */
bool pinsight_syscall(const struct pinsight_syscaller *caller, struct pinsight_stopped *stopped,
                      long number, uint64_t *result, uint64_t a, uint64_t b, uint64_t c, uint64_t d,
                      uint64_t e, uint64_t f);

#endif
