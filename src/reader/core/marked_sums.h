/* Regions and marks that the program names, summed up by name. Part of the model; not
 * thread-safe. */
#ifndef PINSIGHT_READER_CORE_MARKED_SUMS_H
#define PINSIGHT_READER_CORE_MARKED_SUMS_H

#include "base/map.h"
#include "reader/ctf/event.h"

#include <stddef.h>
#include <stdint.h>

struct pinsight_model;
struct pinsight_monitored;
struct pinsight_process;
struct pinsight_thread;

enum pinsight_marked_kind {
    PINSIGHT_MARKED_REGION,
    PINSIGHT_MARKED_MARK,
    PINSIGHT_MARKED_VALUE,
};

/* The executions of a name. Marks take no time. Each execution is in one of the three numbers. */
struct pinsight_marked {
    uint32_t name; /* string number */
    uint32_t kind; /* enum pinsight_marked_kind */
    uint64_t recorded, counted, outside;
    /* Of those that are recorded or counted. The total excludes a region within another one of its
     * name. */
    uint64_t total_ns, max_ns;
};

struct pinsight_open_regions;

struct pinsight_marked_sums {
    struct pinsight_marked *rows; /* in the order of their first events; at the end by time */
    size_t count, capacity;
    struct pinsight_open_regions *threads; /* with open regions */
    size_t thread_count, thread_capacity;
    uint64_t *outside; /* the last known number, by `outside_map` */
    size_t outside_count, outside_capacity;
    struct pinsight_map map, thread_map, outside_map, lexgion_map;
};

/* Take the begin and the end of a region of a thread. The end ends the innermost open region of
 * that name; without one, it has no effect. */
void pinsight_marked_sums_begin(struct pinsight_thread *thread, uint32_t name, uint64_t ns);
void pinsight_marked_sums_end(struct pinsight_thread *thread, uint32_t name, uint64_t ns);

/* Takes a mark or a value. */
void pinsight_marked_sums_moment(struct pinsight_model *model, enum pinsight_marked_kind kind,
                                 uint32_t name);

/* Takes a region that lasted from one time to another. */
void pinsight_marked_sums_range(struct pinsight_model *model, uint32_t name, uint64_t ns);

/* Takes a lexgion_profile of the domain User: counted executions in a thread. */
void pinsight_marked_sums_profile(struct pinsight_thread *thread,
                                  const struct pinsight_event *event,
                                  const struct pinsight_monitored *counted);

/* Takes a lexgion_outside. */
void pinsight_marked_sums_outside(struct pinsight_model *model, const struct pinsight_event *event);

/* Called at the end of the trace. Ends the open regions, and sorts the rows. */
void pinsight_marked_sums_finish(struct pinsight_model *model);

/* Frees the sums. */
void pinsight_marked_sums_free(struct pinsight_model *model);

#endif
