/* Words that a user meant, found from what was typed. */
#ifndef PINSIGHT_BASE_WORDS_H
#define PINSIGHT_BASE_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* Is `typed`, of `length` bytes, that word? Letters of ASCII are compared without regard to case,
 * here and below; lists of words are ended by NULL. */
bool pinsight_word_is(const char *typed, size_t length, const char *word);

/* The number of the word in a list that `typed` is, and the word; -1 and NULL if it is none. */
int pinsight_word_index(const char *typed, size_t length, const char *const *words);
const char *pinsight_word_find(const char *typed, size_t length, const char *const *words);

/* The word that is nearest to `typed`, counted in letters to insert, remove, change or swap, of the
 * first 40; NULL only for an empty list. *near says whether no more than a third of its letters
 * differ, or one. */
const char *pinsight_word_nearest(const char *typed, size_t length, const char *const *words,
                                  bool *near);

/* The nearest word where it is near; else NULL. */
const char *pinsight_word_meant(const char *typed, const char *const *words);

/* Writes "a, b or c" to text. Returns text. */
const char *pinsight_word_list(const char *const *words, char *text, size_t room);

#endif
