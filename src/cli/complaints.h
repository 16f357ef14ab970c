/* What is wrong with a word of the command line, as text for a message: all verbs say it alike. */
#ifndef PINSIGHT_CLI_COMPLAINTS_H
#define PINSIGHT_CLI_COMPLAINTS_H

#include <getopt.h>
#include <stddef.h>

/* A value that is none of `words` (a NULL ends them): names the nearest one and lists all. */
void pinsight_complaint_word(char *text, size_t room, const char *option, const char *typed,
                             const char *const *words);

/*
 * What getopt_long returned '?' or ':' (kind) for, right after it did. At most 31 options; those
 * without a short form have values of 256 and more.
 */
void pinsight_complaint_option(char *text, size_t room, const char *verb, int kind, char **argv,
                               const struct option *long_options);

#endif
