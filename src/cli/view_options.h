/* What the verbs that read a trace have in common on the command line. Each function says on
 * stderr what is wrong. */
#ifndef PINSIGHT_CLI_VIEW_OPTIONS_H
#define PINSIGHT_CLI_VIEW_OPTIONS_H

#include "reader/ctf/result.h"

#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>

/* Sets *choice to the index of value among words, which a NULL ends. Returns 0, or -1 after a
 * message that names the nearest word. */
int pinsight_option_word(const char *option, const char *value, const char *const *words,
                         int *choice);

/* Parses a decimal number from 0 to most. Returns 0, or -1 after a message. */
int pinsight_option_number(const char *option, const char *value, int64_t most, int64_t *number);

/* Parses a share from 0 to 100, with or without a percent sign. */
int pinsight_option_percent(const char *option, const char *value, double *number);

/* Says what is wrong where getopt_long returned '?' or ':' (kind). Returns 2, the exit status. */
int pinsight_option_error(const char *verb, int kind, char **argv,
                          const struct option *long_options);

/* Sets *trace to the one argument that is left at optind. Returns 0, or -1 after a message. */
int pinsight_option_trace(const char *verb, int argc, char **argv, const char **trace);

/* Warns of what is damaged in a trace that was read; and unless `quiet` of events that are missing.
 */
void pinsight_view_warn(const struct pinsight_source_result *source, bool quiet);

/* To be called where stdout could not be written (errno): a closed pipe is no error, everything
 * else is said. Returns the exit status. */
int pinsight_option_write_error(void);

#endif
