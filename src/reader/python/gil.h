/* Waits for the GIL: for how long, in which functions, and which functions held it meanwhile. */
#ifndef PINSIGHT_READER_PYTHON_GIL_H
#define PINSIGHT_READER_PYTHON_GIL_H

#include "reader/ctf/event.h"
#include "reader/model.h"
#include "reader/python/gil_holders.h"
#include "reader/python/interpreters.h"
#include "reader/python/locks.h"
#include "reader/python/spans.h"
#include "reader/python/tasks.h"

/* A GIL of a process. */
struct pinsight_gil {
    const struct pinsight_process *process;
    uint32_t number; /* 0 is the main interpreter's */
    uint64_t waits, wait_ns, longest_ns;
    uint64_t wanted_ns; /* a thread waited for it, or several did; known when the trace has ended */
    struct pinsight_spans wanted;
    uint64_t seen_ns, held_ns; /* since the first wait; how long a thread held it of that */
};

/* A function that waited for a GIL, and that held one which others waited for. */
struct pinsight_gil_function {
    uint32_t function; /* or PINSIGHT_NONE where it is not known */
    uint64_t waits, wait_ns, longest_ns;
    uint64_t held, held_ns; /* waits of others for it */
};

/* Why waits are not seen in a process; the values are those of the event. */
enum pinsight_waits_unseen {
    PINSIGHT_WAITS_NOT_PRELOADED,
    PINSIGHT_WAITS_PLAIN,
    PINSIGHT_WAITS_NO_GIL,
    PINSIGHT_WAITS_UNKNOWN_PYTHON,
    PINSIGHT_WAITS_UNSEEN,
};

/* What Python keeps of the model. */
struct pinsight_python {
    size_t unseen[PINSIGHT_WAITS_UNSEEN]; /* processes */
    struct pinsight_map unseen_map;
    struct pinsight_interpreters interpreters;
    struct pinsight_gil *gils;
    size_t gil_count, gil_capacity;
    struct pinsight_gil_function *gil_functions;
    size_t gil_function_count, gil_function_capacity;
    struct pinsight_map gil_map, gil_function_map;
    struct pinsight_gil_holders gil_holders;
    struct pinsight_python_locks locks;
    struct pinsight_python_tasks tasks;
};

/* Made at the first mention. */
struct pinsight_python *pinsight_python_of(struct pinsight_model *model);

/* NULL where there is nothing. */
static inline const struct pinsight_python *
pinsight_model_python(const struct pinsight_model *model) {
    return model->state[READER_PYTHON];
}

/* The events waits_unseen, gil_wait and gil_load. */
void pinsight_gil_take_unseen(struct pinsight_model *model, const struct pinsight_event *event);
void pinsight_gil_take(struct pinsight_model *model, const struct pinsight_event *event);
void pinsight_gil_take_load(struct pinsight_model *model, const struct pinsight_event *event);

/* The trace has ended; all is freed. */
void pinsight_gil_finish(struct pinsight_model *model);
void pinsight_gil_free(struct pinsight_python *python);

#endif
