/* Sizes as users write them: 4096, 256K, 1M, 2G. */
#ifndef PINSIGHT_BASE_SIZE_H
#define PINSIGHT_BASE_SIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Reads a number of bytes: decimal digits and an optional suffix K, M, G or T (powers of 1024; "KB"
 * and "KiB" mean the same; case does not matter). Returns false for anything else, for a negative
 * number and for one that does not fit; *size is then untouched.
 */
bool pinsight_size_parse(const char *text, uint64_t *size);

/* Returns the smallest power of two that is not less than `size`, at most 2^63. */
uint64_t pinsight_size_power_of_two(uint64_t size);

/* Writes `size` in its short form, such as "256K" or "1000", into `room` bytes. Returns `text`. */
const char *pinsight_size_format(uint64_t size, char *text, size_t room);

#endif
