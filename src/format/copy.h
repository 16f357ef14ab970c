/*
 * Copies of the data that the processes of a folder have recorded so far, while they continue. A
 * copy consists of whole packets, from the files of the streams and from the buffers. It is a trace
 * of its own, in another folder.
 */
#ifndef PINSIGHT_FORMAT_COPY_H
#define PINSIGHT_FORMAT_COPY_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The copied part of a stream. It ends at `pos`, in the packet that begins at `packet`. `last` is
 * the time there. */
struct pinsight_copied {
    char name[64];
    uint64_t packet, pos, last;
};

struct pinsight_copying {
    char folder[PATH_MAX], to[PATH_MAX]; /* folders of a host; `to` exists and has no stream */
    bool may_link;                /* files that do not change any more may become hard links */
    struct pinsight_copied *ends; /* the ends of the copied parts; the caller frees them */
    size_t count, capacity;
};

/* Returns the end of a stream's copied part. Makes it at the first call. */
struct pinsight_copied *pinsight_copied_of(struct pinsight_copying *copying, const char *name);

/* Copies the metadata, and the new part of each stream, whose end it advances. Returns 0 or an
 * errno. */
int pinsight_copy_all(struct pinsight_copying *copying);

/* Copies the heads of flight recorders. `ticks` is the time when the copy of all streams began;
 * later events are not part of the copy. Returns 0 or an errno. */
int pinsight_copy_rings(const struct pinsight_copying *copying, uint64_t ticks);

#endif
