/*
 * Processes and threads for viewers that identify both by number alone. Each process and each
 * thread has a number that is unique in the whole trace. Processes of several hosts may share a
 * number, and a number may be used again. A later owner then gets a number that Linux never gives.
 *
 * Lanes have names and an order, too: by MPI rank, and by number within the process. A stream of a
 * device has a lane in its process, like a thread. Not thread-safe.
 */
#ifndef PINSIGHT_VIEWS_LANES_H
#define PINSIGHT_VIEWS_LANES_H

#include "reader/timeline.h"

struct pinsight_lane_process {
    const struct pinsight_process *process;
    int32_t pid;      /* not 0; unique */
    uint32_t running; /* threads that run, see pinsight_lane_runs */
    uint64_t last_ns; /* time of the last change of `running` */
    uint64_t uuid[3]; /* set by the view: for the process and for counters of it; 0 before */
    char *shown;      /* the last name that the viewer got; owned; NULL before */
};

struct pinsight_lane {
    const struct pinsight_track *track; /* NULL once the track is gone */
    uint32_t process; /* index of the process that shows it, among the lanes' processes */
    int32_t tid;      /* not 0; unique */
    uint64_t uuid;    /* set by the view: of the track */
    uint64_t last_ns; /* of the last event, see pinsight_lane_time */
    uint64_t arrives; /* set by the view: the flow that the next slice begins with */
    bool running;     /* counts in its process's `running` */
    size_t written;   /* set by the view: number of outermost open slices that are written */
    char *shown;      /* like `shown` of the process */
};

/* All zero is empty. The owner sets `model`. */
struct pinsight_lanes {
    const struct pinsight_model *model;
    struct pinsight_lane_process *processes;
    size_t process_count, process_capacity;
    struct pinsight_lane *threads; /* by the number of the track, minus one */
    size_t thread_count, thread_capacity;
    struct pinsight_map process_map; /* index in `processes`, by the index of a process */
    struct pinsight_map pids, tids;  /* numbers in use, and their process or lane */
};

void pinsight_lanes_clear(struct pinsight_lanes *lanes);

/* Returns the lane of a track, and makes it at the first call. The lane is valid until the next
 * lane is made. */
struct pinsight_lane *pinsight_lane_of(struct pinsight_lanes *lanes,
                                       const struct pinsight_track *track);

/* Returns the process that a lane's thread belongs to, as far as known. A thread may get another
 * process after its lane was made (see adopt.h). With `move`, the lane moves to that process. */
struct pinsight_lane_process *pinsight_lane_process_of(struct pinsight_lanes *lanes,
                                                       struct pinsight_lane *lane, bool move);

/* Returns a process that has a lane, or NULL if it has none yet. */
struct pinsight_lane_process *pinsight_lane_process_find(struct pinsight_lanes *lanes,
                                                         const struct pinsight_process *process);

/* Returns the time of an event in a lane, but never a time before the lane's last event. */
uint64_t pinsight_lane_time(struct pinsight_lane *lane, uint64_t ns);

/* Notes the innermost slice of a lane, from its last time on. NULL means that no slice is open. A
 * thread runs in all slices except waits of OpenMP, and waits for the GIL or for a lock. A stream
 * is not a thread, and never runs. Returns the process if its number of running threads changed,
 * else NULL. */
struct pinsight_lane_process *pinsight_lane_runs(struct pinsight_lanes *lanes,
                                                 struct pinsight_lane *lane,
                                                 const struct pinsight_slice *innermost);

/* Return the position of a process among all, and of a thread within its process. */
int32_t pinsight_lane_process_order(const struct pinsight_lane_process *process);
int32_t pinsight_lane_order(const struct pinsight_lane *lane);

/* Sets *shown to a copy of a name. Returns whether the name is new. */
bool pinsight_lane_update(char **shown, const char *name);

#endif
