/* Closing the trace so far as a chunk of its own: what a recorder does for an introspection. */
#ifndef PINSIGHT_INTROSPECT_ROTATE_H
#define PINSIGHT_INTROSPECT_ROTATE_H

#include <limits.h>

#include "base/spawn.h"

enum pinsight_rotation_news {
    PINSIGHT_ROTATION_BEGUN = 'b',  /* events go into the next chunk from now on */
    PINSIGHT_ROTATION_DONE = 'd',   /* text: the folder of the chunk, which is complete */
    PINSIGHT_ROTATION_FAILED = 'f', /* text: why, a sentence */
};

/*
 * Starts it. A recorder may wait without limit, so a worker does it and sends packets of a kind and
 * text. To be ended with pinsight_worker_kill(): the rotation itself may go on. Returns 0, or an
 * errno.
 */
int pinsight_rotation_start(struct pinsight_worker *rotation, const char *session);

/* The next packet's kind, with its text, once `fd` is readable. If the process ended without a last
 * word, that is FAILED. */
enum pinsight_rotation_news pinsight_rotation_read(struct pinsight_worker *rotation,
                                                   char text[PATH_MAX]);

/* Who rotates, for messages; more than one. */
extern const char pinsight_rotation_actors[];

#endif
