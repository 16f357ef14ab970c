/* Words that a user meant, found from what was typed. */
#ifndef PINSIGHT_CLI_WORDS_H
#define PINSIGHT_CLI_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The word of `words` (ended by NULL) that is nearest to `typed`, counted in letters to insert,
 * remove, change or swap, without regard to case; NULL if none is near (more than a third of its
 * letters, and more than one, differ).
 */
const char *pinsight_word_nearest(const char *typed, const char *const *words);

/* The word of `words` that `typed` is, without regard to case; NULL if it is none. */
const char *pinsight_word_find(const char *typed, size_t length, const char *const *words);

/* Writes "a, b or c" to text. Returns text. */
const char *pinsight_word_list(const char *const *words, char *text, size_t room);

#endif
