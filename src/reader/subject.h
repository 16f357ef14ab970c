/* What one event is about, for views that print single events. */
#ifndef PINSIGHT_READER_SUBJECT_H
#define PINSIGHT_READER_SUBJECT_H

#include "reader/ctf/event.h"
#include "reader/model.h"

enum pinsight_moment {
    PINSIGHT_OTHER, /* neither begin nor end of a function or C call */
    PINSIGHT_FUNCTION_BEGIN,
    PINSIGHT_FUNCTION_END,
    PINSIGHT_C_CALL_BEGIN,
    PINSIGHT_C_CALL_END,
};

/* The same for inline and registry events. */
struct pinsight_subject {
    enum pinsight_moment moment;
    const char *name; /* of the event, whichever encoding it has: "function_begin" */
    struct pinsight_process *process; /* NULL where the event does not say */
    struct pinsight_thread *thread;   /* likewise */
    int64_t tid;                      /* OS thread id, -1 where it is not known */
    uint32_t function; /* the function, or the caller of a C call; or PINSIGHT_NONE */
    uint32_t callee;   /* or PINSIGHT_NONE */
    int32_t line;      /* of a call, 0 where it is not known */
    const char *how;   /* such as "resume", NULL where the event has none */
};

/* To be asked before the event goes to pinsight_ingest, while the stack is as the event found it.
 */
struct pinsight_subject pinsight_subject_of(struct pinsight_model *model,
                                            const struct pinsight_event *event);

/* Whether it is of a process and of a thread, by its Python number or that of the operating system;
 * -1 is any. What is of no thread is of none in particular. */
bool pinsight_subject_is_of(const struct pinsight_subject *subject, int64_t process,
                            int64_t thread);

/* The word for a value of an event's field, or NULL. */
const char *pinsight_subject_label(enum pinsight_event_id id, unsigned field, uint64_t value);

#endif
