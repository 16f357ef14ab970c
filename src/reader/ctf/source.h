/* Reads the CTF traces in a folder, in order of time. */
#ifndef PINSIGHT_READER_CTF_SOURCE_H
#define PINSIGHT_READER_CTF_SOURCE_H

#include "reader/ctf/event.h"
#include "reader/ctf/result.h"
#include "reader/ctf/run.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct pinsight_source_options {
    /* Called for each event, in order of time; the event lives until it returns. Another value than
     * 0 ends the reading. */
    int (*on_event)(void *data, const struct pinsight_event *event);
    /* Takes the first events of a run in place of that, and returns how many; may be NULL. */
    size_t (*on_run)(void *data, const struct pinsight_run *run);
    /* Called at intervals with the number of events read so far. May be NULL. */
    void (*on_turn)(void *data, uint64_t events);
    void *data;
    bool ahead;        /* on_run may get events that commute before earlier ones of other streams */
    const bool *ended; /* reading ends after the event by which this becomes true; may be NULL */
    /* Threads that read, this one among them; 0: of a large trace as many as there are processors,
     * else one. It makes no difference to what comes of it. */
    unsigned threads;
    const volatile sig_atomic_t *stop; /* reading ends soon after this is not 0; may be NULL */
};

/* Reads every trace in a folder and below it. Returns 0, or -1 with result->error set. */
int pinsight_source_read(const char *path, const struct pinsight_source_options *options,
                         struct pinsight_source_result *result);

/* For the ways from a trace to events. */

/* Sets the error that nothing of what was found can be read; cause may be NULL. */
void pinsight_source_nothing(struct pinsight_source_result *result, const char *path,
                             const char *cause);

/* Whether all of the trace was read, so that what processes counted can be held against it.
 */
bool pinsight_source_is_whole(const struct pinsight_source_result *result);

#endif
