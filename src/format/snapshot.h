/*
 * Access to buffers by other processes: to finish a buffer, or to read one whose process continues.
 * The content of the file is not trusted.
 */
#ifndef PINSIGHT_FORMAT_SNAPSHOT_H
#define PINSIGHT_FORMAT_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/layout.h"

/* The mapped file of a buffer. */
struct pinsight_buffer_file {
    struct pinsight_buffer_head *head;
    size_t mapped;
};

enum pinsight_buffer_use {
    PINSIGHT_BUFFER_FINISH, /* to change it, in a folder that is own (base/safe_files.h) */
    PINSIGHT_BUFFER_READ,   /* to read it, in a folder that is own */
    PINSIGHT_BUFFER_READ_STRANGE,
};

/* Maps the file of a buffer. Returns 0 or an errno: ENODATA if the file cannot be a buffer, EREMOTE
 * if it is on another host or gone, EPERM if a link is not followed (local.h). The caller unmaps
 * it. */
int pinsight_buffer_map(struct pinsight_buffer_file *file, int folder, const char *name,
                        enum pinsight_buffer_use use);

void pinsight_buffer_unmap(struct pinsight_buffer_file *file);

/* Returns whether the numbers in the head are possible. They are not if the process had no time to
 * fill them in. */
bool pinsight_buffer_is_sound(const struct pinsight_buffer_file *file);

/* Positions of a buffer's packets in the stream's file. */
struct pinsight_buffer_places {
    uint64_t base;   /* begin of the first packet */
    uint64_t packet; /* begin of the last packet, whose head has to be filled in */
    uint64_t end;    /* end of the data; equals `packet` if the last packet is empty */
};

/* Returns the positions in a sound buffer that no process records into. */
struct pinsight_buffer_places pinsight_buffer_places_of(const struct pinsight_buffer_head *head);

/* Fills in the head of the last packet, if it has events. `content` has the bytes from `base`
 * on. */
void pinsight_buffer_fill_in(const struct pinsight_buffer_places *places, unsigned char *content,
                             uint64_t last, uint64_t lost_events);

enum pinsight_buffer_owner {
    PINSIGHT_OWNER_ENDED,
    PINSIGHT_OWNER_ALIVE,
    PINSIGHT_OWNER_ELSEWHERE, /* on another host, or in another PID namespace */
};

/* Returns the state of the buffer's process. */
enum pinsight_buffer_owner pinsight_buffer_owner(const struct pinsight_buffer_head *head);

/* Returns whether a name is that of a buffer (folder.h). */
bool pinsight_buffer_is_name(const char *name);

/* The content of a buffer at one moment. */
struct pinsight_snapshot {
    /* Whole packets with zeros behind them, in a mapping; NULL if nothing was recorded. */
    unsigned char *packets;
    size_t size, mapped;
    uint64_t base;        /* position in the stream's file; the file is the same from here on */
    uint64_t last_packet; /* position of the last packet, which may grow */
    uint64_t last;        /* time of the last event, or later, but not after the next event */
    enum pinsight_buffer_owner owner;
};

/*
 * Copies the content of a buffer's file while its process may continue. `stream` is the path of the
 * stream, without the dot. Returns 0 or an errno: ENOENT if there is no buffer, ENODATA if it was
 * just made, EBADMSG if its numbers are impossible, EAGAIN if it changed too often, EREMOTE and
 * EPERM as for pinsight_buffer_map(). The caller clears the snapshot.
 */
int pinsight_snapshot_take(struct pinsight_snapshot *snapshot, const char *stream);

void pinsight_snapshot_clear(struct pinsight_snapshot *snapshot);

/* Returns the present time of a folder's clock, or UINT64_MAX if its control page cannot be read.
 * Valid only on the recording host. */
uint64_t pinsight_snapshot_now(const char *folder);

#endif
