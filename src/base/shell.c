/* Words of a command in a shell's notation; see shell.h. */
#include "base/shell.h"

#include <string.h>

/* The notation of an apostrophe within apostrophes. */
static const char inner[] = "'\\''";

bool pinsight_shell_is_plain(const char *word, size_t length) {
    for (size_t i = 0; i < length; i++) {
        bool alphanumeric = (word[i] >= 'a' && word[i] <= 'z') ||
                            (word[i] >= 'A' && word[i] <= 'Z') ||
                            (word[i] >= '0' && word[i] <= '9');
        if (!alphanumeric && (word[i] == '\0' || !strchr("_-+=./:,@%", word[i])))
            return false;
    }
    return length > 0;
}

/* Returns the length of a word with its quotes. */
static size_t quoted_length(const char *word, size_t length) {
    size_t quoted = length + 2;

    if (pinsight_shell_is_plain(word, length))
        return length;
    for (size_t i = 0; i < length; i++)
        quoted += word[i] == '\'' ? sizeof(inner) - 2 : 0;
    return quoted;
}

/* Returns the length of the line, made of as many words as fit into `room`. Sets *used to their
 * length. */
static size_t measure(const char *text, size_t *used, size_t room) {
    size_t line = 0, start = 0;

    for (;;) {
        size_t blank = start > 0, whole = strnlen(text + start, *used - start), length = whole;

        if (line + blank + 2 >= room) {
            *used = start - blank;
            return line;
        }
        while (line + blank + quoted_length(text + start, length) >= room)
            length--;
        line += blank + quoted_length(text + start, length);
        start += length;
        if (length < whole || start >= *used) {
            *used = start;
            return line;
        }
        start++;
    }
}

void pinsight_shell_join(char *text, size_t used, size_t room) {
    if (used == 0) {
        text[0] = '\0';
        return;
    }
    /* Works backwards: the line is longer than the words, and never overwrites words that have not
     * been moved yet. */
    size_t to = measure(text, &used, room), end = used;
    text[to] = '\0';
    while (to > 0) {
        size_t start = end;
        while (start > 0 && text[start - 1] != '\0')
            start--;
        bool plain = pinsight_shell_is_plain(text + start, end - start);
        if (!plain)
            text[--to] = '\'';
        while (end > start) {
            char letter = text[--end];
            if (letter == '\'') {
                to -= sizeof(inner) - 1;
                memcpy(text + to, inner, sizeof(inner) - 1);
            } else {
                text[--to] = letter;
            }
        }
        if (!plain)
            text[--to] = '\'';
        if (start == 0)
            break;
        text[--to] = ' ';
        end = start - 1;
    }
}

char *pinsight_shell_next(char **rest) {
    char *at = *rest + strspn(*rest, " "), *word = at, *to = at;
    bool within = false;

    if (*at == '\0') {
        *rest = at;
        return NULL;
    }
    for (; *at != '\0' && (within || *at != ' '); at++) {
        if (*at == '\'')
            within = !within;
        else if (!within && at[0] == '\\' && at[1] == '\'')
            *to++ = *++at;
        else
            *to++ = *at;
    }
    *rest = *at != '\0' ? at + 1 : at;
    *to = '\0';
    return word;
}
