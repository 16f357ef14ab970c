/*
 * Definitions and accounts of all domains, as events of the core: the process and its threads, the
 * active domains, the counts of MONITORING, and the omitted executions.
 *
 * Their channel waits for a while instead of dropping events. If a definition waits for longer than
 * a second, the buffers have no reader. Then every domain goes into STANDBY, with one message, and
 * no further definition waits.
 */
#ifndef PINSIGHT_CORE_INFO_H
#define PINSIGHT_CORE_INFO_H

#include "tracer/core/domain.h"

#include <stdint.h>

struct pinsight_core_thread;

/* The reason for the end of an introspection. These are the values of the event's field. */
enum pinsight_introspect_end {
    PINSIGHT_INTROSPECT_SCRIPT_ENDED = 0,
    PINSIGHT_INTROSPECT_TIME_OUT = 1,
    PINSIGHT_INTROSPECT_RESUMED = 2,
    PINSIGHT_INTROSPECT_NOT_WAITED = 3,
    PINSIGHT_INTROSPECT_FAILED = 4,
};

/* The totals of a domain in this process; see the event domain_totals. */
struct pinsight_totals {
    uint64_t lost_frames;
    uint64_t under_way; /* part of lost_frames: still running when the domain stopped recording */
    uint64_t dropped_ends;
    uint64_t outside; /* executions outside their windows */
    uint64_t bytes;
    bool size_limit_reached;
};

/* The counts of one region in one thread; see the event lexgion_profile. */
struct pinsight_profile {
    uint32_t tid;
    int32_t python_thread_id;
    uint64_t calls;
    uint64_t inclusive_ns;
    uint64_t exclusive_ns;
};

/* A call path's counts in one thread; see the event path_profile. */
struct pinsight_path_profile {
    uint32_t tid;
    int32_t python_thread_id;
    uint32_t node, parent;
    uint64_t place; /* place of the call, see count.h */
    uint64_t calls;
    uint64_t inclusive_ns;
    int64_t self_ns;
    uint64_t max_ns;
};

/* Records process_info, once for each session version of the process. */
PINSIGHT_API void pinsight_info_process(void);

/* Records thread_info, and thread_start once for each session version. If `name` is NULL, because
 * it is unknown, the event has thread-<number>. */
PINSIGHT_API void pinsight_info_thread(struct pinsight_core_thread *thread, const char *name);

/*
 * Called when another session begins to listen, whose trace has no definitions. Increases the
 * session version, so that each definition is recorded again before its next use. Records
 * process_info and the thread_info of all threads at once.
 */
PINSIGHT_API void pinsight_info_redefine(void);

/* Returns whether a session has begun (or ceased) to listen since the last call. Two loads; slow
 * path. */
PINSIGHT_API bool pinsight_info_sessions_changed(void);

/*
 * Like pinsight_info_sessions_changed(), for a thread whose events have just got a listener. A
 * session that starts enables one event after the other, so definitions may be enabled some
 * milliseconds later. The call waits for them, for about ten milliseconds at most.
 */
PINSIGHT_API bool pinsight_info_session_came(void);

/* Records domain_info for a domain that became active. `selection` is as in the event. */
PINSIGHT_API void pinsight_info_domain(struct pinsight_domain *domain, const char *runtime,
                                       const char *mechanism, const char *events,
                                       const char *selection);

/* Records mode_change. */
PINSIGHT_API void pinsight_info_mode_change(const char *domain, enum pinsight_mode from,
                                            enum pinsight_mode to, const char *reason);

/* Records config_change. */
PINSIGHT_API void pinsight_info_config_change(uint32_t config_version, const char *reason,
                                              bool failed, const char *message);

/* The account of a window; see the event window_end. */
struct pinsight_window_account {
    uint64_t executions, recorded;
    int cause;
    const char *rule, *after;
};
struct pinsight_window_owner;

/* Records window_end. */
PINSIGHT_API void pinsight_info_window_end(const struct pinsight_window_owner *owner,
                                           const struct pinsight_window_account *account);

/* Returns the kind of the owner of a window or of counts, as the value of the event's field. */
PINSIGHT_API uint8_t pinsight_info_kind(const struct pinsight_window_owner *owner);

/* Records lexgion_profile. */
PINSIGHT_API void pinsight_info_profile(const struct pinsight_window_owner *owner,
                                        const struct pinsight_profile *profile);

/* Records lexgion_outside. */
PINSIGHT_API void pinsight_info_outside(const struct pinsight_window_owner *owner,
                                        uint64_t executions);

/* Record path_profile. */
PINSIGHT_API void pinsight_info_path(const struct pinsight_window_owner *owner,
                                     const struct pinsight_path_profile *profile);

/* Records domain_totals. */
PINSIGHT_API void pinsight_info_totals(const struct pinsight_domain *domain,
                                       const struct pinsight_totals *totals);

struct pinsight_callback_cost;

/* Records callback_cost. */
PINSIGHT_API void pinsight_info_callback_cost(const struct pinsight_domain *domain,
                                              const struct pinsight_callback_cost *cost);

/* Records event_count. recorded.h explains `events` and `ends`, and counts.h explains `counter`. */
void pinsight_info_event_count(uint64_t events, bool ends, uint32_t counter);

/* Records process_start, process_end and process_name. */
PINSIGHT_API void pinsight_info_process_start(int32_t child, uint32_t py_path);
PINSIGHT_API void pinsight_info_process_end(int32_t child, int32_t status);
PINSIGHT_API void pinsight_info_process_name(const char *name, uint8_t source);

/* Writes the command line as the kernel has it now, or "" if a filter for system calls might end a
 * thread that reads it. */
PINSIGHT_API void pinsight_info_title(char *text, size_t room);

struct pinsight_introspection;

/* The outcome of an introspection; see the event introspect_end. */
struct pinsight_introspection_end {
    uint32_t number;
    const char *chunk; /* "" for none */
    enum pinsight_introspect_end how;
    int32_t status; /* status of the script, or PINSIGHT_NO_STATUS */
    uint32_t threads_stopped;
    uint32_t threads_running;
    bool reloaded;
    enum pinsight_mode mode;
    const char *message; /* "" for none */
};

#define PINSIGHT_NO_STATUS (-1000)

/* Records introspect_begin and introspect_end. */
PINSIGHT_API void pinsight_info_introspect_begin(uint32_t number,
                                                 const struct pinsight_introspection *how);
PINSIGHT_API void pinsight_info_introspect_end(const struct pinsight_introspection_end *end);

/* Returns whether a session listens to the core's definitions. */
PINSIGHT_API bool pinsight_info_enabled(void);

/*
 * Called before and after a definition is recorded. The first returns the time, which the second
 * takes. The second puts every domain into STANDBY if the recording waited for too long. Slow paths
 * only.
 */
PINSIGHT_API uint64_t pinsight_info_before(void);
PINSIGHT_API void pinsight_info_after(uint64_t before);

/* Calls both functions around `record`, a call that records a definition. */
#define PINSIGHT_INFO_TIMED(record)                                                                \
    do {                                                                                           \
        uint64_t before_ = pinsight_info_before();                                                 \
        record;                                                                                    \
        pinsight_info_after(before_);                                                              \
    } while (0)

#endif
