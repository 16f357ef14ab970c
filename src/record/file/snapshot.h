/*
 * Buffers as others than their process see them: to finish one, or to read one whose process goes
 * on. What stands in a file is not trusted.
 */
#ifndef PINSIGHT_RECORD_FILE_SNAPSHOT_H
#define PINSIGHT_RECORD_FILE_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/file/layout.h"

/* A buffer's file, mapped. */
struct pinsight_buffer_file {
    struct pinsight_buffer_head *head;
    size_t mapped;
};

enum pinsight_buffer_use {
    PINSIGHT_BUFFER_FINISH, /* to change it, in a folder that is own (base/own.h) */
    PINSIGHT_BUFFER_READ,   /* in a folder that is own */
    PINSIGHT_BUFFER_READ_STRANGE,
};

/* Maps a file of a folder. Returns 0 or an errno: ENODATA where it cannot be a buffer, EREMOTE
 * where it lies on another host or is gone, EPERM where a link is not followed (local.h). To be
 * unmapped. */
int pinsight_buffer_map(struct pinsight_buffer_file *file, int folder, const char *name,
                        enum pinsight_buffer_use use);

void pinsight_buffer_unmap(struct pinsight_buffer_file *file);

/* Whether its numbers can be. They cannot where its process had no time to fill them in. */
bool pinsight_buffer_is_sound(const struct pinsight_buffer_file *file);

/* Where packets of a buffer lie, as places in the stream's file. */
struct pinsight_buffer_places {
    uint64_t base;   /* of the first one */
    uint64_t packet; /* of the last one, which was being recorded; its head is to be filled in */
    uint64_t end;    /* of what is recorded; `packet` where that has no event */
};

/* Those of a buffer that is sound and is not recorded into. */
struct pinsight_buffer_places pinsight_buffer_places_of(const struct pinsight_buffer_head *head);

/* Fills in the head of the last packet, if it has events. `content`: the bytes from `base` on. */
void pinsight_buffer_fill_in(const struct pinsight_buffer_places *places, unsigned char *content,
                             uint64_t last, uint64_t lost_events);

enum pinsight_buffer_owner {
    PINSIGHT_OWNER_ENDED,
    PINSIGHT_OWNER_ALIVE,
    PINSIGHT_OWNER_ELSEWHERE, /* on another host, or in another space of process numbers */
};

/* What has become of its process. */
enum pinsight_buffer_owner pinsight_buffer_owner(const struct pinsight_buffer_head *head);

/* Is that a buffer's name, as folder.h has it? */
bool pinsight_buffer_is_name(const char *name);

/* What was in a buffer at one moment. */
struct pinsight_snapshot {
    /* Whole packets, with zeros behind them; NULL where nothing was recorded. A mapping. */
    unsigned char *packets;
    size_t size, mapped;
    uint64_t
        base; /* their place in the stream's file; what stands there from here on is the same */
    uint64_t last_packet; /* that of the last one, to which events may come */
    uint64_t last; /* the time of its last event, or later, but not later than the next one's */
    enum pinsight_buffer_owner owner;
};

/*
 * Copies what a buffer's file holds, while its process may go on; the path is the stream's, without
 * the dot. Returns 0; or an errno: ENOENT where there is no buffer, ENODATA where it was just made,
 * EBADMSG where its numbers cannot be, EAGAIN where it changed too often, EREMOTE and EPERM as
 * pinsight_buffer_map. To be cleared.
 */
int pinsight_snapshot_take(struct pinsight_snapshot *snapshot, const char *stream);

void pinsight_snapshot_clear(struct pinsight_snapshot *snapshot);

/* The time now by a folder's clock; UINT64_MAX where its control page cannot be read. Of use only
 * on the host that records there. */
uint64_t pinsight_snapshot_now(const char *folder);

#endif
