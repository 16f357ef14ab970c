/* Copies of running traces. Each copy is a trace of its own, up to one moment. */
#ifndef PINSIGHT_FORMAT_DUMP_H
#define PINSIGHT_FORMAT_DUMP_H

#include <limits.h>

/*
 * Copies the data of this host's processes that record into `output`. `asked` is the name of the
 * new folder, or NULL for OUTPUT-dump-N. Writes the folder's path to `dump`. Sets *made if the
 * folder was made; it is removed if the copy fails. Returns 0 or an errno. Any process.
 */
int pinsight_file_dump(const char *asked, const char *output, char dump[PATH_MAX], int *made);

#endif
