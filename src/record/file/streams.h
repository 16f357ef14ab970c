/*
 * Which streams a trace has: the file .streams of its folder, with the name of each stream on a
 * line. Whoever finishes the folder adds those that are new, so that one that is gone later is
 * missed. Streams of a flight recorder are in it once their process has ended, which drops files.
 */
#ifndef PINSIGHT_RECORD_FILE_STREAMS_H
#define PINSIGHT_RECORD_FILE_STREAMS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#define PINSIGHT_STREAMS_FILE ".streams"

/* Notes the streams of a folder that are not noted yet. `settled`: there is no buffer of a process
 * that goes on, or that cannot be reached. The caller holds the folder's lock. Returns 0 or an
 * errno. */
int pinsight_streams_note(int folder, bool settled);

/* How many of the noted streams are not there; the name of the first is put into `first`. 0 where
 * none were noted. Trusts nothing that stands in the file. */
size_t pinsight_streams_missing(int folder, char first[NAME_MAX + 1]);

#endif
