/* Functions that `pinsight export` and `pinsight view` share. */
#ifndef PINSIGHT_CLI_EXPORTING_H
#define PINSIGHT_CLI_EXPORTING_H

#include "views/export/export.h"

#include <stdbool.h>

/* The option --sources, and its words in the order of enum pinsight_export_sources. */
extern const char *const pinsight_exporting_sources[];
#define CLI_SOURCES(place)                                                                         \
    CLI_OPTION(0, "sources", "WHICH",                                                              \
               "of a page: the text of your files (user, the default), also of libraries' files\n" \
               "that ran (all), or of none (none)",                                                \
               .kind = CLI_WORD, .at = place, .words = pinsight_exporting_sources)

/* Returns the name of an output in the current folder: "trace.csv" for the folder "/tmp/trace/" and
 * the suffix ".csv". The caller frees it. */
char *pinsight_exporting_output(const char *trace, const char *suffix);

/* Writes a trace in a format. Then calls `told`, which may be NULL, to report the output, and
 * reports the missing parts. Returns the exit status. */
int pinsight_exporting(const struct pinsight_export_format *format,
                       struct pinsight_export_options *options, bool quiet,
                       void (*told)(void *data, const struct pinsight_export *export), void *data);

#endif
