/* Exported functions of files that another process has loaded, found by the tables in its
 * memory. */
#ifndef PINSIGHT_ATTACH_SYMBOLS_H
#define PINSIGHT_ATTACH_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Looks for the first file of the process, in the order of addresses, that exports all `count`
 * functions. Writes their addresses to `addresses`. Returns false if there is none (errno is 0), or
 * if the process cannot be examined (errno is not 0). Examines only ELF files of this machine with
 * 64 bits and a GNU hash table (gABI chapter 5; DT_GNU_HASH).
 */
bool pinsight_symbols_find(int pid, const char *const *names, size_t count, uint64_t *addresses);

#endif
