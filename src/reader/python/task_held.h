/* Tasks and calls that block an event loop. For each thread, since the loop called back: the
 * longest task and the longest call. Part of the model; not thread-safe. */
#ifndef PINSIGHT_READER_PYTHON_TASK_HELD_H
#define PINSIGHT_READER_PYTHON_TASK_HELD_H

#include "reader/ctf/event.h"
#include "reader/frame.h"
#include "reader/model.h"

/* Sums of times in which steps of a coroutine, or a callback, blocked a loop because of one
 * call. */
struct pinsight_task_held {
    const struct pinsight_process *process;
    const struct pinsight_thread *thread; /* the first loop's */
    uint32_t coroutine; /* index of the coroutine, or PINSIGHT_NONE for a callback */
    uint32_t callback;  /* its name, and its function or PINSIGHT_NONE */
    uint32_t callback_function;
    struct pinsight_held_call call;      /* the longest call; self_ns is 0 if it is unknown */
    uint64_t times, held_ns, longest_ns; /* without times without a processor */
};

/* Returns the shortest blocking that is kept, in ns. */
uint64_t pinsight_tasks_held_ns(const struct pinsight_model *model);

/* Notes a call of a thread that has ended. The call may be the one that blocks the loop. */
#define PINSIGHT_HELD_LEAST_NS 1000000u
void pinsight_tasks_note(struct pinsight_thread *thread, enum pinsight_kind kind, uint32_t id,
                         const struct pinsight_frame_times *times);

/* Take the begin of a callback in a thread's loop, the duration of a task in the callback, and its
 * end. */
void pinsight_task_held_begin(struct pinsight_thread *thread, uint64_t ns);
void pinsight_task_held_by(struct pinsight_thread *thread, uint32_t coroutine, uint64_t ns);
void pinsight_task_held_end(struct pinsight_model *model, struct pinsight_thread *thread,
                            uint64_t ns);

/* Notes whether a task runs in a thread. If a loop runs that is not written in Python, other calls
 * of it are callbacks. */
void pinsight_task_held_runs(struct pinsight_thread *thread, bool task_runs);

/* Takes the event loop_held. */
void pinsight_task_held_callback(struct pinsight_model *model, struct pinsight_thread *thread,
                                 const struct pinsight_event *event);

#endif
