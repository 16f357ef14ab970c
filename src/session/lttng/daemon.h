/*
 * The LTTng session daemon that a run uses: one that is there, or one that PInsight starts.
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
    struct pinsight_proc process; /* pid 0 where it is not known (another pid namespace) */
    bool ours;                    /* PInsight started it: the locks say who uses it */
    bool child;                   /* this process started it, and stops it */
    char rundir[PATH_MAX];        /* where its sockets are */
    int errors;                   /* what it wrote to stderr (a file), -1 if not ours */
    const char *libdir;           /* where libpinsight-hasten.so is, NULL for none */
    struct pinsight_proc consumers[PINSIGHT_CONSUMERS_MAX];
    size_t consumer_count;
    /* Called, if not NULL, with the process of a daemon as soon as it was started. */
    void (*born)(void *listener, const struct pinsight_proc *process);
    void *listener;
};

/*
 * Finds the daemon that liblttng-ctl would talk to, or starts one (`lttng-sessiond --no-kernel`,
 * from $LTTNG_SESSIOND or $PATH) as a child that ends when this process does. Of a daemon that
 * PInsight started, this process becomes a user (locks). The environment must name a home that is
 * fit for it (pinsight_lttng_prepare_home), SIGCHLD and SIGUSR1 must be blocked. On false
 * `why` says what happened and what to do.
 */
bool pinsight_daemon_get(struct pinsight_daemon *daemon, struct pinsight_locks *locks, char *why,
                         size_t room);

/* Where is the program of a daemon to start? On false `why` says what to do. */
bool pinsight_daemon_find_program(char path[PATH_MAX], char *why, size_t room);

/* Looks for the daemon that pinsight_daemon_get would find; changes nothing. */
bool pinsight_daemon_look(struct pinsight_daemon *daemon);

/*
 * Starts one, and waits until it takes commands. On false `why` says what happened and what to do.
 * For pinsight_daemon_get, which holds the start lock.
 */
bool pinsight_daemon_start(struct pinsight_daemon *daemon, char *why, size_t room);

/* How many bytes a file of the daemon's may have (RLIMIT_FSIZE); 0: any number, or not known. */
uint64_t pinsight_daemon_file_limit(const struct pinsight_daemon *daemon);

/* Looks up the consumer daemons; they are started with the first channel. */
void pinsight_daemon_find_consumers(struct pinsight_daemon *daemon);

/* Are the daemon, and all consumers that were found, still there? */
bool pinsight_daemon_process_alive(const struct pinsight_daemon *daemon);
bool pinsight_daemon_consumers_alive(const struct pinsight_daemon *daemon);

/*
 * Is the daemon on its way out? One that was told to end (SIGTERM) takes commands for some time,
 * while programs cannot register any more.
 */
bool pinsight_daemon_is_ending(const struct pinsight_daemon *daemon);

/*
 * Waits until neither the daemon nor its consumers are stopped (SIGSTOP, a debugger); false if they
 * still are after `patience_ms`. Those of a daemon of ours are made to go on.
 */
bool pinsight_daemon_wait_unstopped(const struct pinsight_daemon *daemon, int patience_ms);

/* The last lines that a daemon of ours wrote to stderr, in one line; "" if there are none. */
void pinsight_daemon_last_words(const struct pinsight_daemon *daemon, char *text, size_t room);

/*
 * Ends a daemon that is our child, or was, and its consumers, which become our children when it
 * dies (we are a subreaper). `patience_ms` is for each to end by itself; then it is killed.
 */
void pinsight_daemon_stop(struct pinsight_daemon *daemon, int patience_ms);

/* Consumers whose daemon is gone end by themselves; kills those that have not within that time. */
void pinsight_daemon_end_consumers(struct pinsight_daemon *daemon, int patience_ms);

#endif
