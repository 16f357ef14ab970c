/*
 * System calls for a thread without thread-local memory. They set no errno. PINSIGHT_RAW is
 * undefined if this file does not support the processor.
 */
#ifndef PINSIGHT_RECORD_FILE_RAW_H
#define PINSIGHT_RECORD_FILE_RAW_H

/* Attributes of functions that such a thread executes: the compiler must not add code that uses
 * thread-local memory. */
#if defined(__clang__) || __GNUC__ >= 11
#define PINSIGHT_RAW_UNGUARDED no_stack_protector,
#else
#define PINSIGHT_RAW_UNGUARDED
#endif

#if defined(__x86_64__) && defined(__LP64__)

#define PINSIGHT_RAW                                                                               \
    __attribute__((PINSIGHT_RAW_UNGUARDED no_sanitize("address", "thread", "undefined")))

#define PINSIGHT_RAW_SET_FS 0x1002 /* arch_prctl(2), ARCH_SET_FS */

/* Makes a system call. Returns its result, or minus an errno. */
static inline __attribute__((always_inline)) PINSIGHT_RAW long
pinsight_raw(long number, long first, long second, long third, long fourth) {
    register long r10 __asm__("r10") = fourth;
    register long r8 __asm__("r8") = 0;
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(first), "S"(second), "d"(third), "r"(r10), "r"(r8)
                     : "rcx", "r11", "memory");
    return result;
}

/* Returns the address of the calling thread's thread-local memory. */
static inline void *pinsight_raw_tls(void) {
    void *tls;
    __asm__("mov %%fs:0, %0" : "=r"(tls));
    return tls;
}

static inline __attribute__((always_inline)) PINSIGHT_RAW void pinsight_raw_set_tls(void *tls) {
    pinsight_raw(158 /* SYS_arch_prctl */, PINSIGHT_RAW_SET_FS, (long)tls, 0, 0);
}

#elif defined(__aarch64__)

#define PINSIGHT_RAW                                                                               \
    __attribute__((PINSIGHT_RAW_UNGUARDED no_sanitize("address", "thread", "undefined")))

static inline __attribute__((always_inline)) PINSIGHT_RAW long
pinsight_raw(long number, long first, long second, long third, long fourth) {
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = first;
    register long x1 __asm__("x1") = second;
    register long x2 __asm__("x2") = third;
    register long x3 __asm__("x3") = fourth;
    register long x4 __asm__("x4") = 0;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4) : "memory");
    return x0;
}

static inline void *pinsight_raw_tls(void) {
    void *tls;
    __asm__("mrs %0, tpidr_el0" : "=r"(tls));
    return tls;
}

static inline __attribute__((always_inline)) PINSIGHT_RAW void pinsight_raw_set_tls(void *tls) {
    __asm__ volatile("msr tpidr_el0, %0" : : "r"(tls));
}

#endif

#endif
