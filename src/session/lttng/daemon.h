/*
 * The LTTng session daemon of a run: an existing one, or one that PInsight starts.
 */
#ifndef PINSIGHT_SESSION_LTTNG_DAEMON_H
#define PINSIGHT_SESSION_LTTNG_DAEMON_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/process.h"
#include "session/lttng/lock.h"

enum { PINSIGHT_CONSUMERS_MAX = 4 };

struct pinsight_daemon {
    struct pinsight_proc process; /* pid 0 if it is unknown (another PID namespace) */
    bool ours;                    /* PInsight started it; the locks name its users */
    bool child;                   /* this process started it, and stops it */
    char rundir[PATH_MAX];        /* folder of its sockets */
    int errors;                   /* file with its stderr; -1 if it is not ours */
    const char *libdir;           /* folder of libpinsight-hasten.so; NULL for none */
    struct pinsight_proc consumers[PINSIGHT_CONSUMERS_MAX];
    size_t consumer_count;
    /* Called, if not NULL, with the process of a daemon immediately after its start. */
    void (*born)(void *listener, const struct pinsight_proc *process);
    void *listener;
};

/*
 * Finds the daemon that liblttng-ctl would use, or starts one as a child (`lttng-sessiond
 * --no-kernel`, from $LTTNG_SESSIOND or $PATH) that ends with this process. This process becomes a
 * user of a daemon that PInsight started (locks). The environment must name a suitable home
 * (pinsight_lttng_prepare_home), and SIGCHLD and SIGUSR1 must be blocked. On failure, returns false
 * with the reason and a remedy in `why`.
 */
bool pinsight_daemon_get(struct pinsight_daemon *daemon, struct pinsight_locks *locks, char *why,
                         size_t room);

/* Finds the program of a daemon. Returns false with a remedy in `why` if there is none. */
bool pinsight_daemon_find_program(char path[PATH_MAX], char *why, size_t room);

/* Finds the daemon that pinsight_daemon_get() would find. Changes nothing. */
bool pinsight_daemon_look(struct pinsight_daemon *daemon);

/*
 * Starts a daemon, and waits until it accepts commands. Returns false with the reason and a remedy
 * in `why` on failure. Called by pinsight_daemon_get(), which holds the start lock.
 */
bool pinsight_daemon_start(struct pinsight_daemon *daemon, char *why, size_t room);

/* Returns the largest size of a file of the daemon in bytes (RLIMIT_FSIZE); 0: unlimited or
 * unknown. */
uint64_t pinsight_daemon_file_limit(const struct pinsight_daemon *daemon);

/* Finds the consumer daemons, which are started with the first channel. */
void pinsight_daemon_find_consumers(struct pinsight_daemon *daemon);

/* Return whether the daemon, and all consumers that were found, are still alive. */
bool pinsight_daemon_process_alive(const struct pinsight_daemon *daemon);
bool pinsight_daemon_consumers_alive(const struct pinsight_daemon *daemon);

/*
 * Returns whether the daemon is ending. After SIGTERM, a daemon accepts commands for some time, but
 * programs cannot register any more.
 */
bool pinsight_daemon_is_ending(const struct pinsight_daemon *daemon);

/*
 * Waits until neither the daemon nor its consumers are stopped (SIGSTOP, a debugger). Returns false
 * if one still is after `patience_ms`. Processes of an own daemon are continued.
 */
bool pinsight_daemon_wait_unstopped(const struct pinsight_daemon *daemon, int patience_ms);

/* Writes the last lines of an own daemon's stderr to `text`, in one line; "" if there are none. */
void pinsight_daemon_last_words(const struct pinsight_daemon *daemon, char *text, size_t room);

/*
 * Ends an own daemon and its consumers, which become children of this process when the daemon ends
 * (it is a subreaper). Each has `patience_ms` to end by itself before it is killed.
 */
void pinsight_daemon_stop(struct pinsight_daemon *daemon, int patience_ms);

/* Waits for consumers whose daemon is gone, which end by themselves. Kills those that still run
 * after `patience_ms`. */
void pinsight_daemon_end_consumers(struct pinsight_daemon *daemon, int patience_ms);

#endif
