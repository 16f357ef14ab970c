/* Whether a trace can be given to babeltrace2 as it is. */
#ifndef PINSIGHT_READER_CTF_SOUND_H
#define PINSIGHT_READER_CTF_SOUND_H

#include <stdbool.h>
#include <stddef.h>

/* Whether babeltrace2 may read a trace's folder. It does not come back from some metadata that is
 * cut off, and from packets without a size; and it ends the process over metadata that is empty and
 * over damaged index files. So all of these are looked at first. */
bool pinsight_sound_trace(const char *folder);

/* Whether the packets of a trace with this metadata (as text) have the layout of LTTng, which
 * packet.h knows. Other programs write CTF with other heads, which nobody here can look at. */
bool pinsight_sound_is_lttng(const char *metadata);

/* The text of a trace's metadata, to be freed, or NULL where nothing in it is of use; *damaged
 * tells whether some is missing. */
char *pinsight_sound_metadata(const char *folder, bool *damaged);

/* A whole file of at most 64 MiB, to be freed, or NULL; *size is set. */
unsigned char *pinsight_sound_file(const char *path, size_t *size);

#endif
