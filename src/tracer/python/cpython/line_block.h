/*
 * Reads line tables of CPython 3.11 and later, 16 bytes at a time, on x86-64. Calls nothing else.
 */
#ifndef PINSIGHT_CPYTHON_LINE_BLOCK_H
#define PINSIGHT_CPYTHON_LINE_BLOCK_H

#include "runtimes/line_table.h"

/* The bytes before a table that are read, too, and ignored. */
#define PINSIGHT_LINE_BEFORE 16

#ifdef __SSE2__
#include <emmintrin.h>

/* Returns 16 bytes from `from` on, with 0 in place of those before `at`. */
static inline __m128i pinsight_line_block(const unsigned char *from, const unsigned char *at) {
    static const unsigned char masks[32] = {[16] = 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                            0xff,        0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    return _mm_and_si128(
        _mm_loadu_si128((const __m128i *)(const void *)from),
        _mm_loadu_si128((const __m128i *)(const void *)(masks + 16 - (at - from))));
}

/* The slow alternative of pinsight_line_find_block(). It is not inlined, because few tables need
 * it. */
static __attribute__((noinline, cold, unused)) int32_t
pinsight_line_find_slow(const unsigned char *table, size_t length, int32_t line, long offset) {
    struct pinsight_line_range range;
    pinsight_line_begin(&range, table, length, line);
    return pinsight_line_find(&range, pinsight_line_next_locations, offset);
}

/* Like pinsight_line_find() with pinsight_line_next_locations(), for a table whose first line is
 * `first`. The bytes before the table must be readable, as in a bytes object. */
static inline int32_t pinsight_line_find_block(const unsigned char *table, size_t length,
                                               int32_t first, long offset) {
    enum { ONE_LINE = 10, TWO_LINES = 12, NONE = 15 };
    const unsigned char *at = table, *limit = table + length;
    const __m128i zero = _mm_setzero_si128();
    if (__builtin_expect(offset < 0 || length == 0 || !(*table & 0x80), 0))
        return pinsight_line_find_slow(table, length, first, offset);
    unsigned long left = (unsigned long)offset / PINSIGHT_INSTRUCTION;
    int32_t line = first;
    for (; at < limit; at += sizeof zero) {
        const unsigned char *from = limit - at < (ptrdiff_t)sizeof zero ? limit - sizeof zero : at;
        __m128i bytes = pinsight_line_block(from, at), heads = _mm_cmplt_epi8(bytes, zero);
        /* In each byte: the number of instructions in entries that begin up to there. */
        __m128i sums =
            _mm_sub_epi8(_mm_and_si128(_mm_and_si128(bytes, _mm_set1_epi8(7)), heads), heads);
        sums = _mm_add_epi8(sums, _mm_slli_si128(sums, 1));
        sums = _mm_add_epi8(sums, _mm_slli_si128(sums, 2));
        sums = _mm_add_epi8(sums, _mm_slli_si128(sums, 4));
        sums = _mm_add_epi8(sums, _mm_slli_si128(sums, 8));
        __m128i wanted = _mm_set1_epi8((char)(left < 255 ? left : 255));
        unsigned before =
            (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_subs_epu8(sums, wanted), zero));
        unsigned until = ~before & (before + 1); /* the byte in which the entry begins, if any */
        /* Entries up to there that may have another line than the entry before. */
        __m128i far = _mm_cmpgt_epi8(bytes, _mm_set1_epi8((char)(0x80 + 0x57)));
        unsigned others = (unsigned)_mm_movemask_epi8(_mm_and_si128(far, heads)) & (before | until);
        for (; others; others &= others - 1) {
            const unsigned char *head = from + __builtin_ctz(others);
            int32_t form = *head >> 3 & 15, delta = form - ONE_LINE;
            if (form > TWO_LINES) { /* a number of one byte follows in most cases */
                if (form != NONE && (head + 1 == limit || head[1] >= 64))
                    return pinsight_line_find_slow(table, length, first, offset);
                delta = form == NONE ? 0 : head[1] & 1 ? -(head[1] >> 1) : head[1] >> 1;
            }
            line = pinsight_line_add(line, delta);
        }
        if (__builtin_expect(before != 0xffff, 1))
            return (from[__builtin_ctz(until)] & 0x78) == 0x78 || line < 0 ? 0 : line;
        left -= (unsigned)_mm_extract_epi16(sums, 7) >> 8;
    }
    return 0;
}
#else
static inline int32_t pinsight_line_find_block(const unsigned char *table, size_t length,
                                               int32_t line, long offset) {
    struct pinsight_line_range range;
    pinsight_line_begin(&range, table, length, line);
    return pinsight_line_find_location(&range, offset);
}
#endif

#endif
