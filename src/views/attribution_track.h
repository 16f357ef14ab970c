/* What the walk of attribution_walk.h keeps of a track. */
#ifndef PINSIGHT_VIEWS_ATTRIBUTION_TRACK_H
#define PINSIGHT_VIEWS_ATTRIBUTION_TRACK_H

#include "views/attribution_walk.h"

struct pinsight_walk_frame {
    uint64_t within_ns;       /* of what has no time of its own, see NOTHING */
    uint64_t within_away_ns;  /* of that, without a processor */
    uint64_t within_ready_ns; /* of that, it wanted one */
    uint32_t users; /* the user's function that is innermost, or what stands for it, or none */
    uint32_t at;    /* of users among the walk's pythons, plus one; 0 where it is not known */
    uint32_t path;  /* that native work here came from */
    uint8_t category, domain;
    bool outermost; /* users is not of the user's: there is none yet */
    bool caller;    /* this is the caller's side */
    bool python;    /* it is, or is in, Python */
    bool in_openmp; /* it is in something of OpenMP's */
    bool for_other; /* path is another thread's */
};

struct pinsight_walk_track {
    struct pinsight_walk_frame *frames;
    size_t depth, capacity;
    struct pinsight_attribution_thread sums;
    struct pinsight_host *host; /* NULL before there is CUDA */
    uint64_t first_ns, last_ns;
    bool caller, python;
};

#endif
