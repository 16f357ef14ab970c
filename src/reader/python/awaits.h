/* Who waits for the work of threads that have no Python: a pass of PyTorch's autograd is called
 * from Python, and done by threads of C++. What such a thread asks for is then of the Python that
 * waits for it, where one thread of the process alone does. Part of the model; not thread-safe.
 *
 * Functions and callables that wait so are known by name, see the tables in awaits.c. */
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

/* What is kept of a model; all zero is nothing. */
struct pinsight_awaits {
    uint32_t functions[PINSIGHT_AWAITS_MOST], callees[PINSIGHT_AWAITS_MOST];
    size_t function_count, callee_count;
    struct pinsight_map paths; /* that were made: parent, function and line */
    /* The last answer, and the slice that it is of. */
    const struct pinsight_thread *thread;
    uint64_t begin_ns;
    size_t depth;
    uint32_t path;
};

/* A function or a C callable has got its name: it may be one that waits. */
void pinsight_awaits_function(struct pinsight_model *model, uint32_t function);
void pinsight_awaits_callee(struct pinsight_model *model, uint32_t callee);

/* A thread was at a Python call path then. */
void pinsight_awaits_was_at(struct pinsight_thread *thread, uint32_t path, uint64_t ns);

/* The path at which a thread of a process waits for others' work; PINSIGHT_NONE where none does, or
 * several do (*several). Lines are those at which the thread was seen last, as far as it has not
 * left them; others are 0. */
uint32_t pinsight_awaits_path(struct pinsight_process *process, bool *several);

void pinsight_awaits_clear(struct pinsight_awaits *awaits);

#endif
