/* Shell wildcards in names of code. */
#ifndef PINSIGHT_CONFIG_WILDCARD_H
#define PINSIGHT_CONFIG_WILDCARD_H

#include <stdbool.h>

/*
 * Does the pattern match the whole text? "*" is any letters, also "/" and none; "?" is one letter
 * (of UTF-8); "[ab]", "[a-z]", "[!a]" one letter of a set of ASCII letters; a backslash takes the
 * meaning from what follows; "[" that no "]" closes means itself. The time is at most the product
 * of both lengths. Any thread.
 */
bool pinsight_config_wildcard(const char *pattern, const char *text);

/* Counts the letters of a pattern that stand for themselves; false into *exact if there are others.
 */
unsigned pinsight_config_wildcard_letters(const char *pattern, bool *exact);

/*
 * Does a pattern for files match a path? A pattern without "/" is for the last part of the path; a
 * relative one for as many last parts as match; one that begins with "/" or "<" for the whole.
 */
bool pinsight_config_wildcard_path(const char *pattern, const char *path);

#endif
