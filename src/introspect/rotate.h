/* Closes the trace so far as a chunk: the recorder's part of an introspection. */
#ifndef PINSIGHT_INTROSPECT_ROTATE_H
#define PINSIGHT_INTROSPECT_ROTATE_H

#include <limits.h>

#include "base/spawn.h"

enum pinsight_rotation_news {
    PINSIGHT_ROTATION_BEGUN = 'b',  /* later events go into the next chunk */
    PINSIGHT_ROTATION_DONE = 'd',   /* text: the folder of the complete chunk */
    PINSIGHT_ROTATION_FAILED = 'f', /* text: the reason, a sentence */
};

struct pinsight_rotated {
    const char *session, *output; /* of the run */
};

struct pinsight_rotator {
    /* Rotates in a process of its own, and reports each step with pinsight_rotation_send(). May
     * wait without limit. */
    void (*rotate)(int fd, const struct pinsight_rotated *what);
    const char *actors; /* the daemons that rotate, for messages; plural */
};

/* Defined in src/introspect/lttng/rotate.c. */
extern const struct pinsight_rotator pinsight_rotator_lttng;

/* Sends a step of the rotation, with a text. */
void pinsight_rotation_send(int fd, enum pinsight_rotation_news news, const char *text);

/*
 * Starts a rotation by the run's recorder. A worker rotates, and sends packets of a step and a
 * text. Ended with pinsight_worker_kill(), after which the rotation itself may continue. Returns 0
 * or an errno.
 */
int pinsight_rotation_start(struct pinsight_worker *rotation, const struct pinsight_rotated *what);

/* Reads the next packet: its step, and its text. Called when `fd` is readable. Returns FAILED if
 * the process ended without a final packet. */
enum pinsight_rotation_news pinsight_rotation_read(struct pinsight_worker *rotation,
                                                   char text[PATH_MAX]);

/* Returns the daemons that rotate, for messages; plural. */
const char *pinsight_rotation_actors(const struct pinsight_rotated *what);

#endif
