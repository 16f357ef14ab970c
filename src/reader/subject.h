/* The subject of an event, for views that print single events. */
#ifndef PINSIGHT_READER_SUBJECT_H
#define PINSIGHT_READER_SUBJECT_H

#include "reader/ctf/event.h"
#include "reader/model.h"

enum pinsight_moment {
    PINSIGHT_OTHER, /* neither the begin nor the end of a function or C call */
    PINSIGHT_FUNCTION_BEGIN,
    PINSIGHT_FUNCTION_END,
    PINSIGHT_C_CALL_BEGIN,
    PINSIGHT_C_CALL_END,
};

/* The subject, for inline and registry events alike. */
struct pinsight_subject {
    enum pinsight_moment moment;
    const char *name;                 /* name of the event in either encoding: "function_begin" */
    struct pinsight_process *process; /* NULL if unknown */
    struct pinsight_thread *thread;   /* NULL if unknown */
    int64_t tid;                      /* OS thread id, -1 if unknown */
    uint32_t function; /* the function, or the caller of a C call, or PINSIGHT_NONE */
    uint32_t callee;   /* the callee, or PINSIGHT_NONE */
    int32_t line;      /* of a call, 0 if unknown */
    const char *how;   /* such as "resume"; NULL if the event has no such field */
};

/* Returns the subject of an event. Called before pinsight_ingest(), so that the stack is as it was
 * before the event. */
struct pinsight_subject pinsight_subject_of(struct pinsight_model *model,
                                            const struct pinsight_event *event);

/* Returns whether the subject belongs to a process and to a thread. `thread` is a Python number or
 * an OS thread id. -1 selects all. A subject without a thread belongs to no single thread. */
bool pinsight_subject_is_of(const struct pinsight_subject *subject, int64_t process,
                            int64_t thread);

/* Returns the word for a value of an event's field, or NULL. */
const char *pinsight_subject_label(enum pinsight_event_id id, unsigned field, uint64_t value);

#endif
