/*
 * The window of a code region decides which of its executions are recorded, and how the region
 * continues afterwards.
 *
 * Executions are counted in the whole process, from 0. Execution i is recorded if i is not below
 * trace_starts_at, and (i - trace_starts_at) is a multiple of tracing_rate. Two limits end the
 * window: max_num_traces recorded executions, and window_timeout after the first of them. One
 * counter of 64 bits, which one atomic operation increases, decides them all. Threads therefore
 * never disagree.
 */
#ifndef PINSIGHT_CORE_WINDOW_H
#define PINSIGHT_CORE_WINDOW_H

#include "config/config.h"
#include "tracer/core/domain.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* The owner of a window, as the trace names it. The strings live as long as the window. */
struct pinsight_window_owner {
    struct pinsight_domain *domain;
    bool is_c_call;
    bool is_region;              /* native code, identified by object and offset or by symbol */
    bool is_named;               /* a region that the program names; `filename` is its kind */
    uint32_t lexgion;            /* number of the code object, the callable or the region */
    const char *name, *filename; /* `filename` of a region is its object */
    int32_t lineno;
    const char *symbol; /* of a region */
    /* of a region: the runtime's function if `symbol` is more specific, or NULL */
    const char *call;
    uint64_t offset; /* of a region, in its object */
};

struct pinsight_window {
    _Atomic uint64_t executions;
    uint64_t starts_at, rate;
    uint64_t max;            /* UINT64_MAX: no limit */
    uint64_t timeout_ns;     /* 0: no timeout */
    _Atomic uint64_t opened; /* time of the first recorded execution, CLOCK_MONOTONIC; 0: none */
    _Atomic uint64_t taken;  /* executions recorded; counted only with a timeout */
    _Atomic bool ended;
    uint32_t version;        /* window version at which it was opened */
    uint32_t config_version; /* version of the settings in `setting` */
    struct pinsight_config_window setting;
    struct pinsight_window_owner owner;
    /* The process whose list of timers has the window, counted from 1 over forks; 0: none. This and
     * the next three members are under the timers' lock. */
    uint32_t timer;
    struct pinsight_window *next_timer, *previous_timer;
    uint64_t deadline;
};

enum pinsight_take {
    PINSIGHT_TAKE_NOT,       /* not recorded */
    PINSIGHT_TAKE,           /* recorded */
    PINSIGHT_TAKE_LAST,      /* recorded, as the last one */
    PINSIGHT_TAKE_PAST,      /* not recorded: max_num_traces is reached */
    PINSIGHT_TAKE_TIMED_OUT, /* not recorded: window_timeout has passed */
};

/* Returns whether a window never ends and takes every execution. */
PINSIGHT_API bool pinsight_window_is_open(const struct pinsight_config_window *setting);

/*
 * Applies the settings of version `config_version` to a window. Its counts restart if its numbers
 * or the window version change. `owner` must be filled in before. Calls for one window must not
 * overlap.
 */
PINSIGHT_API void pinsight_window_set(struct pinsight_window *window,
                                      const struct pinsight_config_window *setting,
                                      uint32_t config_version, uint32_t window_version);

/* Returns whether the window has these settings and this window version, so that its counts
 * continue. */
PINSIGHT_API bool pinsight_window_is_same(const struct pinsight_window *window,
                                          const struct pinsight_config_window *setting,
                                          uint32_t window_version);

/* Takes the next execution. Takes a lock only for the first execution of a window with a timer. Any
 * thread. */
PINSIGHT_API enum pinsight_take pinsight_window_take(struct pinsight_window *window);

/* Ends a window. The first caller records the end, and orders the changes that it makes outside the
 * region. `cause` is as in the event window_end. Any thread. */
PINSIGHT_API void pinsight_window_end(struct pinsight_window *window, int cause);

/* Returns the mode of the region after its window: OFF, STANDBY, MONITORING or TRACING. */
PINSIGHT_API enum pinsight_mode pinsight_window_after(const struct pinsight_config_window *setting);

/* Forgets a window that is about to be freed. Any thread. */
PINSIGHT_API void pinsight_window_forget(struct pinsight_window *window);

/* Returns the number of windows that have ended in this process. */
PINSIGHT_API uint64_t pinsight_windows_ended(void);

/* Ends the windows whose timers are due, and returns when the next one is (CLOCK_MONOTONIC; 0:
 * none). For the control thread. */
uint64_t pinsight_windows_due(uint64_t now);

/* Clears the timers and the counts of the parent. For a forked child. */
void pinsight_window_fork_child(void);

#endif
