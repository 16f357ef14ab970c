/*
 * libpinsight-session-lttng.so: all that links LTTng's own library. The command and its helper open
 * it when a session is to be made, rotated or looked for, so that neither needs LTTng to start.
 */
#ifndef PINSIGHT_SESSION_LTTNG_LIBRARY_H
#define PINSIGHT_SESSION_LTTNG_LIBRARY_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "session/lttng/supervisor.h"
#include "session/recorder.h"

/* What a supervisor that was killed may have left, as its packets told. */
struct pinsight_session_left {
    char session[PINSIGHT_SESSION_NAME_MAX]; /* that it made, or was about to make; "": none */
    struct pinsight_proc daemon;             /* that it started; pid 0: none */
    bool foreign_daemon;                     /* the session is another's daemon's, which lives on */
};

/* What there is of LTTng's session daemon. */
struct pinsight_lttng_found {
    char program[PATH_MAX]; /* of a daemon to start; "" where there is none: */
    char missing[512];      /* why, and what to do */
    char homeless[512];     /* why there is no folder for a daemon, or "" */
    int process;            /* of one that runs, whose sockets are in `rundir`; -1: none runs */
    char rundir[PATH_MAX];
};

struct pinsight_lttng_rotation {
    void *handle; /* of LTTng's */
};

enum pinsight_lttng_rotated {
    PINSIGHT_LTTNG_ROTATES,   /* it has begun, or goes on */
    PINSIGHT_LTTNG_BUSY,      /* another one is at work */
    PINSIGHT_LTTNG_ROTATED,   /* text: the folder of the chunk */
    PINSIGHT_LTTNG_UNROTATED, /* text: why, a sentence */
};

struct pinsight_lttng_library {
    char version[32]; /* PInsight's, which must be the same */

    /*
     * Makes this process's environment fit for the daemon, before the supervisor is started and
     * the command's environment made: both have to find the same. On false `why` says what is in
     * the way, and what to do. One thread.
     */
    bool (*prepare)(char *why, size_t room);

    /* The supervisor's main function. `fd` is its end of the socket to `pinsight run`. It does not
     * return. */
    void (*supervise)(int fd, void *config);

    /* The supervisor was killed: waits until what it started has ended, and sees to it. */
    void (*see_off)(const struct pinsight_session_left *left);

    /* The supervisor was killed: its session ends, where that lives on without it. With an output
     * folder what was recorded is there afterwards; with NULL nothing was. */
    void (*drop)(const struct pinsight_session_left *left, const char *output);

    /* Removes from an output folder what was recorded there. */
    void (*discard)(const char *output);

    void (*look_at_needs)(struct pinsight_session_needs *needs);

    /* Changes nothing but this process's environment. */
    void (*look)(struct pinsight_lttng_found *found);

    /* Begins a rotation of a session; asks how far it has come. May wait without limit. */
    enum pinsight_lttng_rotated (*rotate)(const char *session,
                                          struct pinsight_lttng_rotation *rotation,
                                          char text[PATH_MAX]);
    enum pinsight_lttng_rotated (*ask)(struct pinsight_lttng_rotation *rotation,
                                       char text[PATH_MAX]);
};

#define PINSIGHT_LTTNG_LIBRARY "libpinsight-session-lttng.so"

/* Opens the library in the folder of PInsight's libraries, once. NULL with the reason, and what to
 * do, where it or a library that it needs is missing. One thread. */
const struct pinsight_lttng_library *pinsight_lttng_open(const char *libdir, char *why,
                                                         size_t room);

/* In the library: rotate.c. */
enum pinsight_lttng_rotated pinsight_lttng_rotate(const char *session,
                                                  struct pinsight_lttng_rotation *rotation,
                                                  char text[PATH_MAX]);
enum pinsight_lttng_rotated pinsight_lttng_ask(struct pinsight_lttng_rotation *rotation,
                                               char text[PATH_MAX]);

#endif
