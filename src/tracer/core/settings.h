/*
 * The current configuration of the process. The process reads one at its start. A reload reads
 * another and publishes it. A configuration never changes. Its readers use it between begin and end
 * (tracer/core/grace.h), and it is freed when it has no readers left.
 */
#ifndef PINSIGHT_CORE_SETTINGS_H
#define PINSIGHT_CORE_SETTINGS_H

#include "config/config.h"
#include "tracer/core/order.h"

/*
 * Reads the first configuration: the file of PINSIGHT_CONFIG if it is set, and the environment.
 * Only the first call in a process reads; later calls return the same. Returns 0. After an error,
 * returns -1 with a text in `error`, and the defaults are in force.
 */
PINSIGHT_API int pinsight_settings_start(char *error, size_t room);

/*
 * Returns the current configuration, which is valid until pinsight_settings_end. Never NULL after
 * the start. Calls may be nested. The caller must not wait in between. Any thread.
 */
PINSIGHT_API const struct pinsight_config *pinsight_settings_begin(void);
PINSIGHT_API void pinsight_settings_end(void);

/* The version of the configuration. It increases with every new configuration, and when windows are
 * opened anew. Results of another version have to be resolved again. Never 0. */
extern PINSIGHT_API _Atomic uint32_t pinsight_settings_number;

static inline uint32_t pinsight_config_version(void) {
    return atomic_load_explicit(&pinsight_settings_number, memory_order_acquire);
}

/* The window version. Windows that were opened at another one restart. */
extern PINSIGHT_API _Atomic uint32_t pinsight_window_version;

/* Increases the window version, and makes the domains notice it at once. Control thread. */
void pinsight_windows_reset(void);

/* Opens every window anew at its next use. Any thread. */
PINSIGHT_API void pinsight_window_version_next(void);

/* Returns the path of the configuration file, or "". It is constant while the process has a control
 * thread. */
PINSIGHT_API const char *pinsight_settings_path(void);

/*
 * Reads the file again and applies it, including modes. If the file cannot be read, the old
 * configuration stays. Records config_change, and writes changes or errors into `answer`. Returns 0
 * or -1. For the control thread.
 */
int pinsight_settings_reload(const char *reason, struct pinsight_answer *answer);

/*
 * Puts another configuration file in force, or none for "", with the environment's variables. For a
 * process that is attached while it runs, after pinsight_settings_start(). Returns 0, or -1 with a
 * text in `error` and without a change. Any thread; the process must have no control thread.
 */
PINSIGHT_API int pinsight_settings_use(const char *file, char *error, size_t room);

/* Returns the index of a domain in the descriptions, or -1. */
PINSIGHT_API int pinsight_settings_domain(const char *name);

/* This process as a place for limits: its rank. */
extern PINSIGHT_API const struct pinsight_config_place pinsight_settings_place;

/* Returns the mode of a domain in the current configuration. */
PINSIGHT_API enum pinsight_mode pinsight_settings_mode(const char *domain);

#endif
