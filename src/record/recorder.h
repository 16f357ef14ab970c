/*
 * What carries the events of a traced process, as all of PInsight in that process sees it.
 *
 * Two parts of a recorder run for every event and are not here: whether somebody listens to an
 * event, and the event itself. Each domain has a table of functions for them (record/table.h), and
 * what is frequent and small goes into a file inline (record/stream.h).
 *
 * The rest is three tables, one for each library that has to do with it:
 *   pinsight_recorder            libpinsight.so, where events are recorded
 *   pinsight_recorder_shim       libpinsight-preload.so, which links nothing of a recorder
 *   pinsight_recorder_variables  whoever makes, keeps or hides an environment
 * src/record/recorder.c chooses the first when the process starts. Two more seams are of processes
 * beside the traced one: session/recorder.h (`pinsight run`) and introspect/rotate.h.
 */
#ifndef PINSIGHT_RECORD_RECORDER_H
#define PINSIGHT_RECORD_RECORDER_H

#include "pinsight/pinsight.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* ---- in libpinsight.so ---- */

struct pinsight_counts_grant; /* record/counts.h */

/* What came of joining the session of a run. */
enum pinsight_joined {
    PINSIGHT_JOINED,          /* recorded from now on; or there is nothing to join */
    PINSIGHT_JOIN_OVER,       /* the session is over, or on another host */
    PINSIGHT_JOIN_UNANSWERED, /* it gave no answer in time */
};

/* A pointer to a function may be NULL where nothing else is said: then there is nothing to do. */
struct pinsight_recorder {
    const char *name;

    /*
     * Prepares the process, once, before it joins and before its first event. Returns whether the
     * children that it forks are recorded: where not, a child records nothing. Never NULL. One
     * thread; may allocate and open libraries.
     */
    bool (*start)(void);

    /*
     * Joins the session that the environment names; events from before are in no trace. `grant`
     * says where the process counts what it records; who calls closes its descriptor. To be called
     * once in each process, after start(). May take 10 s. Never NULL. Keeps errno, uses no memory
     * of the heap.
     */
    enum pinsight_joined (*join)(struct pinsight_counts_grant *grant);

    /*
     * The same in a forked child, within fork(), in its only thread and before anything is
     * recorded: no thread may be started, no lock be taken that another thread may have held, and
     * no event be recorded. Never NULL.
     */
    enum pinsight_joined (*fork_child)(struct pinsight_counts_grant *grant);

    /*
     * A number that is another each time that a session begins or ceases to listen to the core's
     * definitions; 0 while nobody listens. A load or two. Never NULL. Any thread.
     */
    uintptr_t (*listeners)(void);

    /* May an event of a domain wait for room? Then a watchdog looks after the threads. Never NULL.
     * Any thread, after start(). */
    bool (*may_wait)(void);

    /* After join(): whether it keeps the last part of the events alone, as the variable
     * PINSIGHT_RING asks. NULL: it cannot. */
    bool (*is_ring)(void);

    /* Between two events, about once in 64 KiB of a thread's: whether what the calling thread
     * recorded until now may be dropped without what it records from now on. Then what is open in
     * it is to be said. NULL: nothing is dropped. */
    bool (*renew)(void);

    /* A definition that took longer, in ns, was read by nobody: no other one is tried. */
    uint64_t unread_ns;

    /* Events have numbers for names (names = registry), whatever is asked. */
    bool has_numbers_only;

    /* Somebody holds what a process counted against what is in the trace (event_count). */
    bool has_counts;

    /* The calling thread has got its state, before its first event; it has recorded its last one.
     * In the child of a fork nothing is said of the parent's threads. */
    void (*thread_begin)(void);
    void (*thread_end)(void);

    /* What this process recorded so far, of all domains, in bytes of the trace; what other threads
     * have in their buffers may be missing. NULL: domains reckon it. Any thread. */
    uint64_t (*bytes)(void);

    /* So many bytes of zeroed memory that outlives the process, for what MONITORING counts
     * (record/kept.h): they are there until it ends. NULL where there are none. NULL: it has no
     * such memory. Any thread. */
    void *(*keep)(uint64_t bytes);

    /* What all threads recorded so far can be read from now on, however the process ends. At its
     * exit and when a mode changes. Any thread. */
    void (*flush)(void);

    /* Ends the recording: what this process recorded is completed, and nothing of it stays open. No
     * domain records meanwhile. join() begins another one. NULL: it ends with the process alone. */
    void (*end)(void);

    /* Parts of messages: what to do where join() got no answer; why nobody may read, a question. */
    const char *unanswered;
    const char *unread;
};

/* What join() finds the session by. */
#define PINSIGHT_JOIN_VARIABLE "PINSIGHT_JOIN"
/* The name of the host that the run's session is on: for a process that finds it over. */
#define PINSIGHT_HOST_VARIABLE "PINSIGHT_HOST"

/* The recorder of this process; never NULL. */
extern PINSIGHT_API const struct pinsight_recorder *pinsight_recorder;

/* Takes the one that the environment asks for (PINSIGHT_RECORDER), before any other use. Returns
 * NULL; or what is missing for it: then nothing is recorded. Later calls return the same. */
PINSIGHT_API const char *pinsight_recorder_choose(void);

/* Something could not be written to `path`, and why ("the disk was full"). Set by the core; NULL:
 * nobody is told. Any thread; may come often. */
extern void (*pinsight_recorder_on_loss)(const char *path, const char *why);

/* The process is perhaps another one than at the last event: it may have been forked without the
 * fork's handlers, by _Fork() or clone(). Set by the core. Within an event: must not record. */
extern void (*pinsight_recorder_on_first)(void);

/* The program is about to do what only a process with one thread may do (true), or has done it. Set
 * by the core, whose threads are not there in between. */
extern void (*pinsight_recorder_on_alone)(bool begins);

extern const struct pinsight_recorder pinsight_recorder_file;

/* Where a recorder that writes files writes them, in place of $PINSIGHT_OUTPUT: for a process that
 * is told so while it runs. An absolute path; NULL: as the environment says. For join(). */
extern PINSIGHT_API const char *pinsight_recorder_output;

/* ---- in libpinsight-preload.so ---- */

/* What a program does that may take it away from where it can write. */
enum pinsight_leave {
    PINSIGHT_LEAVE_PLACE,   /* it is about to take another root or user, or other mounts */
    PINSIGHT_LEAVE_ALONE,   /* it is about to do what only a process with one thread may do */
    PINSIGHT_LEAVE_IS_DONE, /* it has done that, or could not */
    PINSIGHT_LEAVE_CALLS, /* its calling thread is about to forbid itself work with files (seccomp)
                           */
    PINSIGHT_LEAVE_ALL_CALLS,  /* all its threads are, or the thread forbids itself to ask others */
    PINSIGHT_LEAVE_KEEPS_CALLS /* that could not be done */
};

/* What programs may do to a recorder without knowing: what is called in place of libc's. */
struct pinsight_recorder_guards {
    /* A handle of dlopen(): fork(), clone(), daemon(), unshare(), setns(), setuid() and its kin are
     * called there. NULL: libc's are. */
    void *forks;
    /* Likewise close(), which leaves the recorder's descriptors open. */
    void *fds;
    /* Around a fork that `forks` has no function for: before it, then after it in the parent or in
     * the child. As safe in a signal handler as fork(). NULL where `forks` is. */
    void (*before_fork)(sigset_t *signals);
    void (*after_fork_parent)(sigset_t *signals);
    void (*after_fork_child)(sigset_t *signals);
};

struct pinsight_recorder_shim {
    /* dlopen() for the libpinsight that has the recorder that is asked for, before a library is
     * opened that records and is linked to it. Never NULL. Any thread, whose name may be another
     * for the moment. */
    void *(*open)(const char *libdir);

    /* Fills in the guards, once, when the recorder is in the process. On false it has said what is
     * missing, and children that the process forks are not recorded. Any thread. */
    bool (*guard)(struct pinsight_recorder_guards *guards);

    /* Is a thread of this name (/proc/PID/task/TID/comm, with its line's end) the recorder's? */
    bool (*owns_thread)(const char *name);

    /* Parts of messages: what PInsight's libraries need; a question about it. */
    const char *package;
    const char *is_installed;
};

/* The one of this build (src/preload/lttng/shim.c). */
extern const struct pinsight_recorder_shim pinsight_recorder_shim;

/* ---- environments ---- */

struct pinsight_recorder_variable {
    const char *name;  /* with its = */
    const char *value; /* what the command of a run gets */
    /* The run's own: takes the place of what is there, and no script gets it. Else the user's
     * stands. */
    bool is_runs;
};

struct pinsight_recorder_variables {
    const struct pinsight_recorder_variable *set; /* ends with a name that is NULL */
    /* With its =: names the folder in which a process finds the recorder's daemon, HOME where it is
     * not set. NULL: there is none. */
    const char *home;
};

/* Those of this build (src/record/lttng/variables.c). */
extern const struct pinsight_recorder_variables pinsight_recorder_variables;

#endif
