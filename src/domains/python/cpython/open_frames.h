/* What runs in the calling thread, which holds the GIL: its frames, from the innermost on. */
#ifndef PINSIGHT_CPYTHON_OPEN_FRAMES_H
#define PINSIGHT_CPYTHON_OPEN_FRAMES_H

#include "domains/python/versions.h"

#include <stdbool.h>
#include <stddef.h>

struct pinsight_open_frame {
    void *identity;     /* as events know the execution */
    PyCodeObject *code; /* borrowed, for as long as the frame goes on */
    PyObject *globals;  /* likewise */
};

/* Writes the frames that have begun, `most` of them at most, and returns how many there are. */
size_t pinsight_open_frames(struct pinsight_open_frame *frames, size_t most);

#endif
