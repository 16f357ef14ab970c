/* Reading a whole trace into a model, while others look on. */
#ifndef PINSIGHT_READER_TRACE_H
#define PINSIGHT_READER_TRACE_H

#include "reader/ctf/event.h"
#include "reader/ctf/result.h"
#include "reader/model.h"

#include <signal.h>
#include <stdbool.h>

/* Who follows the reading; all zero is nobody. A view that wants slices gives the model a timeline
 * (pinsight_model_show) before. */
struct trace_observers {
    /* Called once for each known event: for a definition after the model took it, for any other
     * event before, so that the stacks are those that the event found. Names of earlier chunks are
     * told where `earlier` is set. Another value than 0 ends the reading. May be NULL. */
    int (*on_event)(void *data, const struct pinsight_event *event);
    void (*on_turn)(void *data); /* called now and then; may be NULL */
    void *data;
    bool earlier;
    const bool *ended; /* reading ends when this becomes true, which is looked at after each event;
                          may be NULL */
    unsigned threads;  /* as in struct pinsight_source_options */
    bool progress;     /* stderr shows how far the reading is */
    const volatile sig_atomic_t *stop; /* reading ends soon after this is not 0; may be NULL */
};

/* Reads every trace in a folder and below it into a new model, and finishes the model: what is open
 * at the end is closed. A model whose reading an observer ended is not finished. Returns 0, or -1
 * with result->error set. The caller clears result. Not thread-safe. */
int trace_read(const char *path, struct pinsight_model *model,
               const struct trace_observers *observers, struct pinsight_source_result *result);

#endif
