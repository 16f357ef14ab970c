/* Finds the word that a user meant; see words.h. */
#include "base/words.h"

#include <stdio.h>
#include <string.h>

enum { LETTERS = 40 }; /* compared letters of a word */

/* Converts ASCII alone, whatever the program's locale is. */
static int lower(char letter) {
    return letter >= 'A' && letter <= 'Z' ? letter + ('a' - 'A') : letter;
}

static bool is_same(const char *a, const char *b, size_t length) {
    for (size_t i = 0; i < length; i++)
        if (lower(a[i]) != lower(b[i]))
            return false;
    return true;
}

bool pinsight_word_is(const char *typed, size_t length, const char *word) {
    return strlen(word) == length && is_same(typed, word, length);
}

static int least(int a, int b) {
    return a < b ? a : b;
}

/* Returns the distance of Damerau and Levenshtein, with swaps of neighbours only. */
static int distance(const char *a, size_t a_length, const char *b, size_t b_length) {
    int rows[3][LETTERS + 1];
    int *before = rows[0], *last = rows[1], *now = rows[2];

    a_length = a_length < LETTERS ? a_length : LETTERS;
    b_length = b_length < LETTERS ? b_length : LETTERS;
    for (size_t j = 0; j <= b_length; j++)
        last[j] = (int)j;
    for (size_t i = 1; i <= a_length; i++) {
        now[0] = (int)i;
        for (size_t j = 1; j <= b_length; j++) {
            int x = lower(a[i - 1]), y = lower(b[j - 1]);
            now[j] = least(least(last[j], now[j - 1]) + 1, last[j - 1] + (x == y ? 0 : 1));
            if (i > 1 && j > 1 && x == lower(b[j - 2]) && lower(a[i - 2]) == y)
                now[j] = least(now[j], before[j - 2] + 1);
        }
        int *spare = before;
        before = last;
        last = now;
        now = spare;
    }
    return last[b_length];
}

/* Returns the distance of a typed word. The begin of a word counts as near, however long the rest
 * is. */
static int distance_of(const char *typed, size_t length, const char *word) {
    size_t word_length = strlen(word);

    if (length >= 2 && length < word_length && is_same(typed, word, length))
        return 1;
    return distance(typed, length, word, word_length);
}

const char *pinsight_word_nearest(const char *typed, size_t length, const char *const *words,
                                  bool *near) {
    const char *nearest = NULL;
    int best = 0;

    for (; *words; words++) {
        int distance = distance_of(typed, length, *words);
        if (!nearest || distance < best) {
            best = distance;
            nearest = *words;
        }
    }
    int most = nearest ? (int)(strlen(nearest) + 2) / 3 : 0;
    *near = length > 0 && length <= LETTERS && nearest && best <= (most > 1 ? most : 1);
    return nearest;
}

const char *pinsight_word_meant(const char *typed, const char *const *words) {
    bool near;
    const char *nearest = pinsight_word_nearest(typed, strlen(typed), words, &near);

    return near ? nearest : NULL;
}

int pinsight_word_index(const char *typed, size_t length, const char *const *words) {
    for (int i = 0; words[i]; i++)
        if (pinsight_word_is(typed, length, words[i]))
            return i;
    return -1;
}

const char *pinsight_word_find(const char *typed, size_t length, const char *const *words) {
    int i = pinsight_word_index(typed, length, words);

    return i >= 0 ? words[i] : NULL;
}

const char *pinsight_word_list(const char *const *words, char *text, size_t room) {
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; words[i] != NULL && used + 1 < room; i++) {
        const char *between = i == 0 ? "" : words[i + 1] == NULL ? " or " : ", ";
        int n = snprintf(text + used, room - used, "%s%s", between, words[i]);
        used += n > 0 ? (size_t)n : 0;
    }
    return text;
}
