/* The packets of stream and metadata files, in LTTng's layout. Used before the metadata is
 * known. */
#ifndef PINSIGHT_READER_CTF_PACKET_H
#define PINSIGHT_READER_CTF_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Position of the sizes in a packet's head, and the head's least length. */
#define PINSIGHT_PACKET_CONTENT_AT 48
#define PINSIGHT_PACKET_HEAD 84
#define PINSIGHT_PACKET_LEAST 72 /* bytes of a packet of PInsight without events */

/* The content of a stream file. All offsets and sizes are bytes. */
struct pinsight_packets {
    bool is_stream;      /* it starts with a packet of CTF */
    bool is_known;       /* its packets have this layout; else the rest is 0 */
    bool has_events;     /* a whole packet has more than its head */
    bool is_whole;       /* it has only whole packets */
    uint64_t whole_size; /* of the whole packets at its start */
    bool big_endian;
    /* events discarded before the end of the first packet */
    uint64_t first_discarded;
    uint64_t last_discarded;                /* before the end of the last whole packet */
    uint64_t first_sequence, last_sequence; /* numbers of these packets in their stream, from 0 */
    uint64_t instance;                      /* number of the stream in its trace */
};

/* Scans the heads of a file's packets. `size` is the file's. */
struct pinsight_packets pinsight_packets_scan(int fd, uint64_t size);

/* Returns the text of a metadata file from its content. If the file ends early, returns the whole
 * declarations before the end and sets *damaged. The result is new memory ended by a zero byte,
 * with its length in *length, or NULL if the file has no useful part. */
char *pinsight_metadata_text(const unsigned char *data, size_t size, size_t *length, bool *damaged);

#endif
