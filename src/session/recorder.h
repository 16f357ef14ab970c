/*
 * A recorder as `pinsight run` sees it: it is made ready, supervised by a process of its own, and
 * says what it needs. What a recorder is within the traced processes is in record/recorder.h, with
 * the variables of the environment that the command gets (pinsight_recorder_variables).
 *
 * The course of a run: prepare(); a supervisor is started (supervisor.h), whose main function is
 * supervise(); the command runs; the supervisor is told that it has ended, and answers with what
 * came of it. Where the supervisor was killed, see_off() and drop() stand in for it.
 */
#ifndef PINSIGHT_SESSION_RECORDER_H
#define PINSIGHT_SESSION_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "session/supervisor.h"

/* What a supervisor that was killed may have left, as its packets told. */
struct pinsight_session_left {
    char session[PINSIGHT_SESSION_NAME_MAX]; /* that it made, or was about to make; "": none */
    struct pinsight_proc daemon;             /* that it started; pid 0: none */
    bool foreign_daemon;                     /* the session is another's daemon's, which lives on */
};

/* What the machine has to have for a traced process. */
struct pinsight_session_needs {
    uint64_t memory;      /* bytes of shared memory that its buffers take */
    uint64_t memory_left; /* bytes of shared memory that there are */
    bool is_scarce;       /* the buffers would be larger where there were more */
    uint64_t open_files;
};

struct pinsight_session_recorder {
    const char *title; /* as users know it */

    /*
     * Makes this process's environment fit for the recorder, before the supervisor is started and
     * the command's environment made: both have to find the same. On false `why` says what is in
     * the way, and what to do. One thread.
     */
    bool (*prepare)(char *why, size_t room);

    /* The supervisor's main function. `fd` is its end of the socket to `pinsight run`. */
    void (*supervise)(int fd, const struct pinsight_supervisor_config *config)
        __attribute__((noreturn));

    /* The supervisor was killed: waits until what it started has ended, and sees to it. */
    void (*see_off)(const struct pinsight_session_left *left);

    /* The supervisor was killed: its session ends, where that lives on without it. With an output
     * folder what was recorded is there afterwards; with NULL nothing was. */
    void (*drop)(const struct pinsight_session_left *left, const char *output);

    /* Removes from an output folder what was recorded there. */
    void (*discard)(const char *output);

    void (*look_at_needs)(struct pinsight_session_needs *needs);

    const char *slow; /* a message: the start takes long */
    /* Parts of messages: */
    const char *incomplete; /* who did not write everything */
    const char *remove;     /* the command, with a blank, that removes a session by its name */
    const char *libraries;  /* what is to be installed for a traced process, and how */
};

/* The one of this build (src/session/lttng/recorder.c). */
extern const struct pinsight_session_recorder pinsight_session_recorder;

#endif
