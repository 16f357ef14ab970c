/* Finds the word that a user meant among known words. */
#ifndef PINSIGHT_BASE_WORDS_H
#define PINSIGHT_BASE_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* A name in a table, and the number that it stands for. */
struct pinsight_name_value {
    const char *name;
    unsigned value;
};

/* Returns whether the `length` bytes at `typed` are that word. All functions here ignore the case
 * of ASCII letters. Lists of words end with NULL. */
bool pinsight_word_is(const char *typed, size_t length, const char *word);

/* Return the index of `typed` in a list, or -1; and the word itself, or NULL. */
int pinsight_word_index(const char *typed, size_t length, const char *const *words);
const char *pinsight_word_find(const char *typed, size_t length, const char *const *words);

/* Returns the word with the smallest edit distance from `typed`, or NULL for an empty list. The
 * distance counts insertions, deletions, changes and swaps in the first 40 letters. Sets *near to
 * whether at most one letter or a third of the letters differ. */
const char *pinsight_word_nearest(const char *typed, size_t length, const char *const *words,
                                  bool *near);

/* Returns the nearest word if it is near, or else NULL. */
const char *pinsight_word_meant(const char *typed, const char *const *words);

/* Writes "a, b or c" to text. Returns text. */
const char *pinsight_word_list(const char *const *words, char *text, size_t room);

/* The word with a number among the words that follow, or `none`. */
#define PINSIGHT_WORD(number, none, ...)                                                           \
    __extension__({                                                                                \
        static const char *const words[] = {__VA_ARGS__};                                          \
        (size_t)(number) < sizeof(words) / sizeof(words[0]) ? words[number] : (none);              \
    })

#endif
