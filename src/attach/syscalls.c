/* A stopped thread of another process; see syscalls.h. */
#if defined(__x86_64__)

#include "attach/syscalls.h"

#include "attach/memory.h"
#include "attach/thread.h"

#include <errno.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>

enum { PIECE = 1 << 16, RED_ZONE = 256, SYSCALL_BYTES = 2 };

/* Values of a register while a system call is interrupted (include/linux/errno.h). */
enum { RESTART_SYS = 512, RESTART_NO_INTR = 513, RESTART_NO_HAND = 514, RESTART_BLOCK = 516 };

/* ---- an instruction that makes system calls ---- */

struct looking {
    int pid;
    uint64_t found;
};

static bool look_at(const struct pinsight_memory_mapping *mapping, void *data) {
    static const unsigned char instruction[SYSCALL_BYTES] = {0x0f, 0x05};
    static unsigned char bytes[PIECE];
    struct looking *looking = data;

    if (!mapping->is_executable)
        return true;
    for (uint64_t at = mapping->begin; looking->found == 0 && at < mapping->end; at += PIECE) {
        size_t size = mapping->end - at < PIECE ? (size_t)(mapping->end - at) : PIECE;
        if (!pinsight_memory_read(looking->pid, at, bytes, size))
            break;
        const unsigned char *found = memmem(bytes, size, instruction, sizeof(instruction));
        if (found != NULL)
            looking->found = at + (uint64_t)(found - bytes);
    }
    return looking->found == 0;
}

bool pinsight_syscaller_find(struct pinsight_syscaller *caller, int pid) {
    struct looking looking = {.pid = pid};

    if (!pinsight_memory_each(pid, look_at, &looking))
        return false;
    caller->at = looking.found;
    errno = caller->at != 0 ? 0 : ENOEXEC;
    return caller->at != 0;
}

/* ---- stopping ---- */

static bool set_signals(int tid, const uint64_t *blocked) {
    return ptrace(PTRACE_SETSIGMASK, tid, sizeof(*blocked), blocked) == 0;
}

/* Sets the registers so that the thread continues correctly, whatever the kernel does next. An
 * interrupted system call is made again, or returns EINTR. A wait for a lock always returns EINTR,
 * so that CPython checks for pending calls. */
static void straighten(struct pinsight_stopped *stopped) {
    struct user_regs_struct *registers = &stopped->registers;
    long result = (long)registers->rax;

    stopped->waits_in = (long)registers->orig_rax;
    if (stopped->waits_in < 0)
        return;
    bool again = result == -RESTART_SYS || result == -RESTART_NO_INTR || result == -RESTART_NO_HAND;
    if (result == -RESTART_BLOCK || (again && stopped->waits_in == SYS_futex)) {
        registers->rax = (unsigned long long)-EINTR;
    } else if (again) {
        registers->rax = registers->orig_rax;
        registers->rip -= SYSCALL_BYTES;
    }
    registers->orig_rax = (unsigned long long)-1;
}

bool pinsight_stopped_begin(struct pinsight_stopped *stopped, int tid) {
    static const uint64_t all = ~(uint64_t)0;

    sigset_t every;
    *stopped = (struct pinsight_stopped){.tid = tid};
    sigfillset(&every);
    pthread_sigmask(SIG_SETMASK, &every, &stopped->own);
    if (!pinsight_thread_stop(tid)) {
        pthread_sigmask(SIG_SETMASK, &stopped->own, NULL);
        return false;
    }
    if (ptrace(PTRACE_SETOPTIONS, tid, NULL, PTRACE_O_TRACESYSGOOD) == 0 &&
        ptrace(PTRACE_GETREGS, tid, NULL, &stopped->registers) == 0 &&
        ptrace(PTRACE_GETSIGMASK, tid, sizeof(stopped->signals), &stopped->signals) == 0 &&
        set_signals(tid, &all)) {
        straighten(stopped);
        return true;
    }
    int error = errno;
    pinsight_thread_let_go(tid);
    pthread_sigmask(SIG_SETMASK, &stopped->own, NULL);
    errno = error;
    return false;
}

void pinsight_stopped_end(struct pinsight_stopped *stopped) {
    ptrace(PTRACE_SETREGS, stopped->tid, NULL, &stopped->registers);
    set_signals(stopped->tid, &stopped->signals);
    pinsight_thread_let_go(stopped->tid);
    pthread_sigmask(SIG_SETMASK, &stopped->own, NULL);
}

/* ---- the position of a thread ---- */

bool pinsight_stopped_waits(const struct pinsight_stopped *stopped) {
    static const long waiting[] = {
        SYS_accept,       SYS_accept4, SYS_clock_nanosleep, SYS_connect, SYS_epoll_pwait,
        SYS_epoll_wait,   SYS_pause,   SYS_nanosleep,       SYS_poll,    SYS_ppoll,
        SYS_pselect6,     SYS_read,    SYS_recvfrom,        SYS_recvmsg, SYS_rt_sigtimedwait,
        SYS_select,       SYS_wait4,   SYS_waitid,
#ifdef SYS_epoll_pwait2
        SYS_epoll_pwait2,
#endif
    };

    for (size_t i = 0; i < sizeof(waiting) / sizeof(*waiting); i++)
        if (stopped->waits_in == waiting[i])
            return true;
    return false;
}

bool pinsight_stopped_is_within(const struct pinsight_stopped *stopped, uint64_t begin,
                                size_t size) {
    return stopped->registers.rip - begin < size;
}

struct pinsight_resume pinsight_stopped_resume(const struct pinsight_stopped *stopped) {
    return (struct pinsight_resume){.stack = stopped->registers.rsp, .at = stopped->registers.rip};
}

void pinsight_stopped_redirect(struct pinsight_stopped *stopped, uint64_t at) {
    stopped->registers.rsp = (stopped->registers.rsp - RED_ZONE) & ~(uint64_t)15;
    stopped->registers.rip = at;
}

/* ---- system calls ---- */

/* Continues a thread until the begin or the end of a system call. Returns false with errno. */
static bool to_next_stop(int tid) {
    int status;

    do {
        if (ptrace(PTRACE_SYSCALL, tid, NULL, NULL) != 0 || waitpid(tid, &status, __WALL) != tid)
            return false;
    } while (WIFSTOPPED(status) && WSTOPSIG(status) != (SIGTRAP | 0x80));
    if (!WIFSTOPPED(status))
        errno = ESRCH;
    return WIFSTOPPED(status);
}

bool pinsight_syscall(const struct pinsight_syscaller *caller, struct pinsight_stopped *stopped,
                      long number, uint64_t *result, uint64_t a, uint64_t b, uint64_t c, uint64_t d,
                      uint64_t e, uint64_t f) {
    struct user_regs_struct registers = stopped->registers;

    registers.rip = caller->at;
    registers.rax = (unsigned long long)number;
    registers.orig_rax = (unsigned long long)-1;
    registers.rdi = a;
    registers.rsi = b;
    registers.rdx = c;
    registers.r10 = d;
    registers.r8 = e;
    registers.r9 = f;
    if (ptrace(PTRACE_SETREGS, stopped->tid, NULL, &registers) != 0 ||
        !to_next_stop(stopped->tid) || !to_next_stop(stopped->tid) ||
        ptrace(PTRACE_GETREGS, stopped->tid, NULL, &registers) != 0)
        return false;
    if ((long)registers.rax < 0 && (long)registers.rax > -4096) {
        errno = (int)-(long)registers.rax;
        return false;
    }
    *result = registers.rax;
    return true;
}

#else

/* Other architectures have none of it; see interrupt.h. */
typedef int pinsight_syscalls_none;

#endif
