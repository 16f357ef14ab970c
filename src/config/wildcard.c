/* Shell wildcards; see wildcard.h. */
#include "config/wildcard.h"

#include <stdint.h>
#include <string.h>

/* Returns the "]" that ends the set at `set`, or NULL. A "]" at the start of the set is a
 * member. */
static const char *set_end(const char *set) {
    const char *at = set + 1;

    if (*at == '!' || *at == '^')
        at++;
    if (*at == ']')
        at++;
    return strchr(at, ']');
}

/* Reads the UTF-8 letter at `*text` and advances. Returns a number that preserves the order of
 * letters. */
static uint32_t take_letter(const char **text) {
    uint32_t letter = (unsigned char)*(*text)++;

    for (bool more = letter >= 0xC0; more && ((unsigned char)**text & 0xC0) == 0x80;)
        letter = letter << 8 | (unsigned char)*(*text)++;
    return letter;
}

/* Returns whether a letter is in the set from `set` to `end`. */
static bool in_set(const char *set, const char *end, uint32_t letter) {
    const char *at = set + 1;
    bool negated = *at == '!' || *at == '^', found = false;

    for (at += negated; at < end;) {
        uint32_t first = take_letter(&at), last = first;
        if (*at == '-' && at + 1 < end) {
            at++;
            last = take_letter(&at);
        }
        found |= letter >= first && letter <= last;
    }
    return found != negated;
}

/* Matches one letter and advances in both. Returns false if the letter does not match. */
static bool step(const char **pattern, const char **text) {
    const char *p = *pattern, *end;

    if (*p == '?') {
        *pattern = p + 1;
        take_letter(text);
        return true;
    }
    if (*p == '[' && (end = set_end(p))) {
        if (!in_set(p, end, take_letter(text)))
            return false;
        *pattern = end + 1;
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
    const char *star = NULL, *from = NULL; /* after the last "*"; end of its match */

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
            take_letter(&from);
            text = from;
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
