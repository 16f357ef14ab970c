/*
 * Sets of paused executions: generators and coroutines whose start was recorded, keyed by their
 * frames. Each has its number (generators.h). Code with a window has a set, so that a resumed
 * execution is recorded if its start was. All code has one while generators are numbered. A set can
 * also hold other addresses. Under the GIL.
 */
#ifndef PINSIGHT_PYTHON_FRAMES_H
#define PINSIGHT_PYTHON_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

struct pinsight_waiting_frame {
    void *frame; /* NULL: free slot */
    uint32_t number;
};

struct pinsight_frames {
    uint32_t count, room; /* room is a power of two; more than half of the slots are free */
    struct pinsight_waiting_frame *slots;
};

static inline bool pinsight_frames_any(const struct pinsight_frames *frames) {
    return frames && frames->count > 0;
}

/* Adds a frame with a number, which may be 0. Makes the set if necessary. Does nothing if memory is
 * short. */
void pinsight_frames_put(struct pinsight_frames **frames, void *frame, uint32_t number);

/* Returns the number of a frame, or 0 if it is not in the set. */
uint32_t pinsight_frames_number(const struct pinsight_frames *frames, const void *frame);

/* Removes a frame. Returns false if it is not in the set. Sets *number, unless `number` is NULL, to
 * the frame's number or 0. */
bool pinsight_frames_take(struct pinsight_frames *frames, void *frame, uint32_t *number);

void pinsight_frames_free(struct pinsight_frames *frames);

#endif
