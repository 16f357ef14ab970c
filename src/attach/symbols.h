/* Functions that a file exports which another process has loaded, by the tables in its memory. */
#ifndef PINSIGHT_ATTACH_SYMBOLS_H
#define PINSIGHT_ATTACH_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Looks for the first file of the process, in the order of its addresses, that exports all `count`
 * functions, and writes their addresses there. Returns false where there is none, or where the
 * process cannot be looked at, which errno says (0 else). Only files of this machine's 64-bit ELF
 * with a GNU hash table are looked at (System V ABI, gABI chapter 5; DT_GNU_HASH).
 */
bool pinsight_symbols_find(int pid, const char *const *names, size_t count, uint64_t *addresses);

#endif
