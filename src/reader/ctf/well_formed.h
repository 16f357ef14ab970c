/* Finds out whether babeltrace2 can read a trace unchanged. */
#ifndef PINSIGHT_READER_CTF_WELL_FORMED_H
#define PINSIGHT_READER_CTF_WELL_FORMED_H

#include <stdbool.h>
#include <stddef.h>

/* Returns whether babeltrace2 may read a trace's folder. It hangs for some metadata that is cut off
 * and for packets without a size, and ends the process for empty metadata and damaged index files.
 * All of these are checked first. */
bool pinsight_well_formed_trace(const char *folder);

/* Returns whether the packets of a trace with this metadata (as text) have LTTng's layout, which
 * packet.h supports. Other programs write other heads. */
bool pinsight_well_formed_is_lttng(const char *metadata);

/* Returns the text of a trace's metadata, which the caller frees, or NULL if it has no useful part.
 * Sets *damaged if a part is missing. */
char *pinsight_well_formed_metadata(const char *folder, bool *damaged);

/* Returns the content of a file of at most 64 MiB, which the caller frees, or NULL. Sets *size. */
unsigned char *pinsight_well_formed_file(const char *path, size_t *size);

#endif
