/* A stopped thread of another process: its registers, and system calls that it makes for us. */
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
    struct user_regs_struct registers; /* to go on with */
    long waits_in;    /* the number of the system call that it is within; -1: none */
    uint64_t signals; /* that it had blocked */
    sigset_t own;     /* that this process had blocked */
};

/* Where a thread goes on that was redirected. */
struct pinsight_resume {
    uint64_t stack, at;
};

/* An instruction for system calls in the process. */
struct pinsight_syscaller {
    uint64_t at;
};

/* Returns false with errno where the process has none that is found. */
bool pinsight_syscaller_find(struct pinsight_syscaller *caller, int pid);

/* Stops a thread. Its signals, and those of the calling thread, which would leave it with wrong
 * registers if it ended now, wait until pinsight_stopped_end(), which lets it go on with
 * `registers`. A system call that it was within is made again, or returns EINTR where it cannot be
 * made again (signal(7), "Interruption of system calls"). Returns false with errno. */
bool pinsight_stopped_begin(struct pinsight_stopped *stopped, int tid);
void pinsight_stopped_end(struct pinsight_stopped *stopped);

/* True where it is within a system call of those that wait for events, connections, data, time or
 * children: nothing of the C library is locked by a thread that makes one of these. */
bool pinsight_stopped_waits(const struct pinsight_stopped *stopped);

/* True where its next instruction is there. */
bool pinsight_stopped_is_within(const struct pinsight_stopped *stopped, uint64_t begin,
                                size_t size);

/* Where it would go on. */
struct pinsight_resume pinsight_stopped_resume(const struct pinsight_stopped *stopped);

/* Has it go on at `at`, with a stack pointer that is a multiple of 16 and below its red zone
 * (System V ABI for x86-64, section 3.2.2). */
void pinsight_stopped_redirect(struct pinsight_stopped *stopped, uint64_t at);

/* Makes a system call in the stopped thread. Returns false with errno where it fails. */
bool pinsight_syscall(const struct pinsight_syscaller *caller, struct pinsight_stopped *stopped,
                      long number, uint64_t *result, uint64_t a, uint64_t b, uint64_t c, uint64_t d,
                      uint64_t e, uint64_t f);

#endif
