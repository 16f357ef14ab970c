/* Packets of a Perfetto trace, one after the other into a file: a slice begins or ends, a counter
 * has a value, a track is described. Knows nothing of the model. All packets are of one sequence,
 * in which names are written once and referred to by number from then on. The messages and fields
 * are those of Perfetto's public definitions (protos/perfetto/trace/trace_packet.proto and what it
 * imports). Not thread-safe; errors of writing are the file's. */
#ifndef PINSIGHT_VIEWS_PERFETTO_PACKET_H
#define PINSIGHT_VIEWS_PERFETTO_PACKET_H

#include "base/map.h"
#include "views/export/protobuf.h"
#include "views/slice_details.h"

#include <stdbool.h>
#include <stdio.h>

/* Kinds of names, which have numbers of their own. */
enum pinsight_perfetto_names {
    PINSIGHT_PERFETTO_CATEGORIES,
    PINSIGHT_PERFETTO_EVENTS,
    PINSIGHT_PERFETTO_DETAILS,
    PINSIGHT_PERFETTO_VALUES,
    PINSIGHT_PERFETTO_NAMES,
};

/* TrackEvent.Type */
enum pinsight_perfetto_type {
    PINSIGHT_PERFETTO_SLICE_BEGIN = 1,
    PINSIGHT_PERFETTO_SLICE_END = 2,
    PINSIGHT_PERFETTO_INSTANT = 3,
    PINSIGHT_PERFETTO_COUNTER = 4,
};

struct pinsight_perfetto {
    FILE *out;
    struct pinsight_map names[PINSIGHT_PERFETTO_NAMES]; /* from a text's address */
    uint32_t name_count[PINSIGHT_PERFETTO_NAMES];
    struct pinsight_bytes packet, event, added; /* that are being made */
    struct pinsight_bytes written;              /* and go into the file together */
    uint64_t ns;                                /* of the event */
    bool begun;                                 /* the first packet is written */
    bool refers;                                /* this packet refers to names */
};

void pinsight_perfetto_open(struct pinsight_perfetto *perfetto, FILE *out);
/* What was written is in the file after this. */
void pinsight_perfetto_flush(struct pinsight_perfetto *perfetto);
void pinsight_perfetto_clear(struct pinsight_perfetto *perfetto);

/* Begins an event on a track; what follows adds to it. */
void pinsight_perfetto_event(struct pinsight_perfetto *perfetto, enum pinsight_perfetto_type type,
                             uint64_t track, uint64_t ns);
/* Texts are any bytes, known by their address: they do not change or go before the end. */
void pinsight_perfetto_name(struct pinsight_perfetto *perfetto, const char *category,
                            const char *name);
void pinsight_perfetto_detail(struct pinsight_perfetto *perfetto,
                              const struct pinsight_slice_detail *detail);
/* A flow that leaves it, or passes through it on its way to others; or arrives at it. */
void pinsight_perfetto_leaves(struct pinsight_perfetto *perfetto, uint64_t flow);
void pinsight_perfetto_arrives(struct pinsight_perfetto *perfetto, uint64_t flow);
/* The value of a counter at its time, beside what else it is. */
void pinsight_perfetto_beside(struct pinsight_perfetto *perfetto, uint64_t counter, int64_t value);
/* Ends it. */
void pinsight_perfetto_write(struct pinsight_perfetto *perfetto);

void pinsight_perfetto_counter(struct pinsight_perfetto *perfetto, uint64_t track, int64_t value,
                               uint64_t ns);
/* Nanoseconds since 1970, as the clock of all times has them. */
void pinsight_perfetto_clock(struct pinsight_perfetto *perfetto, uint64_t ns);

/* Tracks. Names are any bytes. Processes and threads stand in the order of their `order`. */
void pinsight_perfetto_ordered(struct pinsight_perfetto *perfetto);
void pinsight_perfetto_process(struct pinsight_perfetto *perfetto, uint64_t uuid, int32_t pid,
                               int32_t order, const char *name, const char *command);
void pinsight_perfetto_thread(struct pinsight_perfetto *perfetto, uint64_t uuid, uint64_t process,
                              int32_t pid, int32_t tid, int32_t order, const char *name);
/* One without a thread, after those of them. */
void pinsight_perfetto_track(struct pinsight_perfetto *perfetto, uint64_t uuid, uint64_t process,
                             int32_t order, const char *name);
/* parent: a process, or 0 for a counter of the whole run. */
void pinsight_perfetto_counts(struct pinsight_perfetto *perfetto, uint64_t uuid, uint64_t parent,
                              const char *name, const char *unit);

#endif
