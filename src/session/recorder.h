/*
 * A recorder as `pinsight run` sees it: how a recording begins and ends around a command, and what
 * it needs. What a recorder is within the traced processes is in record/recorder.h, with the
 * variables of the environment that the command gets (pinsight_recorder_variables).
 *
 * The course of a run: start(); the command runs, and receive() takes what the recorder has to say
 * meanwhile; stop(); report(). Where nothing was recorded after all, clear() in place of report().
 * In a job with several processes on a host, each `pinsight run` has a recording: that of local
 * rank 0 comes to its end when the others have left.
 */
#ifndef PINSIGHT_SESSION_RECORDER_H
#define PINSIGHT_SESSION_RECORDER_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/run_info.h"
#include "record/choice.h"
#include "session/job.h"
#include "session/launch.h"

enum { PINSIGHT_SESSION_NAME_MAX = 128, PINSIGHT_JOIN_MAX = 128 };

/* What is to be recorded, and where. */
struct pinsight_session_config {
    char output[PATH_MAX]; /* absolute; the trace goes below it */
    char program[64];      /* for the session's name */
    char libdir[PATH_MAX];
    bool made_output;     /* the trace folder was not there before */
    bool registry;        /* Python's events have numbers for names */
    bool lossless;        /* a program waits for room rather than lose an event */
    uint64_t buffer_size; /* bytes of a part of a buffer, 0: choose */
    struct pinsight_job job;
};

struct pinsight_session_recorder;

/* A recording of this process, or its copy in the process that sees a job's session to its end. */
struct pinsight_recording {
    const struct pinsight_session_recorder *recorder;
    char session[PINSIGHT_SESSION_NAME_MAX]; /* "": nothing is recorded */
    char join[PINSIGHT_JOIN_MAX];            /* what goes into PINSIGHT_JOIN, "" for nothing */
    char output[PATH_MAX]; /* in a job, that of the process that keeps the session */
    bool keeps;            /* this process ends the session, and tells what came of it */
    int fd;                /* receive() has something to take when it is readable; -1: no more */
    int kept[3];           /* further descriptors that stop() needs, -1 */
    /* What stop() found: */
    char problem[700];     /* a sentence that the user must know, or "" */
    const char *unwritten; /* likewise, unless the disk or a limit tells why; or NULL */
    bool incomplete;       /* the end of the trace is missing */
    bool broken; /* the recorder ended before the command: what there is was written before */
    /* The recorder's own state, which receive() changes: plain data in memory that a forked process
     * has at the same place. */
    void *own;
    size_t own_size;
};

/* What the machine has to have for a traced process. */
struct pinsight_session_needs {
    uint64_t memory;      /* bytes of shared memory that its buffers take, 0: none */
    uint64_t memory_left; /* bytes of shared memory that there are */
    bool is_scarce;       /* the buffers would be larger where there were more */
    uint64_t open_files;
};

struct pinsight_session_recorder {
    const char *name;   /* of --recorder and PINSIGHT_RECORDER */
    const char *title;  /* as users know it */
    const char *folder; /* below the output folder, in which the trace lies */

    /*
     * Begins to record, or joins the session that another process of the job keeps. Where nothing
     * can be recorded it says so, and recording->session stays "". `recording` is all zero but for
     * its recorder. Returns 0; or the number of a signal that came meanwhile and would have ended
     * this process: then nothing was begun. One thread.
     */
    int (*start)(struct pinsight_recording *recording, const struct pinsight_session_config *config,
                 const struct pinsight_signals *signals);

    /* Takes what there is at recording->fd, and says what the user must know. NULL: there is no
     * such descriptor. */
    void (*receive)(struct pinsight_recording *recording);

    /* For a process that keeps none: its command has ended. */
    void (*leave)(struct pinsight_recording *recording);

    /* For the one that keeps the session: ends it, when all others have left. False if a signal
     * ended the wait: then it ends by itself, or the next report does what is left. */
    bool (*stop)(struct pinsight_recording *recording, const struct pinsight_signals *signals);

    /* After stop(): fills in what is known of the trace, and who is not in it. */
    void (*report)(const struct pinsight_recording *recording, struct pinsight_run_info *info);

    /* In place of report(): removes from an output folder all that is of the recording. */
    void (*clear)(const struct pinsight_recording *recording, const char *output);

    /* False, with the reason and what to do in `why`, where the recorder cannot be used here. */
    bool (*look_at_needs)(struct pinsight_session_needs *needs, char *why, size_t room);

    /* Events have numbers for names, whatever is asked. */
    bool numbers_alone;
    /* Folders with this in their path may be traces without an event, which are removed at the
     * end. NULL: there are none. */
    const char *empty_traces;
    /* Sentences, where an option cannot have its effect; else NULL. */
    const char *no_buffer_size, *no_inline_names, *no_ring;
    const char *libraries; /* part of a message: what is to be installed for a traced process */
};

/* What each recorder has; the functions are those of its file. */
#define PINSIGHT_SESSION_RECORDER(of_name, of_title, of_folder)                                    \
    .name = of_name, .title = of_title, .folder = of_folder, .start = start, .leave = leave,       \
    .stop = stop, .report = report, .clear = clear, .look_at_needs = look_at_needs

/* The names that there are, the last one NULL. */
extern const char *const pinsight_session_recorder_names[];

/* The recorder of that name; NULL for a name that is none. NULL or "" as a name: what a run takes
 * by itself (record/choice.h). */
const struct pinsight_session_recorder *pinsight_session_recorder_find(const char *name);

/* src/session/lttng, src/session/file.c */
extern const struct pinsight_session_recorder pinsight_session_recorder_lttng;
extern const struct pinsight_session_recorder pinsight_session_recorder_file;

/* Makes a session's name, "pinsight-<program>-<pid>-<random>"; what is no letter or digit there is
 * replaced. */
void pinsight_session_make_name(char name[PINSIGHT_SESSION_NAME_MAX], const char *program, int pid);

#endif
