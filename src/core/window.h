/*
 * The window of a code region: which of its executions are recorded, and what comes after.
 *
 * Executions are counted in the whole process, from 0. Execution i is recorded if i is not below
 * trace_starts_at, (i - trace_starts_at) is a multiple of tracing_rate, fewer than max_num_traces
 * were recorded before it, and window_timeout has not passed since the first that was recorded. All
 * follows from one counter, which is 64 bits wide and counted with one atomic operation, so that
 * threads never disagree.
 */
#ifndef PINSIGHT_CORE_WINDOW_H
#define PINSIGHT_CORE_WINDOW_H

#include "config/config.h"
#include "core/domain.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Whose window it is, for the trace. The strings live as long as the window. */
struct pinsight_window_owner {
    struct pinsight_domain *domain;
    bool is_c_call;
    bool is_region;              /* native code, told by its object and offset or its symbol */
    uint32_t lexgion;            /* number of the code object, callable or region */
    const char *name, *filename; /* `filename` of a region is its object */
    int32_t lineno;
    const char *symbol; /* of a region */
    const char *call;   /* likewise: the runtime's function, where `symbol` says more; else NULL */
    uint64_t offset;    /* likewise, in its object */
};

struct pinsight_window {
    _Atomic uint64_t executions;
    uint64_t starts_at, rate;
    uint64_t max;            /* UINT64_MAX is no limit */
    uint64_t timeout_ns;     /* 0 is never */
    _Atomic uint64_t opened; /* when the first was recorded, CLOCK_MONOTONIC; 0 not yet */
    _Atomic uint64_t taken;  /* recorded ones; counted where there is a timeout */
    _Atomic bool ended;
    uint32_t version;        /* the window version at which it was opened */
    uint32_t config_version; /* of the settings that `setting` belongs to */
    struct pinsight_config_window setting;
    struct pinsight_window_owner owner;
    uint32_t timer; /* 0 none, else the process whose list it is in, counted from 1 over forks; and
                       the next three, under the timers' lock */
    struct pinsight_window *next_timer, *previous_timer;
    uint64_t deadline;
};

enum pinsight_take {
    PINSIGHT_TAKE_NOT,       /* not recorded */
    PINSIGHT_TAKE,           /* recorded */
    PINSIGHT_TAKE_LAST,      /* recorded, and the last one */
    PINSIGHT_TAKE_PAST,      /* not recorded: max_num_traces were */
    PINSIGHT_TAKE_TIMED_OUT, /* not recorded: window_timeout has passed */
};

/* Is this the window that never ends and takes every execution? */
PINSIGHT_API bool pinsight_window_is_open(const struct pinsight_config_window *setting);

/*
 * Bring a window into line with settings of the version `config_version`: counts begin anew where
 * these numbers differ from the window's, and at another window version. `owner` is to be filled in
 * before. Not at the same time as another call for this window.
 */
PINSIGHT_API void pinsight_window_set(struct pinsight_window *window,
                                      const struct pinsight_config_window *setting,
                                      uint32_t config_version, uint32_t window_version);

/* Has it these settings and this window version, so that its counts go on? */
PINSIGHT_API bool pinsight_window_is_same(const struct pinsight_window *window,
                                          const struct pinsight_config_window *setting,
                                          uint32_t window_version);

/* Take the next execution. Any thread; no lock, unless it is the first of a window with a timer. */
PINSIGHT_API enum pinsight_take pinsight_window_take(struct pinsight_window *window);

/* The window ended; who says so first records it, and orders what comes after for other than the
 * region itself. Any thread. `cause` as in the event window_end. */
PINSIGHT_API void pinsight_window_end(struct pinsight_window *window, int cause);

/* How the region goes on after its window: OFF, STANDBY, MONITORING or TRACING. */
PINSIGHT_API enum pinsight_mode pinsight_window_after(const struct pinsight_config_window *setting);

/* To be called before a window is freed. Any thread. */
PINSIGHT_API void pinsight_window_forget(struct pinsight_window *window);

/* How many windows ended in this process. */
PINSIGHT_API uint64_t pinsight_windows_ended(void);

/* For the control thread: end the windows whose timers are due, and say when the next one is
 * (CLOCK_MONOTONIC; 0 for none). */
uint64_t pinsight_windows_due(uint64_t now);

/* In a forked child: forget the parent's timers, and count anew. */
void pinsight_window_fork_child(void);

#endif
