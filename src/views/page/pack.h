/* The encoding of a page's data: integers in variable bytes (LEB128), compressed (zlib's format,
 * RFC 1950), as base64. Not thread-safe. */
#ifndef PINSIGHT_VIEWS_PAGE_PACK_H
#define PINSIGHT_VIEWS_PAGE_PACK_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* All zero is empty. */
struct page_bytes {
    uint8_t *bytes;
    size_t count, capacity;
};

void page_bytes_clear(struct page_bytes *bytes);

/* Adds a number: 7 bits a byte, the lowest first. The eighth bit is set in all bytes but the
 * last. */
void page_bytes_number(struct page_bytes *bytes, uint64_t number);

/* Adds the signed difference of two numbers. The stored number is twice the distance, minus one if
 * the difference is negative. */
void page_bytes_difference(struct page_bytes *bytes, uint64_t from, uint64_t to);

/* Returns compressed bytes, which the caller frees. The system's zlib is used, which is not linked.
 * Without zlib, the bytes are stored uncompressed. */
uint8_t *page_deflate(const void *bytes, size_t size, size_t *deflated);

/* Like page_deflate(), but without zlib. */
uint8_t *page_deflate_stored(const void *bytes, size_t size, size_t *deflated);

/* Writes bytes as base64 (RFC 4648), in lines. */
void page_base64(FILE *out, const uint8_t *bytes, size_t size);

#endif
