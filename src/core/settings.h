/*
 * The configuration in force. One is read when the process starts; a reload reads another and
 * publishes it. A configuration never changes: who looks at one does so between begin and end
 * (core/grace.h), and it is freed when nobody looks at it any more.
 */
#ifndef PINSIGHT_CORE_SETTINGS_H
#define PINSIGHT_CORE_SETTINGS_H

#include "config/config.h"
#include "core/order.h"

/*
 * Read the first configuration: the file of PINSIGHT_CONFIG if it is set, and the environment. Once
 * in a process; later calls give the same answer. Returns 0; or -1 with a text in `error`, and the
 * defaults are in force.
 */
PINSIGHT_API int pinsight_settings_start(char *error, size_t room);

/*
 * The configuration in force, to be looked at until pinsight_settings_end. Never NULL after the
 * start. May be nested; nothing in between may wait. Any thread.
 */
PINSIGHT_API const struct pinsight_config *pinsight_settings_begin(void);
PINSIGHT_API void pinsight_settings_end(void);

/* Moves on with every configuration that comes into force, and when windows are opened anew: what
 * was resolved at another version is to be resolved again. Never 0. */
extern PINSIGHT_API _Atomic uint32_t pinsight_settings_number;

static inline uint32_t pinsight_config_version(void) {
    return atomic_load_explicit(&pinsight_settings_number, memory_order_acquire);
}

/* Windows that were opened at another window version begin anew. */
extern PINSIGHT_API _Atomic uint32_t pinsight_window_version;

/* The same, and let the domains look at once. The control thread's. */
void pinsight_windows_reset(void);

/* Open every window anew, when it is looked at next. Any thread. */
PINSIGHT_API void pinsight_window_version_next(void);

/* The file of the configuration, "" without one. Constant after the start. */
PINSIGHT_API const char *pinsight_settings_path(void);

/*
 * Read the file again and put it in force, modes included. A file that cannot be read leaves the
 * old configuration in force. Records config_change; what changed or is wrong stands in `answer`.
 * Returns 0 or -1. The control thread's alone.
 */
int pinsight_settings_reload(const char *reason, struct pinsight_answer *answer);

/* The number of a domain in the descriptions, or -1. */
PINSIGHT_API int pinsight_settings_domain(const char *name);

/* This process as the place of limits: its rank. */
extern PINSIGHT_API const struct pinsight_config_place pinsight_settings_place;

/* The mode that the configuration in force has for a domain. */
PINSIGHT_API enum pinsight_mode pinsight_settings_mode(const char *domain);

#endif
