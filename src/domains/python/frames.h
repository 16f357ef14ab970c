/*
 * A set of executions that wait: generators and coroutines whose start was recorded, by their
 * frames. Only code with a window has one, so that what goes on is recorded if its start was.
 * Under the GIL.
 */
#ifndef PINSIGHT_PYTHON_FRAMES_H
#define PINSIGHT_PYTHON_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

struct pinsight_frames {
    uint32_t count, room; /* room is a power of two, more than half of it free */
    void **slots;
};

static inline bool pinsight_frames_any(const struct pinsight_frames *frames) {
    return frames && frames->count > 0;
}

/* Put a frame in; makes the set. Without memory the frame is not in it. */
void pinsight_frames_put(struct pinsight_frames **frames, void *frame);

/* Take a frame out; false if it is not in. */
bool pinsight_frames_take(struct pinsight_frames *frames, void *frame);

void pinsight_frames_free(struct pinsight_frames *frames);

#endif
