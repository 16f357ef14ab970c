/* Reads the CTF traces in a folder, in the order of time. */
#ifndef PINSIGHT_READER_CTF_SOURCE_H
#define PINSIGHT_READER_CTF_SOURCE_H

#include "reader/ctf/event.h"
#include "reader/ctf/result.h"
#include "reader/ctf/run.h"
#include "reader/hosts/corrections.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct pinsight_source_options {
    /* Called for each event, in the order of time. The event is valid until it returns. A result
     * other than 0 ends the reading. */
    int (*on_event)(void *data, const struct pinsight_event *event);
    /* Takes the first events of a run instead, and returns their number. May be NULL. */
    size_t (*on_run)(void *data, const struct pinsight_run *run);
    /* Called at intervals with the number of events read so far. May be NULL. */
    void (*on_turn)(void *data, uint64_t events);
    void *data;
    bool ahead;        /* on_run may get events that commute before earlier ones of other streams */
    const bool *ended; /* reading ends after the event that sets this; may be NULL */
    /* Number of threads that read, including the calling one. 0: for a large trace the number of
     * processors, else one. The result does not depend on it. */
    unsigned threads;
    const volatile sig_atomic_t *stop; /* reading ends soon after this is not 0; may be NULL */
    /* Corrections of the hosts' clocks, by the hosts' names; NULL: none. */
    const struct pinsight_host_corrections *corrections;
    bool several_hosts; /* a trace of one host is not read */
};

/* Reads every trace in a folder and below it. Returns 0, or -1 with result->error. */
int pinsight_source_read(const char *path, const struct pinsight_source_options *options,
                         struct pinsight_source_result *result);

/* For the decoders. */

/* Sets the error that nothing of the found traces can be read. `cause` may be NULL. */
void pinsight_source_nothing(struct pinsight_source_result *result, const char *path,
                             const char *cause);

/* Returns whether all of the trace was read, so that the processes' counts can be compared with
 * it. */
bool pinsight_source_is_whole(const struct pinsight_source_result *result);

#endif
