/* Messages about unknown words of the command line, with the nearest known word. All verbs use
 * them. */
#ifndef PINSIGHT_CLI_UNKNOWN_H
#define PINSIGHT_CLI_UNKNOWN_H

#include <getopt.h>

/* Reports a value that is none of `words`, which end with NULL. The message lists all. */
void cli_unknown_word(const char *option, const char *typed, const char *const *words);

/* Reports the option for which getopt_long() has just returned `kind`: '?' or ':'. There are at
 * most 31 options; those without a short form have values of 256 and more. */
void cli_unknown_option(const char *verb, int kind, char **argv, const struct option *long_options);

#endif
