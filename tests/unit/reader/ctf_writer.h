/* Writes small CTF traces as LTTng-UST lays them out, for tests that need no LTTng. Every event
 * that the reader knows is described, with integers of 64 bits. */
#ifndef PINSIGHT_TEST_CTF_WRITER_H
#define PINSIGHT_TEST_CTF_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reader/events.h"

#define CTF_STREAMS 4
#define CTF_PACKET_SIZE 4096

struct ctf_stream {
    unsigned char packet[CTF_PACKET_SIZE];
    size_t used; /* bytes of the open packet, 0 where none is open */
    uint64_t begin_ns, end_ns;
    uint64_t sequence;
};

struct ctf_writer {
    char folder[64];
    bool contexts;   /* events carry vpid and vtid */
    bool by_threads; /* packets do: stream n is of thread 200 + n, and Python's events have none */
    struct ctf_stream streams[CTF_STREAMS];
};

/* Makes a folder with the metadata. extra is put behind it, or NULL. */
void ctf_open(struct ctf_writer *writer, bool contexts, const char *extra);

/* The same, with the threads in packets. */
void ctf_open_by_threads(struct ctf_writer *writer);

/* Writes an event of pid 100; the fields follow as uint64_t, int64_t or const char *, by their
 * kind. Those that are left out at the end are 0, or empty. */
#define ctf_event(writer, stream, ns, ...)                                                         \
    ctf_event_of(writer, stream, ns, CTF_COUNT(__VA_ARGS__) - 1, __VA_ARGS__)
void ctf_event_of(struct ctf_writer *writer, int stream, uint64_t ns, size_t field_count,
                  enum pinsight_event_id id, ...);

/* The number of its arguments: 1 to 20. */
#define CTF_COUNT(...)                                                                             \
    CTF_21ST(__VA_ARGS__, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define CTF_21ST(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, count, ...) count

/* Ends a stream's packet; discarded is the stream's count so far. */
void ctf_packet(struct ctf_writer *writer, int stream, uint64_t discarded);

/* Ends all packets that are open, with nothing discarded. */
void ctf_close(struct ctf_writer *writer);

/* Ends all packets that are open and moves what was written into a folder below the writer's, with
 * metadata in packets, as LTTng does when it rotates a trace. The streams go on. discarded is of
 * stream 0, the others have discarded nothing. */
void ctf_rotate(struct ctf_writer *writer, const char *chunk, uint64_t discarded);

/* The path of a file of the trace, in a static buffer: "stream_0", "metadata". */
const char *ctf_path(const struct ctf_writer *writer, const char *name);

/* Removes the folder, with chunks in it. */
void ctf_remove(struct ctf_writer *writer);

#endif
