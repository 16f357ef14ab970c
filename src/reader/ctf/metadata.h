/* Metadata files. */
#ifndef PINSIGHT_READER_CTF_METADATA_H
#define PINSIGHT_READER_CTF_METADATA_H

#include <stdbool.h>
#include <stddef.h>

/* Returns the text of a trace's metadata, which the caller frees, or NULL if it has no useful part.
 * Sets *damaged if a part is missing. */
char *ctf_metadata_read(const char *folder, bool *damaged);

/* Returns the content of a file of at most 64 MiB, which the caller frees, or NULL. Sets *size. */
unsigned char *ctf_small_file(const char *path, size_t *size);

#endif
