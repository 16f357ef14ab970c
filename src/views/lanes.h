/* Processes and threads as viewers have them that know both by number alone: each process with a
 * number of its own and each thread likewise, for the whole trace, although processes on several
 * hosts, and threads and processes one after the other, may have the same ones. Where they have,
 * the later ones get numbers that no Linux gives. Also their names, and their order: by MPI rank,
 * and by number in their process. A stream of a device has a lane in its process as a thread has.
 * Not thread-safe. */
#ifndef PINSIGHT_VIEWS_LANES_H
#define PINSIGHT_VIEWS_LANES_H

#include "reader/timeline.h"

struct pinsight_lane_process {
    const struct pinsight_process *process;
    int32_t pid;      /* not 0, and no other's */
    uint32_t running; /* threads that do something, see pinsight_lane_runs */
    uint64_t last_ns; /* when that changed */
    uint64_t uuid[2]; /* the view's: of the process and of a counter of it; 0 before */
    char *shown;      /* the name that the viewer was told; owned; NULL before */
};

struct pinsight_lane {
    const struct pinsight_track *track; /* NULL once it is gone */
    uint32_t process; /* index among the lanes' processes: that which it is shown in */
    int32_t tid;      /* not 0, and no other's */
    uint64_t uuid;    /* the view's: of the track */
    uint64_t last_ns; /* of its events, see pinsight_lane_time */
    uint64_t arrives; /* the view's: the flow that the next slice begins with */
    bool running;     /* counted in its process's `running` */
    size_t written;   /* the view's: so many of the outermost open slices are written */
    char *shown;      /* as in the process */
};

/* All zero is empty; `model` is set by the owner. */
struct pinsight_lanes {
    const struct pinsight_model *model;
    struct pinsight_lane_process *processes;
    size_t process_count, process_capacity;
    struct pinsight_lane *threads; /* by the number of the track, less one */
    size_t thread_count, thread_capacity;
    struct pinsight_map process_map; /* from the index of a process */
    struct pinsight_map pids, tids;  /* numbers that are taken, to process or lane */
};

void pinsight_lanes_clear(struct pinsight_lanes *lanes);

/* The lane of a track, made at its first mention; valid until the next one is made. */
struct pinsight_lane *pinsight_lane_of(struct pinsight_lanes *lanes,
                                       const struct pinsight_track *track);

/* The process that a lane's thread is in, as is known now. Where it came to another one after the
 * lane was made (see adopt.h), the lane goes there too if `move`. */
struct pinsight_lane_process *pinsight_lane_process_of(struct pinsight_lanes *lanes,
                                                       struct pinsight_lane *lane, bool move);

/* The time of an event in a lane: not before the one before. */
uint64_t pinsight_lane_time(struct pinsight_lane *lane, uint64_t ns);

/* What the innermost slice of a lane is from its last time on, NULL for none: a thread runs in all
 * but OpenMP's waits, and a stream is no thread. Returns its process where the number of those that
 * run changed. */
struct pinsight_lane_process *pinsight_lane_runs(struct pinsight_lanes *lanes,
                                                 struct pinsight_lane *lane,
                                                 const struct pinsight_slice *innermost);

/* Where a process stands among all, and a thread among those of its process. */
int32_t pinsight_lane_process_order(const struct pinsight_lane_process *process);
int32_t pinsight_lane_order(const struct pinsight_lane *lane);

/* Sets *told to a name; returns whether it is another one than before. */
bool pinsight_lane_update(char **shown, const char *name);

#endif
