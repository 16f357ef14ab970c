/* Waits for the GIL: their durations, the waiting functions, and the functions that held the GIL
 * meanwhile. */
#ifndef PINSIGHT_READER_PYTHON_GIL_H
#define PINSIGHT_READER_PYTHON_GIL_H

#include "reader/ctf/event.h"
#include "reader/model.h"
#include "reader/python/exceptions.h"
#include "reader/python/gil_holders.h"
#include "reader/python/interpreters.h"
#include "reader/python/lines.h"
#include "reader/python/locks.h"
#include "reader/python/spans.h"
#include "reader/python/tasks.h"

/* A GIL of a process. */
struct pinsight_gil {
    const struct pinsight_process *process;
    uint32_t number; /* 0 for the main interpreter's */
    uint64_t waits, wait_ns, longest_ns;
    /* Time in which at least one thread waited for it; set at the end of the trace. */
    uint64_t wanted_ns;
    struct pinsight_spans wanted;
    uint64_t seen_ns, held_ns; /* time since the first wait; part of it with a holder */
    uint64_t loaded_ns;        /* when both were recorded last */
};

/* Sums of a function that waited for a GIL, or held one while others waited. */
struct pinsight_gil_function {
    uint32_t function; /* PINSIGHT_NONE if unknown */
    uint64_t waits, wait_ns, longest_ns;
    uint64_t held, held_ns; /* waits of others while it held the GIL */
};

/* Reasons why waits of a process are not recorded. The values are those of the event. */
enum pinsight_waits_unseen {
    PINSIGHT_WAITS_NOT_PRELOADED,
    PINSIGHT_WAITS_PLAIN,
    PINSIGHT_WAITS_NO_GIL,
    PINSIGHT_WAITS_UNKNOWN_PYTHON,
    PINSIGHT_WAITS_UNSEEN,
};

/* Python's state in the model. */
struct pinsight_python {
    size_t unseen[PINSIGHT_WAITS_UNSEEN]; /* number of processes */
    struct pinsight_map unseen_map;
    size_t replaced;        /* processes with a profiler of the program in PInsight's place */
    uint32_t replaced_path; /* of the start of the first one, or PINSIGHT_NONE */
    struct pinsight_interpreters interpreters;
    struct pinsight_gil *gils;
    size_t gil_count, gil_capacity;
    size_t gil_loads; /* number of records of a GIL's load */
    struct pinsight_gil_function *gil_functions;
    size_t gil_function_count, gil_function_capacity;
    struct pinsight_map gil_map, gil_function_map;
    struct pinsight_gil_holders gil_holders;
    struct pinsight_python_locks locks;
    struct pinsight_python_tasks tasks;
    struct pinsight_exceptions exceptions;
    struct pinsight_measured_lines lines;
};

/* Returns Python's state. Makes it at the first call. */
struct pinsight_python *pinsight_python_of(struct pinsight_model *model);

/* Returns Python's state, or NULL if there is none. */
static inline const struct pinsight_python *
pinsight_model_python(const struct pinsight_model *model) {
    return model->state[READER_PYTHON];
}

/* Take the events waits_unseen, gil_wait and gil_load. */
void pinsight_gil_take_unseen(struct pinsight_model *model, const struct pinsight_event *event);
void pinsight_gil_take(struct pinsight_model *model, const struct pinsight_event *event);
void pinsight_gil_take_load(struct pinsight_model *model, const struct pinsight_event *event);

/* Sets the times of the GILs at the end of the trace. */
void pinsight_gil_finish(struct pinsight_model *model);
void pinsight_gil_free(struct pinsight_python *python);

#endif
