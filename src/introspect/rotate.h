/* Closing the trace so far as a chunk of its own, with liblttng-ctl (lttng-rotate(1)). */
#ifndef PINSIGHT_INTROSPECT_ROTATE_H
#define PINSIGHT_INTROSPECT_ROTATE_H

#include <limits.h>
#include <stdbool.h>

#include "base/spawn.h"

enum pinsight_rotation_news {
    PINSIGHT_ROTATION_BEGUN = 'b',  /* events go into the next chunk from now on */
    PINSIGHT_ROTATION_DONE = 'd',   /* text: the folder of the chunk, which is complete */
    PINSIGHT_ROTATION_FAILED = 'f', /* text: why, a sentence */
};

/*
 * Starts it. liblttng-ctl waits for the daemon without limit, so a worker does it and sends packets
 * of a kind and text. To be ended with pinsight_worker_kill(): the rotation itself goes on in the
 * daemon. Returns 0, or an errno.
 */
int pinsight_rotation_start(struct pinsight_worker *rotation, const char *session);

/* The next packet's kind, with its text, once `fd` is readable. If the process ended without a last
 * word, that is FAILED. */
enum pinsight_rotation_news pinsight_rotation_read(struct pinsight_worker *rotation,
                                                   char text[PATH_MAX]);

/* Is the disk with `folder` on it full? Then a chunk is cut off, though its rotation went well. */
bool pinsight_rotation_disk_is_full(const char *folder);

#endif
