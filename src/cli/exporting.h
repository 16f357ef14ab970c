/* Functions that `pinsight export` and `pinsight view` share. */
#ifndef PINSIGHT_CLI_EXPORTING_H
#define PINSIGHT_CLI_EXPORTING_H

#include "views/export/export.h"

#include <stdbool.h>

/* Returns the name of an output in the current folder: "trace.csv" for the folder "/tmp/trace/" and
 * the suffix ".csv". The caller frees it. */
char *pinsight_exporting_output(const char *trace, const char *suffix);

/* Writes a trace in a format. Then calls `told`, which may be NULL, to report the output, and
 * reports the missing parts. Returns the exit status. */
int pinsight_exporting(const struct pinsight_export_format *format,
                       struct pinsight_export_options *options, bool quiet,
                       void (*told)(void *data, const struct pinsight_export *export), void *data);

#endif
