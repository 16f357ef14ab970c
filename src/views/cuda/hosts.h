/*
 * The states of threads in a run with CUDA. A state has a cause for which a device may be idle. The
 * state has a function of the user's, a line in the function, and the callee there, too. Not
 * thread-safe.
 *
 * A thread that calls CUDA has a list of states in the order of time, from its first call on. A
 * slice that is open at that call enters the list with its own begin. The list has at most
 * PINSIGHT_HOST_STATES entries. When it is full, settle() returns the time before which entries are
 * not needed any more. If that is not enough, pairs of older entries are joined, and marked as
 * coarse. A thread that does not call CUDA has the sum of its time in each state.
 */
#ifndef PINSIGHT_VIEWS_CUDA_HOSTS_H
#define PINSIGHT_VIEWS_CUDA_HOSTS_H

#include "reader/timeline.h"

#define PINSIGHT_HOST_STATES ((size_t)1 << 18)

/* The work of a thread. The last ones are only for idle devices. */
enum pinsight_idle_cause {
    PINSIGHT_IDLE_NOTHING, /* nothing is known of the thread */
    PINSIGHT_IDLE_PYTHON,  /* it runs Python, or C from Python, or waits there */
    PINSIGHT_IDLE_LOADER,  /* it is in a data loader, which may wait for its workers */
    PINSIGHT_IDLE_GIL,
    PINSIGHT_IDLE_LOCK,
    PINSIGHT_IDLE_GC,
    PINSIGHT_IDLE_IMPORT,
    PINSIGHT_IDLE_NATIVE, /* MPI, OpenMP, another domain's runtime */
    PINSIGHT_IDLE_SYNC,   /* it waits for a device, a stream or an event */
    PINSIGHT_IDLE_COPY,
    PINSIGHT_IDLE_MEMORY, /* it takes or returns device memory or pinned memory */
    PINSIGHT_IDLE_MODULE, /* it loads kernels */
    PINSIGHT_IDLE_CALL,   /* another call of CUDA */
    /* The next causes are only for idle devices. */
    PINSIGHT_IDLE_LAUNCHES, /* a short gap between calls of CUDA */
    PINSIGHT_IDLE_ASKED,    /* the work was requested already */
    PINSIGHT_IDLE_CAUSES,
};

/* The kind of a callee. Each kind has numbers of its own. */
enum pinsight_callee_kind {
    PINSIGHT_CALLEE_NONE,
    PINSIGHT_CALLEE_FUNCTION, /* a Python function */
    PINSIGHT_CALLEE_C,        /* C callable: index of the model's callees */
    PINSIGHT_CALLEE_CUDA,     /* index of CUDA's functions */
};

struct pinsight_host_state {
    uint32_t function; /* of the user's, or its substitute; or PINSIGHT_NONE */
    int32_t line;      /* in that function; 0 if unknown */
    uint32_t callee;   /* number by the kind; or PINSIGHT_NONE */
    uint8_t callee_kind;
    uint8_t cause;
};

/* A state from a time on. For an open slice, the time of its begin. */
struct pinsight_host_entry {
    uint64_t ns;
    uint32_t state; /* index of states */
    bool coarse;    /* it stands for other states, too */
};

struct pinsight_host_sum {
    uint32_t state;
    uint64_t ns;
};

/* A thread. */
struct pinsight_host {
    struct pinsight_hosts *hosts;
    uint32_t process;                /* its index */
    bool calls;                      /* it called CUDA */
    struct pinsight_host_entry last; /* if it did not: its current state */
    struct pinsight_host_sum *sums;  /* its former states */
    size_t sum_count, sum_capacity;
    struct pinsight_map sum_map; /* index of sums, by state */
    struct pinsight_host_entry *entries;
    size_t count, capacity;
    struct pinsight_host_entry *stack; /* state of each open slice */
    size_t depth, stack_capacity;
};

/* All zero is empty, except `model`. State 0 is the state without any knowledge. */
struct pinsight_hosts {
    const struct pinsight_model *model;
    /* Settles everything that begins before a time. Returns the time from which entries are still
     * needed. */
    uint64_t (*settle)(void *data, uint64_t before_ns);
    void *data;
    uint64_t since_ns;            /* first call of CUDA; 0 before */
    struct pinsight_host **hosts; /* by the numbers of their tracks; NULL for others */
    size_t host_count;
    struct pinsight_host_state *states;
    size_t state_count, state_capacity;
    struct pinsight_map place_map, state_map;
    uint32_t places;
    struct pinsight_map
        /* Line of a call, by function and callee, as far as it is unique. */
        line_map;
    uint32_t *users; /* by path: path of its user's line plus one, see paths.h; 0: unknown yet */
    size_t user_count;
    uint8_t *loaders; /* by function: 1 data loader, 2 other, 0 unknown yet */
    size_t loader_count;
};

/* Begins to follow the thread of a track. The thread's open slices have to be passed next. */
struct pinsight_host *pinsight_host_new(struct pinsight_hosts *hosts,
                                        const struct pinsight_track *track);

/* Notes that the thread calls CUDA for the first time, in the slice that is passed next. */
void pinsight_host_calls(struct pinsight_host *host);

/* A slice begins in the thread; and the innermost slice ends. */
void pinsight_host_begin(struct pinsight_host *host, enum pinsight_slice_kind kind, uint32_t id,
                         uint32_t path, uint32_t users, uint64_t ns);
void pinsight_host_end(struct pinsight_host *host, uint64_t ns);

/* Returns the entry that is in force at a time, or NULL before the first entry. */
const struct pinsight_host_entry *pinsight_host_at(const struct pinsight_host *host, uint64_t ns);

/* Returns the number of a state, and makes it at the first call. */
uint32_t pinsight_host_state(struct pinsight_hosts *hosts, const struct pinsight_host_state *state);

/* Returns a state with the user's line of a path, if the path has one. */
struct pinsight_host_state pinsight_host_state_in(struct pinsight_hosts *hosts,
                                                  struct pinsight_host_state state, uint32_t path);

/* Returns the line from which a function of the user's makes a state's call. Returns 0 unless all
 * known calls have the same line. */
int32_t pinsight_host_line(const struct pinsight_hosts *hosts,
                           const struct pinsight_host_state *state);

void pinsight_hosts_clear(struct pinsight_hosts *hosts);

#endif
