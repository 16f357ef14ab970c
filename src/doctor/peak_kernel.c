/* The loops of `pinsight doctor --peak`; see peak_kernel.h. */
#include "doctor/peak_kernel.h"

/* Independent sums hide the latency of a multiplication and addition: 5 cycles of 2 units on x86,
 * 4 cycles of 4 units on Arm. With the factor and the addend they fit the registers. */
#if defined(__x86_64__)
#define SUMS 12
#define EACH(use)                                                                                  \
    use(0) use(1) use(2) use(3) use(4) use(5) use(6) use(7) use(8) use(9) use(10) use(11)
#else
#define SUMS 16
#define EACH(use)                                                                                  \
    use(0) use(1) use(2) use(3) use(4) use(5) use(6) use(7) use(8) use(9) use(10) use(11) use(12)  \
        use(13) use(14) use(15)
#endif

#define START(i) vector s##i = factor + (number)i;
#define STEP(i) s##i = s##i * factor + addend;
#define ADD(i) all += s##i;

/* Defines a loop over vectors of so many bytes. Its numbers stay near 1, and the compiler must not
 * know them. A round has two steps of each sum. */
#define LOOP(name, of_type, bytes, ...)                                                            \
    __VA_ARGS__ static void name(uint64_t rounds) {                                                \
        typedef of_type number;                                                                    \
        typedef number vector __attribute__((vector_size(bytes)));                                 \
        volatile number seed = (number)0.999, rest = (number)0.001;                                \
        vector factor = (vector){0} + seed, addend = (vector){0} + rest, all = (vector){0};        \
        EACH(START)                                                                                \
        for (; rounds > 0; rounds--) {                                                             \
            EACH(STEP)                                                                             \
            EACH(STEP)                                                                             \
        }                                                                                          \
        EACH(ADD)                                                                                  \
        seed = all[0];                                                                             \
    }
#define OPERATIONS(type, bytes) (SUMS * 2 * 2 * (bytes) / sizeof(type))

/* Defines the loops of both precisions and their description. */
#define KERNEL(name, words, bytes, ...)                                                            \
    LOOP(name##_double, double, bytes, __VA_ARGS__)                                                \
    LOOP(name##_single, float, bytes, __VA_ARGS__)                                                 \
    static const struct pinsight_peak_kernel name = {                                              \
        words,                                                                                     \
        {OPERATIONS(double, bytes), OPERATIONS(float, bytes)},                                     \
        {name##_double, name##_single}};

#if defined(__x86_64__)

KERNEL(sse2, "SSE2", 16, )
KERNEL(avx, "AVX", 32, __attribute__((target("avx"))))
KERNEL(fma, "AVX2 and FMA", 32, __attribute__((target("avx2,fma"))))
KERNEL(avx512, "AVX-512", 64, __attribute__((target("avx512f"))))

const struct pinsight_peak_kernel *pinsight_peak_kernel(void) {
    return __builtin_cpu_supports("avx512f") ? &avx512
           : __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")
               ? &fma
               : (__builtin_cpu_supports("avx") ? &avx : &sse2);
}

#else

#if defined(__aarch64__)
KERNEL(generic, "NEON", 16, )
#else
KERNEL(generic, "vectors of 16 bytes", 16, )
#endif

const struct pinsight_peak_kernel *pinsight_peak_kernel(void) {
    return &generic;
}

#endif
