/*
 * Copies of what the processes of a folder recorded, while they go on: whole packets, of their
 * streams' files and of their buffers, in another folder, which is a trace of its own.
 */
#ifndef PINSIGHT_RECORD_FILE_COPY_H
#define PINSIGHT_RECORD_FILE_COPY_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How far a stream was copied: to `pos`, in the packet that begins at `packet`; and the time there.
 */
struct pinsight_copied {
    char name[64];
    uint64_t packet, pos, last;
};

struct pinsight_copying {
    char folder[PATH_MAX], to[PATH_MAX]; /* of a host; `to` is there, and has no stream */
    bool may_link;                /* files that do not change any more may become links to them */
    struct pinsight_copied *ends; /* where the copy goes on; to be freed by who made this */
    size_t count, capacity;
};

/* The end of a stream, made at its first mention. */
struct pinsight_copied *pinsight_copied_of(struct pinsight_copying *copying, const char *name);

/* Copies the metadata, and of each stream what is behind its end, which it moves. Returns 0, or an
 * errno. */
int pinsight_copy_all(struct pinsight_copying *copying);

/* Copies what flight recorders dropped, for a copy of all streams that was begun at this time
 * (ticks): what came later is not of it. Returns 0, or an errno. */
int pinsight_copy_rings(const struct pinsight_copying *copying, uint64_t ticks);

#endif
