/* The frames of the calling thread, which holds the GIL, from the innermost outwards. */
#ifndef PINSIGHT_CPYTHON_OPEN_FRAMES_H
#define PINSIGHT_CPYTHON_OPEN_FRAMES_H

#include "tracer/python/versions.h"

#include <stdbool.h>
#include <stddef.h>

struct pinsight_open_frame {
    void *identity;     /* identity of the execution in events */
    PyCodeObject *code; /* borrowed while the frame is open */
    PyObject *globals;  /* borrowed while the frame is open */
};

/* Writes the frames that have begun, at most `most`. Returns their number. */
size_t pinsight_open_frames(struct pinsight_open_frame *frames, size_t most);

#endif
