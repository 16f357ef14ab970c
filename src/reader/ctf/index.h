/* The index files that LTTng writes beside a trace's streams. babeltrace2 trusts them, and ends the
 * process where one is damaged. */
#ifndef PINSIGHT_READER_CTF_INDEX_H
#define PINSIGHT_READER_CTF_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether the content of an index file describes a stream file of some size from its start to its
 * end, packet after packet. */
bool pinsight_index_is_sound(const unsigned char *data, size_t size, uint64_t stream_size);

#endif
