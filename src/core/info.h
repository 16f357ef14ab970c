/*
 * Definitions and accounts that all domains share, as events of the core: who this process and its
 * threads are, which domains are active, what MONITORING counted, what was not recorded.
 *
 * They go into a channel that blocks for a while rather than drop. If one blocks for longer than a
 * second, nobody reads the buffers any more: every domain goes into STANDBY, with one message, and
 * no further definition waits.
 */
#ifndef PINSIGHT_CORE_INFO_H
#define PINSIGHT_CORE_INFO_H

#include "core/domain.h"

#include <stdint.h>

struct pinsight_core_thread;

/* What ended an introspection; the values of the event's field. */
enum pinsight_introspect_end {
    PINSIGHT_INTROSPECT_SCRIPT_ENDED = 0,
    PINSIGHT_INTROSPECT_TIME_OUT = 1,
    PINSIGHT_INTROSPECT_RESUMED = 2,
    PINSIGHT_INTROSPECT_NOT_WAITED = 3,
    PINSIGHT_INTROSPECT_FAILED = 4,
};

/* What a domain counted in this process; see the event domain_totals. */
struct pinsight_totals {
    uint64_t lost_frames;
    uint64_t under_way; /* of these: still running when the domain stopped to record */
    uint64_t dropped_ends;
    uint64_t outside; /* executions outside their windows */
    uint64_t bytes;
    bool size_limit_reached;
};

/* One region's counts in one thread; see the event lexgion_profile. */
struct pinsight_profile {
    uint32_t tid;
    int32_t python_thread_id;
    uint64_t calls;
    uint64_t inclusive_ns;
    uint64_t exclusive_ns;
};

/* Record process_info, once for each session version of the process. */
PINSIGHT_API void pinsight_info_process(void);

/* Record thread_info; `name` is NULL where it is not known (yet): then it is thread-<number>. */
PINSIGHT_API void pinsight_info_thread(struct pinsight_core_thread *thread, const char *name);

/*
 * Another session began to listen: its trace has none of the definitions. Moves the session version
 * on, so that each is recorded again before it is used, and records process_info and thread_info of
 * all threads at once.
 */
PINSIGHT_API void pinsight_info_again(void);

/* Did a session begin (or cease) to listen since this was asked last? Two loads; slow path. */
PINSIGHT_API bool pinsight_info_sessions_changed(void);

/*
 * The same, for a thread whose events have just begun to be listened to. A session that starts
 * enables one event after the other, so those that define things may follow within milliseconds:
 * they are waited for, for at most some ten where the session takes none of them.
 */
PINSIGHT_API bool pinsight_info_session_came(void);

/* Record domain_info for a domain that became active; `selection` as in the event. */
PINSIGHT_API void pinsight_info_domain(struct pinsight_domain *domain, const char *runtime,
                                       const char *mechanism, const char *events,
                                       const char *selection);

/* Record mode_change. */
PINSIGHT_API void pinsight_info_mode_change(const char *domain, enum pinsight_mode from,
                                            enum pinsight_mode to, const char *reason);

/* Record config_change. */
PINSIGHT_API void pinsight_info_config_change(uint32_t config_version, const char *reason,
                                              bool failed, const char *message);

/* What a window did; see the event window_end. */
struct pinsight_window_account {
    uint64_t executions, recorded;
    int cause;
    const char *rule, *after;
};
struct pinsight_window_owner;

/* Record window_end. */
PINSIGHT_API void pinsight_info_window_end(const struct pinsight_window_owner *owner,
                                           const struct pinsight_window_account *account);

/* Record lexgion_profile. */
PINSIGHT_API void pinsight_info_profile(const struct pinsight_window_owner *owner,
                                        const struct pinsight_profile *profile);

/* Record domain_totals. */
PINSIGHT_API void pinsight_info_totals(const struct pinsight_domain *domain,
                                       const struct pinsight_totals *totals);

/* Record event_count; recorded.h says what `events` and `ends` are, counts.h what `counter` is. */
void pinsight_info_event_count(uint64_t events, bool ends, uint32_t counter);

struct pinsight_introspection;

/* What came of an introspection; see the event introspect_end. */
struct pinsight_introspection_end {
    uint32_t number;
    const char *chunk; /* "" for none */
    enum pinsight_introspect_end how;
    int32_t status; /* PINSIGHT_NO_STATUS where the script's is not known */
    uint32_t threads_stopped;
    uint32_t threads_running;
    bool reloaded;
    enum pinsight_mode mode;
    const char *message; /* "" for none */
};

#define PINSIGHT_NO_STATUS (-1000)

/* Record introspect_begin and introspect_end. */
PINSIGHT_API void pinsight_info_introspect_begin(uint32_t number,
                                                 const struct pinsight_introspection *how);
PINSIGHT_API void pinsight_info_introspect_end(const struct pinsight_introspection_end *end);

/* Record range_begin and range_end: a range that is the process's, and not a thread's. `id` is the
 * caller's, never 0 and never reused in the process. */
PINSIGHT_API void pinsight_range_begin(uint64_t id, const char *name);
PINSIGHT_API void pinsight_range_end(uint64_t id);

/* Does a session listen to the core's definitions? */
PINSIGHT_API bool pinsight_info_enabled(void);

/*
 * Around the recording of a definition: the time before, and a look at the time after. The second
 * puts every domain into STANDBY when the recording blocked for too long. Slow path only.
 */
PINSIGHT_API uint64_t pinsight_info_before(void);
PINSIGHT_API void pinsight_info_after(uint64_t before);

/* The same around `record`, a call that records a definition. */
#define PINSIGHT_INFO_TIMED(record)                                                                \
    do {                                                                                           \
        uint64_t before_ = pinsight_info_before();                                                 \
        record;                                                                                    \
        pinsight_info_after(before_);                                                              \
    } while (0)

#endif
