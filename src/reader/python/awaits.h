/*
 * Threads that wait for the work of threads without Python. For example, Python calls a pass of
 * PyTorch's autograd, and threads of C++ do the work. The requests of such a thread belong to the
 * Python that waits for it, if only one thread of the process waits. Part of the model; not
 * thread-safe.
 *
 * Functions and callables that wait so are known by name; see the tables in awaits.c.
 */
#ifndef PINSIGHT_READER_PYTHON_AWAITS_H
#define PINSIGHT_READER_PYTHON_AWAITS_H

#include "base/map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pinsight_model;
struct pinsight_process;
struct pinsight_thread;

#define PINSIGHT_AWAITS_MOST 16

/* State in a model. All zero is empty. */
struct pinsight_awaits {
    uint32_t functions[PINSIGHT_AWAITS_MOST], callees[PINSIGHT_AWAITS_MOST];
    size_t function_count, callee_count;
    struct pinsight_map paths; /* made paths, by parent, function and line */
    /* The last result, and the slice that it was computed for. */
    const struct pinsight_thread *thread;
    uint64_t begin_ns;
    size_t depth;
    uint32_t path;
};

/* Called when a function or a C callable has got its name. Notes it if it is one that waits. */
void pinsight_awaits_function(struct pinsight_model *model, uint32_t function);
void pinsight_awaits_callee(struct pinsight_model *model, uint32_t callee);

/* Notes that a thread was at a Python call path at a time. */
void pinsight_awaits_was_at(struct pinsight_thread *thread, uint32_t path, uint64_t ns);

/* Returns the path at which a thread of a process waits for the work of others. Returns
 * PINSIGHT_NONE if there is none, or if there are several (sets *several). A frame's line is that
 * at which the thread was seen last, or 0 if it has left that line. */
uint32_t pinsight_awaits_path(struct pinsight_process *process, bool *several);

void pinsight_awaits_clear(struct pinsight_awaits *awaits);

#endif
