/* Matching of typed words with known words. */
#ifndef PINSIGHT_BASE_WORDS_H
#define PINSIGHT_BASE_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* A name in a table, and the number that it stands for. */
struct pinsight_name_value {
    const char *name;
    unsigned value;
};

/* Returns whether `typed`, of `length` bytes, is that word. All functions here ignore the case of
 * ASCII letters. Lists of words end with NULL. */
bool pinsight_word_is(const char *typed, size_t length, const char *word);

/* Returns the index of `typed` in a list, or -1; returns the word itself, or NULL. */
int pinsight_word_index(const char *typed, size_t length, const char *const *words);
const char *pinsight_word_find(const char *typed, size_t length, const char *const *words);

/* Returns the word with the smallest edit distance from `typed` (insertions, deletions, changes and
 * swaps, in the first 40 letters), or NULL for an empty list. *near says whether at most one letter
 * or a third of the letters differ. */
const char *pinsight_word_nearest(const char *typed, size_t length, const char *const *words,
                                  bool *near);

/* Returns the nearest word if it is near, or else NULL. */
const char *pinsight_word_meant(const char *typed, const char *const *words);

/* Writes "a, b or c" to text. Returns text. */
const char *pinsight_word_list(const char *const *words, char *text, size_t room);

/* The word of a number among those that follow; `none` where it has none. */
#define PINSIGHT_WORD(number, none, ...)                                                           \
    __extension__({                                                                                \
        static const char *const words[] = {__VA_ARGS__};                                          \
        (size_t)(number) < sizeof(words) / sizeof(words[0]) ? words[number] : (none);              \
    })

#endif
