/*
 * The Python stacks of another process. The stacks are read from the memory of the running process,
 * which is not stopped, and executes nothing. The stack of a thread that runs Python at that moment
 * may be inconsistent. Impossible frames are left out.
 */
#ifndef PINSIGHT_ATTACH_STACKS_H
#define PINSIGHT_ATTACH_STACKS_H

#include "attach/runtime.h"

#include <stdbool.h>

/* A frame. The texts are valid during the call. */
struct pinsight_stack_frame {
    const char *function, *file; /* UTF-8 */
    int line;                    /* 0 if unknown */
};

struct pinsight_stack_thread {
    int tid;
    bool has_gil;
};

struct pinsight_stack_reader {
    /* Called for each thread, and then for its frames, the innermost first. */
    void (*thread)(void *data, const struct pinsight_stack_thread *thread);
    void (*frame)(void *data, const struct pinsight_stack_frame *frame);
    void *data;
};

/* Reads all threads of the main interpreter, the main thread first. Returns their number. */
int pinsight_stacks_read(const struct pinsight_runtime *runtime,
                         const struct pinsight_stack_reader *reader);

/* Returns the reason why a thread of a process waits in the kernel, such as "sleeps" or "waits for
 * a socket". The text is static. Returns NULL if the thread runs, or if its state cannot be
 * read. */
const char *pinsight_stack_waits(int pid, int tid);

#endif
