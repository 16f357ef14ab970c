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

struct pinsight_rotated {
    const char *session, *output; /* of the run */
};

struct pinsight_rotator {
    /* Rotates, in a process of its own, and says each piece of news with pinsight_rotation_send().
     * It may wait without limit. */
    void (*rotate)(int fd, const struct pinsight_rotated *what);
    const char *actors; /* who does it, for messages; more than one */
};

/* src/introspect/lttng/rotate.c */
extern const struct pinsight_rotator pinsight_rotator_lttng;

/* Says a piece of news, and text with it. */
void pinsight_rotation_send(int fd, enum pinsight_rotation_news news, const char *text);

/*
 * Starts a rotation by the recorder that the run has: a worker does it and sends packets of a kind
 * and text. To be ended with pinsight_worker_kill(): the rotation itself may go
 * on. Returns 0, or an errno.
 */
int pinsight_rotation_start(struct pinsight_worker *rotation, const struct pinsight_rotated *what);

/* The next packet's kind, with its text, once `fd` is readable. If the process ended without a last
 * word, that is FAILED. */
enum pinsight_rotation_news pinsight_rotation_read(struct pinsight_worker *rotation,
                                                   char text[PATH_MAX]);

/* Who rotates here, for messages; more than one. */
const char *pinsight_rotation_actors(const struct pinsight_rotated *what);

#endif
