/* Actions of control during a recording: changes of modes and configurations, ends of windows,
 * introspections. Part of the model; not thread-safe. Texts are numbers of the model's strings.
 * Times are those of the trace's clock. */
#ifndef PINSIGHT_READER_CORE_HISTORY_H
#define PINSIGHT_READER_CORE_HISTORY_H

#include "base/map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pinsight_model;
struct pinsight_process;

enum pinsight_change_kind {
    PINSIGHT_CHANGED_MODE,
    PINSIGHT_CHANGED_CONFIGURATION,
    PINSIGHT_INTROSPECTED,
};

/* Values of the field `how` of the event introspect_end. */
enum {
    PINSIGHT_INTROSPECT_SCRIPT_ENDED = 0,
    PINSIGHT_INTROSPECT_TIME_OUT = 1,
    PINSIGHT_INTROSPECT_RESUMED = 2,
    PINSIGHT_INTROSPECT_NOT_WAITED = 3,
    PINSIGHT_INTROSPECT_FAILED = 4,
};

/* The status of an introspection if the end of its script is unknown. */
#define PINSIGHT_STATUS_UNKNOWN (-1000)

struct pinsight_mode_change {
    uint32_t domain, reason;
    uint32_t from, to; /* values of the enum `mode` */
};

struct pinsight_config_change {
    uint32_t path, reason, message;
    uint32_t generation; /* the one after the change */
    bool failed;
};

/* An introspection. A trace may lack its end (it continues, or the end is in a later chunk), or its
 * begin (in an earlier chunk). */
struct pinsight_past_introspection {
    uint32_t number; /* in the process, from 1 */
    uint32_t cause, script, chunk, message;
    int64_t pause_ns; /* the longest permitted pause; -1 without limit */
    uint64_t end_ns;
    int32_t status;
    uint32_t threads_stopped, threads_running;
    uint32_t mode; /* after it */
    uint8_t how;
    bool begun, ended;
    bool reloaded;
};

struct pinsight_change {
    uint64_t ns; /* for an introspection: its begin, if it is known */
    struct pinsight_process *process;
    enum pinsight_change_kind kind;
    union {
        struct pinsight_mode_change mode;
        struct pinsight_config_change config;
        struct pinsight_past_introspection introspection;
    };
};

/* The value of the enum `window_cause` for a region that a budget left out. */
#define PINSIGHT_WINDOW_LEFT_OUT 2

/* A code region whose window ended. */
struct pinsight_past_window {
    uint64_t ns;
    struct pinsight_process *process;
    uint32_t domain, name, file;
    int32_t line;
    uint8_t kind;  /* as in enum pinsight_kind */
    uint8_t cause; /* a value of the enum `window_cause` */
    uint32_t rule, after;
    uint64_t executions, recorded;
};

struct pinsight_history {
    struct pinsight_change *changes; /* in order of time */
    size_t change_count, change_capacity;
    struct pinsight_past_window *windows; /* in order of time */
    size_t window_count, window_capacity;
    /* Functions that a budget left out, by name, file and line; and C callables, by name. */
    struct pinsight_map left_out;
};

/* Add a copy of an element to a list. */
void pinsight_history_add(struct pinsight_history *history, const struct pinsight_change *change);
void pinsight_history_window(struct pinsight_history *history,
                             const struct pinsight_past_window *window);

/* Return whether a budget left out later calls of a function, or of a C callable. */
bool pinsight_history_function_left_out(const struct pinsight_history *history, uint32_t name,
                                        uint32_t file, int32_t line);
bool pinsight_history_callee_left_out(const struct pinsight_history *history, uint32_t name);

/* Takes an introspect_end event. Completes the begin with the same process and number, or adds a
 * new element. Returns the time of the begin, or 0 if it is unknown. */
uint64_t pinsight_history_introspected(struct pinsight_history *history,
                                       struct pinsight_process *process, uint64_t ns,
                                       const struct pinsight_past_introspection *introspection);

/* Frees the lists, which are then empty. */
void pinsight_history_clear(struct pinsight_history *history);

#endif
