/* Declarations that `pinsight diff` and `pinsight compare` share: options, reading a run, and the
 * output. */
#ifndef PINSIGHT_CLI_DIFF_RUNS_H
#define PINSIGHT_CLI_DIFF_RUNS_H

#include "cli/options.h"
#include "views/diff/diff.h"

#include <signal.h>

/* The index of the page in cli_diff_format_words. The other indexes are those of enum
 * pinsight_format. */
#define CLI_DIFF_PAGE 2

/* The exit status if B takes more time than --fail-above allows. */
#define CLI_DIFF_ABOVE 3

/* Options of a verb whose structure has the members `options` (struct pinsight_diff_options),
 * `fail_above` (double; negative for no limit) and `quiet`. */
#define CLI_DIFF_OPTIONS(type)                                                                     \
    CLI_OPTION(0, "fail-above", "P",                                                               \
               "exit with status 3 if B takes P percent more time than A, beyond noise",           \
               .kind = CLI_PERCENT, .at = offsetof(type, fail_above)),                             \
        CLI_OPTION(0, "all", NULL, "rows without a change, too",                                   \
                   .at = offsetof(type, options.all)),                                             \
        CLI_OPTION(0, "min-change", "P",                                                           \
                   "leave out changes below P percent of the row's own time (default 5)",          \
                   .kind = CLI_PERCENT, .at = offsetof(type, options.min_change)),                 \
        CLI_OPTION(0, "min-share", "P",                                                            \
                   "leave out changes below P percent of the run's time (default 0.5)",            \
                   .kind = CLI_PERCENT, .at = offsetof(type, options.min_share)),                  \
        CLI_OPTION(                                                                                \
            0, "sort", "KEY", "by the change of self (default), total or calls, or by name",       \
            .kind = CLI_WORD, .at = offsetof(type, options.sort), .words = cli_diff_sort_words),   \
        CLI_OPTION(0, "limit", "N", "rows of a table, 0 for all (default 15; JSON: all)",          \
                   .kind = CLI_NUMBER, .at = offsetof(type, options.limit), .most = INT32_MAX),    \
        CLI_OPTION(0, "format", "FORMAT", "text (default), json or html", .kind = CLI_WORD,        \
                   .at = offsetof(type, options.format), .words = cli_diff_format_words)
extern const char *const cli_diff_sort_words[], *const cli_diff_format_words[];

/* Returns the defaults of the options, for output on stdout. */
struct pinsight_diff_options pinsight_diff_defaults(void);

/* Reads a trace into a side of the comparison. Returns 0, or -1 after a message. Raises *worst, the
 * exit status so far. */
int pinsight_diff_read(struct pinsight_diff *diff, unsigned side, const char *trace, bool quiet,
                       const volatile sig_atomic_t *stop, int *worst);

/* Writes a finished comparison to stdout. A page shows the traces of one run of A and one run of B.
 * `worst` is the exit status so far. Returns the exit status. */
int pinsight_diff_write(const struct pinsight_diff *diff,
                        const struct pinsight_diff_options *options, const char *const traces[2],
                        double fail_above, int worst);

#endif
