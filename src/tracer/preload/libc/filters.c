/*
 * Filters by which a program forbids itself system calls (seccomp(2)).
 *
 * The recorder opens a file whenever a buffer is full. In a program that has forbidden openat(2),
 * this would end the program. Therefore a new filter is evaluated here for the system calls of the
 * recorder, and the recorder is notified. A filter applies to the thread that installs it and to
 * its later threads and children, or to all threads (SECCOMP_FILTER_FLAG_TSYNC).
 *
 * A domain of Landlock (landlock_restrict_self(2)), which restricts the files that a thread may
 * open, is treated like a filter for the calling thread.
 *
 * Programs install filters by prctl() and syscall(), which libseccomp calls, too. Both make the
 * system call here: allocators call syscall() before libc's function can be looked up.
 */
#include "libc.h"

#include "tracer/record/recorder.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/bpf_common.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#ifndef SECCOMP_RET_LOG
#define SECCOMP_RET_LOG 0x7ffc0000u
#endif
#ifndef SECCOMP_RET_ACTION_FULL
#define SECCOMP_RET_ACTION_FULL 0xffff0000u
#endif

#ifndef SYS_landlock_restrict_self
#define SYS_landlock_restrict_self 446
#endif
#define LANDLOCK_OF_ALL_THREADS (1l << 3) /* LANDLOCK_RESTRICT_SELF_TSYNC */

#if defined(__x86_64__) && defined(__LP64__)

#define ARCHITECTURE AUDIT_ARCH_X86_64

static long call(long number, const long words[6]) {
    register long r10 __asm__("r10") = words[3];
    register long r8 __asm__("r8") = words[4];
    register long r9 __asm__("r9") = words[5];
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(words[0]), "S"(words[1]), "d"(words[2]), "r"(r10), "r"(r8),
                       "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

#elif defined(__aarch64__)

#define ARCHITECTURE AUDIT_ARCH_AARCH64

static long call(long number, const long words[6]) {
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = words[0];
    register long x1 __asm__("x1") = words[1];
    register long x2 __asm__("x2") = words[2];
    register long x3 __asm__("x3") = words[3];
    register long x4 __asm__("x4") = words[4];
    register long x5 __asm__("x5") = words[5];
    __asm__ volatile("svc 0"
                     : "+r"(x0)
                     : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                     : "memory");
    return x0;
}

#endif

#ifdef ARCHITECTURE

/* System calls for files, for looks at other threads, and for the description of a forked child. */
static const int of_files[] = {
#ifdef SYS_readlink
    SYS_readlink,
#endif
    SYS_uname,    SYS_getppid,   SYS_faccessat2,  SYS_openat,        SYS_close,     SYS_newfstatat,
    SYS_fstat,    SYS_read,      SYS_pwrite64,    SYS_mmap,          SYS_munmap,    SYS_ftruncate,
    SYS_geteuid,  SYS_fallocate, SYS_linkat,      SYS_rt_sigpending, SYS_faccessat, SYS_renameat,
    SYS_unlinkat, SYS_tgkill,    SYS_sched_yield,
};
/* System calls for asking another thread to work with files. */
static const int of_asking[] = {SYS_futex, SYS_rt_sigprocmask, SYS_getpid, SYS_gettid};
/* System calls with which signals wait for a fork, or until counts are written. */
static const int of_signals[] = {SYS_rt_sigprocmask, SYS_rt_sigtimedwait};
/* System calls with which threads are looked for after a fork. */
static const int of_folders[] = {SYS_getdents64};
/* System calls for the processor time. */
static const int of_clocks[] = {SYS_clock_gettime};

static void copy(void *to, const void *from, size_t size) {
    struct iovec into = {to, size}, out = {(void *)(uintptr_t)from, size};
    memset(to, 0, size);
    /* The kernel copies it, because the program's pointer may be invalid. */
    syscall(SYS_process_vm_readv, getpid(), &into, 1, &out, 1, 0);
}

static uint32_t word_at(const struct seccomp_data *data, uint32_t at) {
    uint32_t word = 0;
    if (at <= sizeof *data - sizeof word)
        memcpy(&word, (const char *)data + at, sizeof word);
    return word;
}

/* Returns the result of arithmetic. The kernel checks shifts and divisions, or refuses the
 * filter. */
static uint32_t compute(uint16_t code, uint32_t a, uint32_t b) {
    switch (BPF_OP(code)) {
    case BPF_ADD:
        return a + b;
    case BPF_SUB:
        return a - b;
    case BPF_MUL:
        return a * b;
    case BPF_DIV:
        return b ? a / b : 0;
    case BPF_OR:
        return a | b;
    case BPF_AND:
        return a & b;
    case BPF_XOR:
        return a ^ b;
    case BPF_LSH:
        return b < 32 ? a << b : 0;
    case BPF_RSH:
        return b < 32 ? a >> b : 0;
    default:
        return 0 - a; /* BPF_NEG */
    }
}

/* Returns the answer of a filter to a system call without arguments, or SECCOMP_RET_KILL if the
 * filter is invalid. */
static uint32_t ask(const struct sock_filter *filter, size_t count, int number) {
    const struct seccomp_data data = {.nr = number, .arch = ARCHITECTURE};
    uint32_t a = 0, x = 0, memory[BPF_MEMWORDS] = {0};

    for (size_t at = 0; at < count; at++) {
        const struct sock_filter *it = &filter[at];
        uint32_t other = BPF_SRC(it->code) == BPF_X ? x : it->k, *to = NULL;
        bool holds;
        switch (BPF_CLASS(it->code)) {
        case BPF_LD:
        case BPF_LDX:
            to = BPF_CLASS(it->code) == BPF_LD ? &a : &x;
            *to = BPF_MODE(it->code) == BPF_ABS   ? word_at(&data, it->k)
                  : BPF_MODE(it->code) == BPF_MEM ? memory[it->k % BPF_MEMWORDS]
                  : BPF_MODE(it->code) == BPF_LEN ? (uint32_t)sizeof data
                                                  : it->k;
            break;
        case BPF_ST:
        case BPF_STX:
            memory[it->k % BPF_MEMWORDS] = BPF_CLASS(it->code) == BPF_ST ? a : x;
            break;
        case BPF_ALU:
            a = compute(it->code, a, other);
            break;
        case BPF_JMP:
            if (BPF_OP(it->code) == BPF_JA) {
                at += it->k;
                break;
            }
            holds = BPF_OP(it->code) == BPF_JEQ   ? a == other
                    : BPF_OP(it->code) == BPF_JGT ? a > other
                    : BPF_OP(it->code) == BPF_JGE ? a >= other
                                                  : (a & other) != 0;
            at += holds ? it->jt : it->jf;
            break;
        case BPF_RET:
            return BPF_RVAL(it->code) == BPF_A ? a : it->k;
        default:
            if (BPF_MISCOP(it->code) == BPF_TAX)
                x = a;
            else
                a = x;
        }
    }
    return SECCOMP_RET_KILL;
}

static bool allows(const struct sock_fprog *program, const int *numbers, size_t count) {
    struct sock_filter filter[BPF_MAXINSNS];

    copy(filter, program->filter, program->len * sizeof *filter);
    for (size_t i = 0; i < count; i++) {
        uint32_t answer = ask(filter, program->len, numbers[i]) & SECCOMP_RET_ACTION_FULL;
        if (answer != SECCOMP_RET_ALLOW && answer != SECCOMP_RET_LOG)
            return false;
    }
    return true;
}
#define ALLOWS(program, numbers) allows(program, numbers, sizeof numbers / sizeof *numbers)

/* Notifies the recorder, and the shim's own parts, of a filter, and of calls other than those for
 * files that it forbids. */
static void notify_of_others(bool signals, bool clocks, bool folders) {
    pinsight_creates_wait(false); /* its pauses are a system call that the program may not do */
    pinsight_notify_restriction(PINSIGHT_RESTRICTION_FILTER);
    if (!folders)
        pinsight_threads_show_all();
    if (!clocks)
        pinsight_notify_restriction(PINSIGHT_RESTRICTION_CLOCKS);
    if (!signals) {
        pinsight_forks_block_no_signals();
        pinsight_notify_restriction(PINSIGHT_RESTRICTION_SIGNALS);
    }
}

/* The strict mode forbids all calls but read(), write(), and those that end the thread or a signal
 * handler. */
static enum pinsight_restriction strict_comes(void) {
    notify_of_others(false, false, false);
    pinsight_notify_restriction(PINSIGHT_RESTRICTION_ALL_CALLS);
    return PINSIGHT_RESTRICTION_ALL_CALLS;
}

/* Evaluates a new filter for the calling thread, or for all threads. Notifies the recorder if the
 * filter forbids a call that it needs. Returns the notification. */
static enum pinsight_restriction filter_comes(const void *given, bool for_all) {
    struct sock_fprog program;

    copy(&program, given, sizeof program);
    if (program.len == 0 || program.len > BPF_MAXINSNS)
        return PINSIGHT_RESTRICTION_DONE; /* the kernel will refuse the filter */
    notify_of_others(ALLOWS(&program, of_signals), ALLOWS(&program, of_clocks),
                     ALLOWS(&program, of_folders));
    bool may_ask = ALLOWS(&program, of_asking);
    if (may_ask && ALLOWS(&program, of_files))
        return PINSIGHT_RESTRICTION_DONE;
    enum pinsight_restriction kind =
        may_ask && !for_all ? PINSIGHT_RESTRICTION_CALLS : PINSIGHT_RESTRICTION_ALL_CALLS;
    pinsight_notify_restriction(kind);
    return kind;
}

/* Makes the system call after the notification `kind`. If the call fails, withdraws the
 * notification. */
static long call_and_notify(long number, const long words[6], enum pinsight_restriction kind) {
    long result = call(number, words);
    if (result < 0) {
        if (kind == PINSIGHT_RESTRICTION_CALLS || kind == PINSIGHT_RESTRICTION_ALL_CALLS)
            pinsight_notify_restriction(PINSIGHT_RESTRICTION_FAILED);
        errno = (int)-result;
        return -1;
    }
    return result;
}

/* Returns the notification for a system call of the program, if it is one that restricts it. */
static enum pinsight_restriction restriction_of(long number, const long words[6]) {
    bool by_prctl = number == SYS_prctl && words[0] == PR_SET_SECCOMP;
    if ((by_prctl && words[1] == SECCOMP_MODE_STRICT) ||
        (number == SYS_seccomp && words[0] == SECCOMP_SET_MODE_STRICT))
        return strict_comes();
    if (by_prctl && words[1] == SECCOMP_MODE_FILTER)
        return filter_comes((const void *)words[2], false);
    if (number == SYS_seccomp && words[0] == SECCOMP_SET_MODE_FILTER)
        return filter_comes((const void *)words[2], words[1] & SECCOMP_FILTER_FLAG_TSYNC);
    if (number == SYS_landlock_restrict_self && !(words[1] & LANDLOCK_OF_ALL_THREADS)) {
        pinsight_notify_restriction(PINSIGHT_RESTRICTION_CALLS);
        return PINSIGHT_RESTRICTION_CALLS;
    }
    return PINSIGHT_RESTRICTION_DONE;
}

PINSIGHT_EXPORT int prctl(int option, ...) {
    long words[6] = {option};
    va_list args;

    va_start(args, option);
    for (int i = 1; i < 5; i++)
        words[i] = va_arg(args, long);
    va_end(args);
    return (int)call_and_notify(SYS_prctl, words, restriction_of(SYS_prctl, words));
}

PINSIGHT_EXPORT long syscall(long number, ...) {
    long words[6];
    va_list args;

    va_start(args, number);
    for (int i = 0; i < 6; i++)
        words[i] = va_arg(args, long);
    va_end(args);
    return call_and_notify(number, words, restriction_of(number, words));
}

#endif
