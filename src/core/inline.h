/* Hints for the compiler on hot paths. */
#ifndef PINSIGHT_CORE_INLINE_H
#define PINSIGHT_CORE_INLINE_H

#define PINSIGHT_LIKELY(x) __builtin_expect(!!(x), 1)
#define PINSIGHT_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define PINSIGHT_ALWAYS_INLINE static inline __attribute__((always_inline))

/* Read and write a plain number that other threads read and write too, without any order. */
#define PINSIGHT_GET(number) __atomic_load_n(&(number), __ATOMIC_RELAXED)
#define PINSIGHT_PUT(number, value) __atomic_store_n(&(number), value, __ATOMIC_RELAXED)

#endif
