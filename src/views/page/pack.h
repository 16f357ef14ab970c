/* How a page keeps data: whole numbers as variable bytes (LEB128), compressed (zlib's format, RFC
 * 1950), as base64. Not thread-safe. */
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

/* Adds a number: 7 bits a byte, the lowest first, the eighth bit set in all but the last. */
void page_bytes_number(struct page_bytes *bytes, uint64_t number);

/* The difference of two numbers, whose order is not known: twice it, one less where it is below 0.
 */
void page_bytes_difference(struct page_bytes *bytes, uint64_t from, uint64_t to);

/* Compressed bytes, to be freed. By the system's zlib where there is one, which is not linked; else
 * in blocks that are as long as they were. */
uint8_t *page_deflate(const void *bytes, size_t size, size_t *deflated);

/* The same without zlib. */
uint8_t *page_deflate_stored(const void *bytes, size_t size, size_t *deflated);

/* Writes them as base64 (RFC 4648), in lines of some length. */
void page_base64(FILE *out, const uint8_t *bytes, size_t size);

#endif
