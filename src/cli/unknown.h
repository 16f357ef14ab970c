/* Words of the command line that nobody knows: a message names the nearest one. All verbs say it
 * alike. */
#ifndef PINSIGHT_CLI_UNKNOWN_H
#define PINSIGHT_CLI_UNKNOWN_H

#include <getopt.h>

/* A value that is none of `words`, which a NULL ends; the message lists all. */
void cli_unknown_word(const char *option, const char *typed, const char *const *words);

/* What getopt_long returned '?' or ':' (kind) for, right after it did. At most 31 options; those
 * without a short form have values of 256 and more. */
void cli_unknown_option(const char *verb, int kind, char **argv, const struct option *long_options);

#endif
