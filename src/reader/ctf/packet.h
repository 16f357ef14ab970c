/* The packets of stream and metadata files, as LTTng lays them out. Only used where babeltrace2
 * cannot read a file as it is, and for what it does not tell. */
#ifndef PINSIGHT_READER_CTF_PACKET_H
#define PINSIGHT_READER_CTF_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where the sizes are in a packet's head, and how long that is at least. */
#define PINSIGHT_PACKET_CONTENT_AT 48
#define PINSIGHT_PACKET_HEAD 84
#define PINSIGHT_PACKET_LEAST 72 /* bytes of a packet of ours without events */

/* What a stream file holds. All offsets and sizes are bytes. */
struct pinsight_packets {
    bool is_stream;       /* it starts with a packet of CTF */
    bool is_known;        /* its packets have the layout that is known here; else the rest is 0 */
    bool has_events;      /* some whole packet has more than its head */
    bool is_whole;        /* nothing but whole packets */
    uint64_t whole_size;  /* of the whole packets at its start */
    uint64_t cut_size;    /* of the packet after them, as its head has it; 0 where there is none */
    uint64_t cut_have;    /* how much of that packet is there */
    uint64_t cut_content; /* how much of it is content, as its head has it */
    bool cut_sane;        /* that packet's head can be trusted */
    bool big_endian;
    uint64_t first_discarded;               /* events discarded before the first packet ended */
    uint64_t last_discarded;                /* before the last whole packet ended */
    uint64_t first_sequence, last_sequence; /* numbers of those packets in their stream, from 0 */
    uint64_t instance;                      /* number of the stream in its trace */
};

/* Walks through the packets of a file by their heads. size is the file's. */
struct pinsight_packets pinsight_packets_scan(int fd, uint64_t size);

/* The text of a metadata file that is given as it stands on disk. A file that ends in the middle
 * gives the whole declarations before that; *damaged says so. Returns new memory ended by a zero
 * (its length without it in *length), or NULL where nothing in it is of use. */
char *pinsight_metadata_text(const unsigned char *data, size_t size, size_t *length, bool *damaged);

#endif
