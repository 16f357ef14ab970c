/*
 * The Python stacks of another process, read from its memory while it goes on: it is not stopped,
 * and executes nothing. The stack of a thread that runs Python at that moment may be torn: what
 * cannot be is left out.
 */
#ifndef PINSIGHT_ATTACH_STACKS_H
#define PINSIGHT_ATTACH_STACKS_H

#include "attach/runtime.h"

#include <stdbool.h>

/* A frame; the texts are the caller's for the time of the call. */
struct pinsight_stack_frame {
    const char *function, *file; /* UTF-8 */
    int line;                    /* 0: not known */
};

struct pinsight_stack_thread {
    int tid;
    bool has_gil;
};

struct pinsight_stack_reader {
    /* A thread, and then its frames, the innermost first. */
    void (*thread)(void *data, const struct pinsight_stack_thread *thread);
    void (*frame)(void *data, const struct pinsight_stack_frame *frame);
    void *data;
};

/* Reads all threads of the main interpreter, the main thread first. Returns how many there are. */
int pinsight_stacks_read(const struct pinsight_runtime *runtime,
                         const struct pinsight_stack_reader *reader);

/* What a thread of a process waits for in the kernel, such as "sleeps" or "waits for a socket": a
 * static text. NULL where it runs, or that is not to be seen. */
const char *pinsight_stack_waits(int pid, int tid);

#endif
