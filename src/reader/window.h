/*
 * A part of a run: from the first begin of a region with a name to the last end of such a region.
 *
 * The trace is read for these times first. Then events outside of them are left out, as if the
 * trace were a chunk of that time. Definitions before it count for their names alone. Not
 * thread-safe.
 */
#ifndef PINSIGHT_READER_WINDOW_H
#define PINSIGHT_READER_WINDOW_H

#include "reader/ctf/event.h"
#include "reader/ctf/result.h"
#include "reader/hosts/corrections.h"

#include <signal.h>
#include <stdbool.h>

struct pinsight_region_window {
    uint64_t from_ns, until_ns;
};

/* Reads the trace for the times of a region, with the corrections of its hosts' clocks. Without an
 * end of the region, they last to the end of the trace. Returns 0, or -1 with result->error set.
 * The caller clears `result`. */
int pinsight_window_find(const char *path, const char *region, const volatile sig_atomic_t *stop,
                         const struct pinsight_host_corrections *corrections,
                         struct pinsight_region_window *window,
                         struct pinsight_source_result *result);

/* Returns the event that stands for an event in the window's part, or NULL if there is none. The
 * result may be `copy`. */
const struct pinsight_event *pinsight_window_event(const struct pinsight_region_window *window,
                                                   const struct pinsight_event *event,
                                                   struct pinsight_event *copy);

#endif
