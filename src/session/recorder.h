/*
 * The interface of a recorder for `pinsight run`: how a recording begins and ends around a command,
 * and its needs. The interface within traced processes is in tracer/record/recorder.h, together
 * with the command's environment variables (pinsight_recorder_variables).
 *
 * The course of a run: start(); the command runs, and receive() takes the recorder's messages
 * meanwhile; stop(); report(). If nothing was recorded, clear() replaces report(). In a job with
 * several processes on a host, each `pinsight run` has a recording. That of local rank 0 ends when
 * the others have left.
 */
#ifndef PINSIGHT_SESSION_RECORDER_H
#define PINSIGHT_SESSION_RECORDER_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/run_info.h"
#include "format/choice.h"
#include "session/job.h"
#include "session/launch.h"

enum { PINSIGHT_SESSION_NAME_MAX = 128, PINSIGHT_JOIN_MAX = 128 };

/* The content and the place of a recording. */
struct pinsight_session_config {
    char output[PATH_MAX]; /* absolute; the trace goes below it */
    char program[64];      /* for the session's name */
    char libdir[PATH_MAX];
    bool made_output;     /* the trace folder did not exist before */
    bool registry;        /* Python's events have numbers in place of names */
    bool lossless;        /* a program waits for room, and loses no event */
    uint64_t buffer_size; /* bytes of a part of a buffer; 0: choose */
    struct pinsight_job job;
};

struct pinsight_session_recorder;

/* A recording of this process, or its copy in the process that ends a job's session. */
struct pinsight_recording {
    const struct pinsight_session_recorder *recorder;
    char session[PINSIGHT_SESSION_NAME_MAX]; /* "": nothing is recorded */
    char join[PINSIGHT_JOIN_MAX];            /* the value of PINSIGHT_JOIN; "" for none */
    char output[PATH_MAX]; /* in a job, that of the process that keeps the session */
    bool keeps;            /* this process ends the session and reports its results */
    int fd;                /* readable if receive() has a message to take; -1: none */
    int kept[3];           /* further descriptors that stop() needs, or -1 */
    /* Results of stop(): */
    char problem[700];     /* a sentence for the user, or "" */
    const char *unwritten; /* why data is missing, unless a full disk or a limit explains it */
    bool incomplete;       /* the end of the trace is missing */
    bool broken;           /* the recorder ended before the command */
    /* The recorder's own state, which receive() changes: plain data, in memory that a forked
     * process has at the same address. */
    void *own;
    size_t own_size;
};

/* The needs of a traced process. */
struct pinsight_session_needs {
    uint64_t memory;      /* bytes of shared memory for its buffers; 0: none */
    uint64_t memory_left; /* bytes of shared memory that are available */
    bool is_scarce;       /* the buffers would be larger with more memory */
    uint64_t open_files;
};

struct pinsight_session_recorder {
    const char *name;   /* for --recorder and PINSIGHT_RECORDER */
    const char *title;  /* for users */
    const char *folder; /* folder of the trace, below the output folder */

    /*
     * Begins to record, or joins the session that another process of the job keeps. If nothing can
     * be recorded, reports the reason and leaves recording->session "". `recording` is all zero
     * except for its recorder. Returns 0, or the number of a signal that arrived meanwhile and
     * would have ended this process; then nothing was begun. One thread.
     */
    int (*start)(struct pinsight_recording *recording, const struct pinsight_session_config *config,
                 const struct pinsight_signals *signals);

    /* Takes a message at recording->fd, and reports it to the user if necessary. NULL: there is no
     * such descriptor. */
    void (*receive)(struct pinsight_recording *recording);

    /* Called by a process that does not keep the session, when its command has ended. */
    void (*leave)(struct pinsight_recording *recording);

    /* Ends the session when all other processes have left. Called by the process that keeps it.
     * Returns false if a signal ended the wait. The session then ends by itself, or the next report
     * completes it. */
    bool (*stop)(struct pinsight_recording *recording, const struct pinsight_signals *signals);

    /* Fills in the facts about the trace, and the processes that it lacks. Called after stop(). */
    void (*report)(const struct pinsight_recording *recording, struct pinsight_run_info *info);

    /* Removes all data of the recording from an output folder. Called in place of report(). */
    void (*clear)(const struct pinsight_recording *recording, const char *output);

    /* Returns false with the reason and a remedy in `why` if the recorder cannot be used here. */
    bool (*look_at_needs)(struct pinsight_session_needs *needs, char *why, size_t room);

    /* Events have numbers in place of names, whatever the user asks for. */
    bool numbers_alone;
    /* Folders with this text in their path can be traces without an event, which are removed at the
     * end. NULL: there are none. */
    const char *empty_traces;
    /* Sentences for options that have no effect, else NULL. */
    const char *no_buffer_size, *no_inline_names, *no_ring;
    const char *libraries; /* part of a message: packages that a traced process needs */
};

/* Initialises the common members, with functions of the recorder's file. */
#define PINSIGHT_SESSION_RECORDER(of_name, of_title, of_folder)                                    \
    .name = of_name, .title = of_title, .folder = of_folder, .start = start, .leave = leave,       \
    .stop = stop, .report = report, .clear = clear, .look_at_needs = look_at_needs

/* The recorders' names, ended by NULL. */
extern const char *const pinsight_session_recorder_names[];

/* Returns the recorder with a name, or NULL. A name of NULL or "" stands for the default
 * (format/choice.h). */
const struct pinsight_session_recorder *pinsight_session_recorder_find(const char *name);

/* Defined in src/session/lttng and src/session/file.c. */
extern const struct pinsight_session_recorder pinsight_session_recorder_lttng;
extern const struct pinsight_session_recorder pinsight_session_recorder_file;

/* Makes the name of a session, "pinsight-<program>-<pid>-<random>". Replaces characters that are
 * neither letters nor digits. */
void pinsight_session_make_name(char name[PINSIGHT_SESSION_NAME_MAX], const char *program, int pid);

#endif
