/* Writes packets of a Perfetto trace to a file, independently of the model. A slice begins or ends,
 * a counter has a value, or a track is described. All packets form one sequence, in which a name is
 * written once, and later by its number. Perfetto's public definitions describe the messages and
 * fields (protos/perfetto/trace/trace_packet.proto and its imports). Not thread-safe. Errors of
 * writing stay in the file. */
#ifndef PINSIGHT_VIEWS_PERFETTO_PACKET_H
#define PINSIGHT_VIEWS_PERFETTO_PACKET_H

#include "base/map.h"
#include "views/export/protobuf.h"
#include "views/slice_details.h"

#include <stdbool.h>
#include <stdio.h>

/* Kinds of names. Each kind has numbers of its own. */
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
    struct pinsight_map names[PINSIGHT_PERFETTO_NAMES]; /* number, by the text's address */
    uint32_t name_count[PINSIGHT_PERFETTO_NAMES];
    struct pinsight_bytes packet, event, added; /* messages under construction */
    struct pinsight_bytes written; /* finished packets, which are written to the file together */
    uint64_t ns;                   /* time of the event */
    bool begun;                    /* the first packet was made */
    bool refers;                   /* the packet refers to names */
};

void pinsight_perfetto_open(struct pinsight_perfetto *perfetto, FILE *out);
/* Writes all finished packets to the file. */
void pinsight_perfetto_flush(struct pinsight_perfetto *perfetto);
void pinsight_perfetto_clear(struct pinsight_perfetto *perfetto);

/* Begins an event on a track. The functions below add to the event. */
void pinsight_perfetto_event(struct pinsight_perfetto *perfetto, enum pinsight_perfetto_type type,
                             uint64_t track, uint64_t ns);
/* Texts may have any bytes. A text is identified by its address, and must not change nor be freed
 * before the end. */
void pinsight_perfetto_name(struct pinsight_perfetto *perfetto, const char *category,
                            const char *name);
void pinsight_perfetto_detail(struct pinsight_perfetto *perfetto,
                              const struct pinsight_slice_detail *detail);
/* Adds a flow that leaves the event or passes through it, or one that arrives at the event. */
void pinsight_perfetto_leaves(struct pinsight_perfetto *perfetto, uint64_t flow);
void pinsight_perfetto_arrives(struct pinsight_perfetto *perfetto, uint64_t flow);
/* Adds the value of a counter at the event's time. */
void pinsight_perfetto_counter_value(struct pinsight_perfetto *perfetto, uint64_t counter,
                                     int64_t value);
/* Ends the event. */
void pinsight_perfetto_write(struct pinsight_perfetto *perfetto);

/* Write a value of a counter. */
void pinsight_perfetto_real(struct pinsight_perfetto *perfetto, uint64_t track, double value,
                            uint64_t ns);
void pinsight_perfetto_counter(struct pinsight_perfetto *perfetto, uint64_t track, int64_t value,
                               uint64_t ns);
/* Writes that times are nanoseconds since 1970, as those of the real time are. */
void pinsight_perfetto_clock(struct pinsight_perfetto *perfetto, uint64_t ns);

/* Describe tracks. Names may have any bytes. Processes and threads stand in the order of
 * `order`. */
void pinsight_perfetto_ordered(struct pinsight_perfetto *perfetto);
void pinsight_perfetto_process(struct pinsight_perfetto *perfetto, uint64_t uuid, int32_t pid,
                               int32_t order, const char *name, const char *command);
void pinsight_perfetto_thread(struct pinsight_perfetto *perfetto, uint64_t uuid, uint64_t process,
                              int32_t pid, int32_t tid, int32_t order, const char *name);
/* Describes a track without a thread, which stands after the threads. */
void pinsight_perfetto_track(struct pinsight_perfetto *perfetto, uint64_t uuid, uint64_t process,
                             int32_t order, const char *name);
/* Describes a counter. `parent` is a process, or 0 for the whole run. */
void pinsight_perfetto_counts(struct pinsight_perfetto *perfetto, uint64_t uuid, uint64_t parent,
                              const char *name, const char *unit);

#endif
