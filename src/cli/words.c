/* Words that a user meant, found from what was typed. */
#include "cli/words.h"

#include "config/distance.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

const char *pinsight_word_nearest(const char *typed, const char *const *words) {
    size_t length = strlen(typed);
    const char *nearest = NULL;
    int best = PINSIGHT_DISTANCE_LETTERS_MAX;

    if (length == 0 || length > PINSIGHT_DISTANCE_LETTERS_MAX) {
        return NULL;
    }
    for (; *words != NULL; words++) {
        size_t word_length = strlen(*words);
        int far = pinsight_config_distance(typed, length, *words, word_length);
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
