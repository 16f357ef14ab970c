/* Reads a whole trace into a model, and informs observers. */
#ifndef PINSIGHT_READER_TRACE_H
#define PINSIGHT_READER_TRACE_H

#include "reader/ctf/event.h"
#include "reader/ctf/result.h"
#include "reader/model.h"

#include <signal.h>
#include <stdbool.h>

/* The observers of the reading; all zero if there is none. A view that needs slices passes a
 * timeline to the model before (pinsight_model_show). */
struct trace_observers {
    /* Called once for each known event. For a definition, the model has taken it already. For any
     * other event the model takes it afterwards, so that the stacks are those before the event.
     * Definitions of earlier chunks are passed if `earlier` is set. A result other than 0 ends the
     * reading. May be NULL. */
    int (*on_event)(void *data, const struct pinsight_event *event);
    void (*on_turn)(void *data); /* called from time to time; may be NULL */
    void *data;
    bool earlier;
    /* The reading ends when this becomes true, which is checked after each event. May be NULL. */
    const bool *ended;
    unsigned threads;                  /* as in struct pinsight_source_options */
    bool progress;                     /* shows the progress of the reading on stderr */
    const volatile sig_atomic_t *stop; /* the reading ends soon after this is not 0; may be NULL */
};

/* Reads every trace in a folder and below it into a new model. Finishes the model: closes the open
 * frames. Does not finish it if an observer ended the reading. Returns 0, or -1 with result->error
 * set. The caller clears `result`. Not thread-safe. */
int trace_read(const char *path, struct pinsight_model *model,
               const struct trace_observers *observers, struct pinsight_source_result *result);

#endif
