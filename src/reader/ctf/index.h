/* The index files that LTTng writes beside a trace's streams. */
#ifndef PINSIGHT_READER_CTF_INDEX_H
#define PINSIGHT_READER_CTF_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sets the size that a stream file had when the index file was written last, in bytes. LTTng writes
 * a packet before its entry. Returns false if the index file is damaged. */
bool pinsight_index_end(const unsigned char *data, size_t size, uint64_t *stream_size);

#endif
