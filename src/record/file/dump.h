/* Copies of running traces, each a trace of its own: what its processes recorded up to a moment. */
#ifndef PINSIGHT_RECORD_FILE_DUMP_H
#define PINSIGHT_RECORD_FILE_DUMP_H

#include <limits.h>

/*
 * Copies what is there of this host's processes that record into `output`. `asked` is the new
 * folder's name, NULL for OUTPUT-dump-N. Puts the folder into `dump`; *made says whether it was
 * made, and it is removed where the copy fails. Returns 0 or an errno. Any process.
 */
int pinsight_file_dump(const char *asked, const char *output, char dump[PATH_MAX], int *made);

#endif
