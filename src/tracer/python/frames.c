/* Sets of paused executions; see frames.h. Open addressing, linear probing. */
#include "tracer/python/frames.h"

#include <stdlib.h>

static uint32_t place(const struct pinsight_frames *frames, const void *frame) {
    uint64_t bits = (uint64_t)(uintptr_t)frame;
    return (uint32_t)(bits * 0x9e3779b97f4a7c15u >> 32) & (frames->room - 1);
}

/* Returns the slot of a frame, or the free slot for it. */
static uint32_t find(const struct pinsight_frames *frames, const void *frame) {
    uint32_t at = place(frames, frame);
    while (frames->slots[at].frame && frames->slots[at].frame != frame)
        at = (at + 1) & (frames->room - 1);
    return at;
}

static bool grow(struct pinsight_frames *frames) {
    struct pinsight_frames larger = {.room = frames->room ? frames->room * 2 : 16};
    larger.slots = calloc(larger.room, sizeof *larger.slots);
    if (!larger.slots)
        return false;
    for (uint32_t i = 0; i < frames->room; i++)
        if (frames->slots[i].frame)
            larger.slots[find(&larger, frames->slots[i].frame)] = frames->slots[i];
    larger.count = frames->count;
    free(frames->slots);
    *frames = larger;
    return true;
}

void pinsight_frames_put(struct pinsight_frames **set, void *frame, uint32_t number) {
    if (!*set && !(*set = calloc(1, sizeof **set)))
        return;
    struct pinsight_frames *frames = *set;
    if ((frames->count + 1) * 2 > frames->room && !grow(frames))
        return;
    uint32_t at = find(frames, frame);
    frames->count += !frames->slots[at].frame;
    frames->slots[at] = (struct pinsight_waiting_frame){.frame = frame, .number = number};
}

uint32_t pinsight_frames_number(const struct pinsight_frames *frames, const void *frame) {
    return pinsight_frames_any(frames) ? frames->slots[find(frames, frame)].number : 0;
}

bool pinsight_frames_take(struct pinsight_frames *frames, void *frame, uint32_t *number) {
    if (number)
        *number = 0;
    if (!pinsight_frames_any(frames))
        return false;
    uint32_t mask = frames->room - 1, hole = find(frames, frame);
    if (!frames->slots[hole].frame)
        return false;
    if (number)
        *number = frames->slots[hole].number;
    frames->count--;
    /* Items behind the hole move up if they may be there. */
    for (uint32_t at = (hole + 1) & mask; frames->slots[at].frame; at = (at + 1) & mask) {
        uint32_t home = place(frames, frames->slots[at].frame);
        if (((at - home) & mask) >= ((at - hole) & mask)) {
            frames->slots[hole] = frames->slots[at];
            hole = at;
        }
    }
    frames->slots[hole] = (struct pinsight_waiting_frame){0};
    return true;
}

void pinsight_frames_free(struct pinsight_frames *frames) {
    if (frames) {
        free(frames->slots);
        free(frames);
    }
}
