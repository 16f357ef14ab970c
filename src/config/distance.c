/* How far two words are apart; see distance.h. */
#include "config/distance.h"

#include <ctype.h>

enum { LETTERS = PINSIGHT_DISTANCE_LETTERS_MAX };

static int least(int a, int b) {
    return a < b ? a : b;
}

int pinsight_config_distance(const char *a, size_t a_length, const char *b, size_t b_length) {
    int rows[3][LETTERS + 1];
    int *before = rows[0], *last = rows[1], *now = rows[2];

    a_length = a_length < LETTERS ? a_length : LETTERS;
    b_length = b_length < LETTERS ? b_length : LETTERS;
    for (size_t j = 0; j <= b_length; j++)
        last[j] = (int)j;
    for (size_t i = 1; i <= a_length; i++) {
        now[0] = (int)i;
        for (size_t j = 1; j <= b_length; j++) {
            int x = tolower((unsigned char)a[i - 1]), y = tolower((unsigned char)b[j - 1]);
            now[j] = least(least(last[j], now[j - 1]) + 1, last[j - 1] + (x == y ? 0 : 1));
            if (i > 1 && j > 1 && x == tolower((unsigned char)b[j - 2]) &&
                tolower((unsigned char)a[i - 2]) == y)
                now[j] = least(now[j], before[j - 2] + 1);
        }
        int *spare = before;
        before = last;
        last = now;
        now = spare;
    }
    return last[b_length];
}
