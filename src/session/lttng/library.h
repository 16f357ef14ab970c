/*
 * libpinsight-session-lttng.so: the part that links LTTng's own library. The command and its helper
 * open it when a session is to be made, rotated or looked for, so that neither needs LTTng to
 * start.
 */
#ifndef PINSIGHT_SESSION_LTTNG_LIBRARY_H
#define PINSIGHT_SESSION_LTTNG_LIBRARY_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "session/lttng/supervisor.h"
#include "session/recorder.h"

/* The remains of a supervisor that was killed, from its packets. */
struct pinsight_session_left {
    /* the session that it made or was about to make; "": none */
    char session[PINSIGHT_SESSION_NAME_MAX];
    struct pinsight_proc daemon; /* the daemon that it started; pid 0: none */
    /* the session is in another owner's daemon, which continues */
    bool foreign_daemon;
};

/* The LTTng installation and its session daemon. */
struct pinsight_lttng_found {
    char program[PATH_MAX]; /* program of the daemon; "" if there is none: */
    char missing[512];      /* the reason, and a remedy */
    char homeless[512];     /* why a daemon has no folder, or "" */
    int process;            /* the running daemon with sockets in `rundir`; -1: none */
    char rundir[PATH_MAX];
};

struct pinsight_lttng_rotation {
    void *handle; /* a handle of LTTng */
};

enum pinsight_lttng_rotated {
    PINSIGHT_LTTNG_ROTATES,   /* it has begun, or continues */
    PINSIGHT_LTTNG_BUSY,      /* another rotation is running */
    PINSIGHT_LTTNG_ROTATED,   /* text: the chunk's folder */
    PINSIGHT_LTTNG_UNROTATED, /* text: the reason, a sentence */
};

struct pinsight_lttng_library {
    char version[32]; /* PInsight's version, which must be equal */

    /*
     * Makes this process's environment suitable for the daemon. Called before the supervisor is
     * started and the command's environment is made, because both must find the same daemon. On
     * failure, returns false with the reason and a remedy in `why`. One thread.
     */
    bool (*prepare)(char *why, size_t room);

    /* The supervisor's main function. `fd` is its end of the socket to `pinsight run`. Does not
     * return. */
    void (*supervise)(int fd, void *config);

    /* Cleans up after a supervisor that was killed: waits until the processes that it started have
     * ended, or ends them. */
    void (*see_off)(const struct pinsight_session_left *left);

    /* Ends the session of a supervisor that was killed, if the session continues without it. With
     * an output folder, the recorded data is there afterwards. NULL means that nothing was
     * recorded. */
    void (*drop)(const struct pinsight_session_left *left, const char *output);

    /* Removes the recorded data from an output folder. */
    void (*discard)(const char *output);

    void (*look_at_needs)(struct pinsight_session_needs *needs);

    /* Changes only this process's environment. */
    void (*look)(struct pinsight_lttng_found *found);

    /* Begin a rotation of a session; and ask for its progress. May wait without limit. */
    enum pinsight_lttng_rotated (*rotate)(const char *session,
                                          struct pinsight_lttng_rotation *rotation,
                                          char text[PATH_MAX]);
    enum pinsight_lttng_rotated (*ask)(struct pinsight_lttng_rotation *rotation,
                                       char text[PATH_MAX]);
};

#define PINSIGHT_LTTNG_LIBRARY "libpinsight-session-lttng.so"

/* Opens the library in the folder of PInsight's libraries, once. Returns NULL with the reason and a
 * remedy in `why` if it or a library that it needs is missing. One thread. */
const struct pinsight_lttng_library *pinsight_lttng_open(const char *libdir, char *why,
                                                         size_t room);

/* Defined in rotate.c of the library. */
enum pinsight_lttng_rotated pinsight_lttng_rotate(const char *session,
                                                  struct pinsight_lttng_rotation *rotation,
                                                  char text[PATH_MAX]);
enum pinsight_lttng_rotated pinsight_lttng_ask(struct pinsight_lttng_rotation *rotation,
                                               char text[PATH_MAX]);

#endif
