/* Shell wildcards; see wildcard.h. */
#include "config/wildcard.h"

#include <string.h>

/* The "]" of the set that begins at `set`, or NULL. One that stands first is in the set. */
static const char *set_end(const char *set) {
    const char *at = set + 1;

    if (*at == '!' || *at == '^')
        at++;
    if (*at == ']')
        at++;
    return strchr(at, ']');
}

static bool in_set(const char *set, const char *end, unsigned char letter) {
    const char *at = set + 1;
    bool negated = *at == '!' || *at == '^', found = false;

    for (at += negated; at < end; at++) {
        unsigned char first = (unsigned char)*at, last = first;
        if (at[1] == '-' && at + 2 < end) {
            last = (unsigned char)at[2];
            at += 2;
        }
        found |= letter >= first && letter <= last;
    }
    return found != negated;
}

/* After the letter of UTF-8 that `text` begins with. */
static const char *next_letter(const char *text) {
    text++;
    while (((unsigned char)*text & 0xC0) == 0x80)
        text++;
    return text;
}

/* Matches one letter, and moves both on; false if the pattern's next part does not. */
static bool step(const char **pattern, const char **text) {
    const char *p = *pattern, *end;

    if (*p == '?') {
        *pattern = p + 1;
        *text = next_letter(*text);
        return true;
    }
    if (*p == '[' && (end = set_end(p))) {
        if (!in_set(p, end, (unsigned char)**text))
            return false;
        *pattern = end + 1;
        *text = next_letter(*text);
        return true;
    }
    if (*p == '\\' && p[1])
        p++;
    if (*p != **text)
        return false;
    *pattern = p + 1;
    *text += 1;
    return true;
}

bool pinsight_config_wildcard(const char *pattern, const char *text) {
    const char *star = NULL, *from = NULL; /* after the last "*", and where its text ends so far */

    for (;;) {
        if (*pattern == '*') {
            star = ++pattern;
            from = text;
        } else if (!*text) {
            return !*pattern;
        } else if (!*pattern || !step(&pattern, &text)) {
            if (!star || !*from)
                return false;
            pattern = star;
            text = ++from;
        }
    }
}

unsigned pinsight_config_wildcard_letters(const char *pattern, bool *exact) {
    unsigned letters = 0;
    const char *end;

    while (*pattern) {
        if (*pattern == '*' || *pattern == '?') {
            *exact = false;
        } else if (*pattern == '[' && (end = set_end(pattern))) {
            *exact = false;
            pattern = end;
        } else {
            if (*pattern == '\\' && pattern[1])
                pattern++;
            letters++;
        }
        pattern++;
    }
    return letters;
}

bool pinsight_config_wildcard_path(const char *pattern, const char *path) {
    if (!strchr(pattern, '/')) {
        const char *last = strrchr(path, '/');
        return pinsight_config_wildcard(pattern, last && *path != '<' ? last + 1 : path);
    }
    if (pinsight_config_wildcard(pattern, path))
        return true;
    if (*pattern == '/' || *pattern == '<')
        return false;
    for (path = strchr(path, '/'); path; path = strchr(path, '/'))
        if (pinsight_config_wildcard(pattern, ++path))
            return true;
    return false;
}
