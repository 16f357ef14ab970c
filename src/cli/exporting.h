/* What `pinsight export` and `pinsight view` have in common. */
#ifndef PINSIGHT_CLI_EXPORTING_H
#define PINSIGHT_CLI_EXPORTING_H

#include "views/export/export.h"

#include <stdbool.h>

/* "trace.csv" of the folder "/tmp/trace/" and the suffix ".csv": in the current folder. To be
 * freed. */
char *pinsight_exporting_output(const char *trace, const char *suffix);

/* Writes a trace in a form. Then told(data) says what was written, which may be NULL; and what is
 * missing from it is said. Returns the exit status. */
int pinsight_exporting(const struct pinsight_export_format *format,
                       struct pinsight_export_options *options, bool quiet,
                       void (*told)(void *data, const struct pinsight_export *export), void *data);

#endif
