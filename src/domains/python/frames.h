/*
 * Executions that wait: generators and coroutines whose start was recorded, by their frames, each
 * with its number (generators.h). Code has them that has a window, so that what goes on is recorded
 * if its start was, and all code while generators are numbered. Other addresses may be in a set of
 * their own. Under the GIL.
 */
#ifndef PINSIGHT_PYTHON_FRAMES_H
#define PINSIGHT_PYTHON_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

struct pinsight_waiting_frame {
    void *frame; /* NULL: the slot is free */
    uint32_t number;
};

struct pinsight_frames {
    uint32_t count, room; /* room is a power of two, more than half of it free */
    struct pinsight_waiting_frame *slots;
};

static inline bool pinsight_frames_any(const struct pinsight_frames *frames) {
    return frames && frames->count > 0;
}

/* Put a frame in, with a number that may be 0; makes the set. Without memory the frame is not in
 * it. */
void pinsight_frames_put(struct pinsight_frames **frames, void *frame, uint32_t number);

/* Its number; 0 if it is not in. */
uint32_t pinsight_frames_number(const struct pinsight_frames *frames, const void *frame);

/* Take a frame out; false if it is not in. *number, where `number` is not NULL, is its number, and
 * 0 if it is not in. */
bool pinsight_frames_take(struct pinsight_frames *frames, void *frame, uint32_t *number);

void pinsight_frames_free(struct pinsight_frames *frames);

#endif
