/* The index files that LTTng writes beside a trace's streams. babeltrace2 trusts them, and ends the
 * process where one is damaged. */
#ifndef PINSIGHT_READER_CTF_INDEX_H
#define PINSIGHT_READER_CTF_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sets the size that a stream file had when the index file was written last, in bytes. LTTng writes
 * a packet before its entry. Returns false if the index file is damaged. */
bool pinsight_index_end(const unsigned char *data, size_t size, uint64_t *stream_size);

/* Returns whether an index file describes a whole stream file of `stream_size` bytes, packet after
 * packet. */
bool pinsight_index_is_sound(const unsigned char *data, size_t size, uint64_t stream_size);

#endif
