/* Words that a user meant, found from what was typed. */
#include "cli/words.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { LETTERS_MAX = 40 };

static int least(int a, int b) {
    return a < b ? a : b;
}

/* The distance of Damerau and Levenshtein, with swaps of neighbours only. */
static int distance(const char *a, size_t a_length, const char *b, size_t b_length) {
    int rows[3][LETTERS_MAX + 1];
    int *before = rows[0], *last = rows[1], *now = rows[2];

    for (size_t j = 0; j <= b_length; j++) {
        last[j] = (int)j;
    }
    for (size_t i = 1; i <= a_length; i++) {
        now[0] = (int)i;
        for (size_t j = 1; j <= b_length; j++) {
            int x = tolower((unsigned char)a[i - 1]), y = tolower((unsigned char)b[j - 1]);
            now[j] = least(least(last[j], now[j - 1]) + 1, last[j - 1] + (x == y ? 0 : 1));
            if (i > 1 && j > 1 && x == tolower((unsigned char)b[j - 2]) &&
                tolower((unsigned char)a[i - 2]) == y) {
                now[j] = least(now[j], before[j - 2] + 1);
            }
        }
        int *spare = before;
        before = last;
        last = now;
        now = spare;
    }
    return last[b_length];
}

const char *pinsight_word_nearest(const char *typed, const char *const *words) {
    size_t length = strlen(typed);
    const char *nearest = NULL;
    int best = LETTERS_MAX;

    if (length == 0 || length > LETTERS_MAX) {
        return NULL;
    }
    for (; *words != NULL; words++) {
        size_t word_length = strlen(*words);
        int far = distance(typed, length, *words, word_length);
        int most = (int)(word_length + 2) / 3;
        /* The beginning of a word is near, however long the rest is. */
        if (length >= 2 && strncasecmp(typed, *words, length) == 0) {
            far = 1;
        }
        if (far < best && far <= (most > 1 ? most : 1)) {
            best = far;
            nearest = *words;
        }
    }
    return nearest;
}

const char *pinsight_word_find(const char *typed, size_t length, const char *const *words) {
    for (; *words != NULL; words++) {
        if (strlen(*words) == length && strncasecmp(typed, *words, length) == 0) {
            return *words;
        }
    }
    return NULL;
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
