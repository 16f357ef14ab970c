/*
 * The trampolines of BLAS, with an observer of this program's: arguments, results and frames pass
 * them. Needs no library, so that it can be built for another processor. Prints what is wrong.
 */
#include "tracer/preload/blas/trampolines.h"

#include "blas/count.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unwind.h>

#define ARGUMENTS                                                                                  \
    long a, long b, long c, long d, long e, long f, long g, long h, long i, long j, long k,        \
        long l, long m, long n, double x, double y
#define NUMBERS 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 0.5, 0.25
enum { WORDS = 14 };

static int failures;
#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition) && ++failures)                                                            \
            printf("line %d: %s\n", __LINE__, #condition);                                         \
    } while (0)

int main(void);

/* ---- the function behind the trampolines ---- */

static int calls;
static bool main_is_outside;
static void *seen_caller;
static const struct pinsight_blas_frame *seen_frame;

static _Unwind_Reason_Code look_at(struct _Unwind_Context *context, void *data) {
    (void)data;
    main_is_outside |= _Unwind_FindEnclosingFunction((void *)_Unwind_GetIP(context)) == main;
    return _URC_NO_REASON;
}

/* Wants a stack that is aligned, as movaps does. */
static bool is_aligned(void) {
    _Alignas(16) volatile char here[16];
    return (uintptr_t)here % 16 == 0 && (uintptr_t)__builtin_frame_address(0) % 16 == 0;
}

static void check_arguments(ARGUMENTS) {
    calls++;
    CHECK(a == 1 && b == 2 && c == 3 && d == 4 && e == 5 && f == 6 && g == 7);
    CHECK(h == 8 && i == 9 && j == 10 && k == 11 && l == 12 && m == 13 && n == 14);
    CHECK(x == 0.5 && y == 0.25);
    CHECK(is_aligned());
    main_is_outside = false;
    _Unwind_Backtrace(look_at, NULL);
    CHECK(main_is_outside);
}
#define PASSED a, b, c, d, e, f, g, h, i, j, k, l, m, n, x, y

struct pair {
    long first, second;
};
struct complex_number {
    double real, imaginary;
};

static __attribute__((noinline)) struct pair integers(ARGUMENTS) {
    seen_caller = __builtin_return_address(0);
    check_arguments(PASSED);
    return (struct pair){77, 78};
}
static __attribute__((noinline)) struct complex_number numbers(ARGUMENTS) {
    check_arguments(PASSED);
    return (struct complex_number){7.5, 8.5};
}

/* ---- the observer ---- */

static struct pinsight_blas_way way;
static unsigned seen_entry;
static const void *announced_caller;
static int returns;

/* Spoils the registers that a function may change. */
static void spoil(void) {
#if defined(__x86_64__)
    __asm__ volatile("pcmpeqd %%xmm0, %%xmm0\n pcmpeqd %%xmm1, %%xmm1\n xorl %%eax, %%eax\n"
                     "xorl %%ecx, %%ecx\n xorl %%edx, %%edx\n xorl %%esi, %%esi\n"
                     "xorl %%edi, %%edi\n xorl %%r8d, %%r8d\n xorl %%r9d, %%r9d\n"
                     "xorl %%r10d, %%r10d\n xorl %%r11d, %%r11d"
                     :
                     :
                     : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "xmm0", "xmm1");
#else
    __asm__ volatile("movi v0.16b, #255\n movi v1.16b, #255\n mov x0, #0\n mov x1, #0\n"
                     "mov x2, #0\n mov x3, #0\n mov x4, #0\n mov x5, #0\n mov x6, #0\n"
                     "mov x7, #0\n mov x8, #0\n mov x9, #0\n mov x16, #0\n mov x17, #0"
                     :
                     :
                     : "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x16", "x17",
                       "v0", "v1");
#endif
}

static __attribute__((noinline)) struct pinsight_blas_way called(struct pinsight_blas_frame *frame,
                                                                 unsigned entry) {
    seen_entry = entry;
    seen_frame = frame;
    announced_caller = frame->caller;
    for (int i = 0; i < WORDS; i++)
        CHECK((i < PINSIGHT_BLAS_REGISTERS
                   ? frame->registers[i]
                   : frame->stack[i - PINSIGHT_BLAS_REGISTERS]) == (uintptr_t)i + 1);
    CHECK(frame->numbers[0] == 0.5 && frame->numbers[1] == 0.25);
    CHECK(is_aligned());
    spoil();
    return way;
}

static __attribute__((noinline)) void returned(const struct pinsight_blas_frame *frame) {
    returns++;
    CHECK(frame == seen_frame);
    CHECK(is_aligned());
    spoil();
}

struct pinsight_blas_observers pinsight_blas_observers = {called, returned};

/* ---- look-ups ---- */

static void *next_dlsym(void *handle, const char *name) {
    CHECK(!strcmp(name, "not_ours"));
    return (char *)handle + 1;
}

void *(*pinsight_blas_dlsym)(void *, const char *) = next_dlsym;
void *dlsym(void *handle, const char *name);

struct pinsight_blas_lookup pinsight_blas_looked_up(void *handle, const char *name,
                                                    const void *caller) {
    CHECK(handle == &failures);
    CHECK(_Unwind_FindEnclosingFunction((char *)caller - 1) == main);
    return !strcmp(name, "ours") ? (struct pinsight_blas_lookup){&calls, 1}
                                 : (struct pinsight_blas_lookup){NULL, 0};
}

/* ---- calls ---- */

int main(void) {
    static const int64_t words[] = {-1, WORDS - PINSIGHT_BLAS_REGISTERS,
                                    WORDS - PINSIGHT_BLAS_REGISTERS + 2};
    static const unsigned entries[] = {0, 1, PINSIGHT_BLAS_FUNCTIONS - 1, PINSIGHT_BLAS_FUNCTIONS,
                                       PINSIGHT_BLAS_SETS * PINSIGHT_BLAS_FUNCTIONS - 1};
    int done = 0;
    for (size_t at = 0; at < sizeof words / sizeof *words; at++)
        for (size_t of = 0; of < sizeof entries / sizeof *entries; of++) {
            char *code = pinsight_blas_entries + entries[of] * PINSIGHT_BLAS_ENTRY_BYTES;
            way = (struct pinsight_blas_way){(void *)integers, words[at]};
            struct pair pair = ((struct pair(*)(ARGUMENTS))code)(NUMBERS);
            CHECK(pair.first == 77 && pair.second == 78);
            CHECK(seen_entry == entries[of]);
            CHECK(_Unwind_FindEnclosingFunction((char *)announced_caller - 1) == main);
            CHECK((seen_caller == announced_caller) == (words[at] < 0));
            way.to = (void *)numbers;
            struct complex_number number = ((struct complex_number(*)(ARGUMENTS))code)(NUMBERS);
            CHECK(number.real == 7.5 && number.imaginary == 8.5);
            done += 2;
            CHECK(calls == done);
            CHECK(returns == (words[at] < 0 ? 0 : done - 10));
        }
    CHECK(dlsym(&failures, "ours") == &calls);
    CHECK(dlsym(&failures, "not_ours") == (char *)&failures + 1);
    printf("%d calls, %d failures\n", done, failures);
    return failures != 0;
}
