/* Executions that wait, beside a list that is searched. */
#include "tracer/python/frames.h"

#include "unit.h"

#include <stdlib.h>

#define MOST 2000

/* The same, plainly. */
static struct pinsight_waiting_frame model[MOST];
static size_t count;

static size_t find(const void *frame) {
    size_t at = 0;

    while (at < count && model[at].frame != frame)
        at++;
    return at;
}

static void put(struct pinsight_frames **frames, void *frame, uint32_t number) {
    size_t at = find(frame);

    pinsight_frames_put(frames, frame, number);
    model[at] = (struct pinsight_waiting_frame){.frame = frame, .number = number};
    count += at == count;
    assert_true(pinsight_frames_any(*frames));
    assert_int_equal((*frames)->count, count);
}

static void take(struct pinsight_frames *frames, void *frame) {
    size_t at = find(frame);
    uint32_t number = 1;

    assert_int_equal(pinsight_frames_take(frames, frame, &number), at < count);
    assert_int_equal(number, at < count ? model[at].number : 0);
    if (at < count)
        model[at] = model[--count];
    assert_int_equal(pinsight_frames_any(frames), count > 0);
}

static void look(const struct pinsight_frames *frames, const void *frame) {
    size_t at = find(frame);

    assert_int_equal(pinsight_frames_number(frames, frame), at < count ? model[at].number : 0);
}

/* Frames lie close to each other, are put in and taken out, and put in again. */
static void random_frames(void **state) {
    struct pinsight_frames *frames = NULL;

    (void)state;
    srand(1);
    for (uint32_t i = 0; i < 60000; i++) {
        void *frame = (void *)(16 * (1 + (uintptr_t)rand() % MOST));

        if (rand() % 100 < (i / 10000 % 2 ? 30 : 60))
            put(&frames, frame, i);
        else
            take(frames, frame);
        look(frames, frame);
        look(frames, (void *)(16 * (1 + (uintptr_t)rand() % MOST)));
    }
    while (count)
        take(frames, model[0].frame);
    pinsight_frames_free(frames);
}

static void nothing(void **state) {
    (void)state;
    take(NULL, &count);
    pinsight_frames_free(NULL);
}

int main(void) {
    return RUN_TESTS(random_frames, nothing);
}
