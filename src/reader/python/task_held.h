/* What holds an event loop: of a thread, since the loop called back, the task that ran for longest
 * and the longest call. Part of the model; not thread-safe. */
#ifndef PINSIGHT_READER_PYTHON_TASK_HELD_H
#define PINSIGHT_READER_PYTHON_TASK_HELD_H

#include "reader/ctf/event.h"
#include "reader/frame.h"
#include "reader/model.h"

/* A loop was held by steps of a coroutine, or by a callback, because of one call in it. */
struct pinsight_task_held {
    const struct pinsight_process *process;
    uint32_t coroutine; /* row of coroutines, or PINSIGHT_NONE: a callback */
    uint32_t callback;  /* its name, and its function or PINSIGHT_NONE */
    uint32_t callback_function;
    struct pinsight_held_call call; /* the longest; self_ns is 0 where it is not known */
    uint64_t times, held_ns, longest_ns;
};

/* From how long on it is kept what held a loop. */
uint64_t pinsight_tasks_held_ns(const struct pinsight_model *model);

/* A call of a thread has ended that took so long: it may be what holds its loop. */
#define PINSIGHT_HELD_LEAST_NS 1000000u
void pinsight_tasks_note(struct pinsight_thread *thread, enum pinsight_kind kind, uint32_t id,
                         const struct pinsight_frame_times *times);

/* The loop of a thread calls a task back; a task that it called, or one in that, ran for so long;
 * and the loop goes on. */
void pinsight_task_held_begin(struct pinsight_thread *thread, uint64_t ns);
void pinsight_task_held_by(struct pinsight_thread *thread, uint32_t coroutine, uint64_t ns);
void pinsight_task_held_end(struct pinsight_model *model, struct pinsight_thread *thread,
                            uint64_t ns);

/* A task runs in a thread, or a loop has it that is not written in Python: then what that calls is
 * a callback. */
void pinsight_task_held_runs(struct pinsight_thread *thread, bool task_runs);

/* The event loop_held. */
void pinsight_task_held_callback(struct pinsight_model *model, struct pinsight_thread *thread,
                                 const struct pinsight_event *event);

#endif
