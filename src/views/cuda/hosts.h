/* What threads do, and since when, in a run with CUDA. A state is a cause for which a device may be
 * idle, a function of the user's, the line in it and what is called there. Not thread-safe.
 *
 * Of a thread that calls CUDA there is a list of states, in the order of time, from its first call
 * on; of what is open then it is known when it began. The list has PINSIGHT_HOST_STATES entries at
 * most. When it is full, the one who has it is asked until when it is not needed any more; where
 * that does not make enough room, the older entries are joined in twos, and marked as coarse. Of
 * other threads there is the time in each state. */
#ifndef PINSIGHT_VIEWS_CUDA_HOSTS_H
#define PINSIGHT_VIEWS_CUDA_HOSTS_H

#include "reader/timeline.h"

#define PINSIGHT_HOST_STATES ((size_t)1 << 18)

/* What a thread does; also those that only an idle device tells of. */
enum pinsight_idle_cause {
    PINSIGHT_IDLE_NOTHING, /* nothing is known of the thread */
    PINSIGHT_IDLE_PYTHON,  /* it runs Python, or C that Python called, or waits in that */
    PINSIGHT_IDLE_LOADER,  /* it is in a data loader, which may wait for its workers */
    PINSIGHT_IDLE_GIL,
    PINSIGHT_IDLE_LOCK,
    PINSIGHT_IDLE_GC,
    PINSIGHT_IDLE_IMPORT,
    PINSIGHT_IDLE_NATIVE, /* MPI, OpenMP, another domain's runtime */
    PINSIGHT_IDLE_SYNC,   /* it waits for a device, a stream or an event */
    PINSIGHT_IDLE_COPY,
    PINSIGHT_IDLE_MEMORY, /* device memory, or pinned memory, is taken or given back */
    PINSIGHT_IDLE_MODULE, /* kernels are loaded */
    PINSIGHT_IDLE_CALL,   /* another call of CUDA */
    /* Of idle devices. */
    PINSIGHT_IDLE_LAUNCHES, /* the gap is a short one between calls of CUDA */
    PINSIGHT_IDLE_ASKED,    /* the work was asked for already */
    PINSIGHT_IDLE_CAUSES,
};

/* What a function of the user's calls: a number of the kind's. */
enum pinsight_callee_kind {
    PINSIGHT_CALLEE_NONE,
    PINSIGHT_CALLEE_FUNCTION, /* of Python */
    PINSIGHT_CALLEE_C,        /* index among the model's callees */
    PINSIGHT_CALLEE_CUDA,     /* index among CUDA's functions */
};

struct pinsight_host_state {
    uint32_t function; /* of the user's, or what stands for it; or PINSIGHT_NONE */
    int32_t line;      /* in it; 0 where it is not known */
    uint32_t callee;   /* a number of the kind's; or PINSIGHT_NONE */
    uint8_t callee_kind;
    uint8_t cause;
};

/* From a time on; and of a slice that is open, since when. */
struct pinsight_host_entry {
    uint64_t ns;
    uint32_t state; /* index */
    bool coarse;    /* it stands for others too */
};

struct pinsight_host_sum {
    uint32_t state;
    uint64_t ns;
};

/* A thread. */
struct pinsight_host {
    struct pinsight_hosts *hosts;
    uint32_t process;                /* index */
    bool calls;                      /* it called CUDA */
    struct pinsight_host_entry last; /* of one that did not: what it does */
    struct pinsight_host_sum *sums;  /* and did */
    size_t sum_count, sum_capacity;
    struct pinsight_map sum_map; /* by state */
    struct pinsight_host_entry *entries;
    size_t count, capacity;
    struct pinsight_host_entry *stack; /* the state in each open slice */
    size_t depth, stack_capacity;
};

/* All zero is empty, but for model. State 0 is nothing. */
struct pinsight_hosts {
    const struct pinsight_model *model;
    /* What begins before the time it gets is settled; returns since when entries are needed. */
    uint64_t (*settle)(void *data, uint64_t before_ns);
    void *data;
    uint64_t since_ns;            /* the first call of CUDA; 0 before */
    struct pinsight_host **hosts; /* by their tracks' numbers; NULL of others */
    size_t host_count;
    struct pinsight_host_state *states;
    size_t state_count, state_capacity;
    struct pinsight_map place_map, state_map;
    uint32_t places;
    struct pinsight_map
        line_map;    /* by function and callee: the line of the call, as far as known */
    uint32_t *users; /* by path: its user's line, see paths.h, plus one; 0 where not asked yet */
    size_t user_count;
    uint8_t *loaders; /* by function: 1 of a data loader, 2 of none, 0 not asked yet */
    size_t loader_count;
};

/* The thread of a track, which is looked at from now on; what is open in it is to be told next. */
struct pinsight_host *pinsight_host_new(struct pinsight_hosts *hosts,
                                        const struct pinsight_track *track);

/* It calls CUDA for the first time, in the slice that is to be told next. */
void pinsight_host_calls(struct pinsight_host *host);

/* A slice begins in it, and the innermost one ends. */
void pinsight_host_begin(struct pinsight_host *host, enum pinsight_slice_kind kind, uint32_t id,
                         uint32_t path, uint32_t users, uint64_t ns);
void pinsight_host_end(struct pinsight_host *host, uint64_t ns);

/* The entry that is in force at a time; NULL before the first. */
const struct pinsight_host_entry *pinsight_host_at(const struct pinsight_host *host, uint64_t ns);

/* The number of a state, made at its first mention. */
uint32_t pinsight_host_state(struct pinsight_hosts *hosts, const struct pinsight_host_state *state);

/* The same in another place: the user's line of a path, where there is one. */
struct pinsight_host_state pinsight_host_state_in(struct pinsight_hosts *hosts,
                                                  struct pinsight_host_state state, uint32_t path);

/* The line from which a function of the user's calls what a state has as callee, where all that is
 * known of such calls tells the same; 0 where not. */
int32_t pinsight_host_line(const struct pinsight_hosts *hosts,
                           const struct pinsight_host_state *state);

void pinsight_hosts_clear(struct pinsight_hosts *hosts);

#endif
