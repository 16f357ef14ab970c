/* Shell wildcards for names of functions, files and modules. */
#ifndef PINSIGHT_CONFIG_WILDCARD_H
#define PINSIGHT_CONFIG_WILDCARD_H

#include <stdbool.h>

/*
 * Returns whether the pattern matches the whole text. "*" matches any number of characters,
 * including "/". "?" matches one UTF-8 character. "[ab]", "[a-z]" and "[!a]" match one character of
 * a set of ASCII characters. A backslash escapes the next character. "[" without "]" is an ordinary
 * character. The time is at most proportional to the product of both lengths. Thread-safe.
 */
bool pinsight_config_wildcard(const char *pattern, const char *text);

/* Returns the number of ordinary characters of a pattern. *exact says whether it has only those. */
unsigned pinsight_config_wildcard_letters(const char *pattern, bool *exact);

/*
 * Returns whether a pattern for files matches a path. A pattern without "/" is compared with the
 * last component of the path. A pattern that begins with "/" or "<" is compared with the whole
 * path. Any other pattern is compared with any number of last components.
 */
bool pinsight_config_wildcard_path(const char *pattern, const char *path);

#endif
