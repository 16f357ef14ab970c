/*
 * The interface of a recorder, which carries the events of a traced process.
 *
 * Two parts of a recorder run for every event and are not here: the test whether an event has a
 * listener, and the recording of the event. Each domain has a table of functions for them
 * (tracer/record/table.h). Frequent small events are stored inline (tracer/record/stream.h).
 *
 * The rest is two tables, one for each kind of library:
 *
 *   pinsight_recorder       for libpinsight.so, which records events
 *   pinsight_recorder_shim  for libpinsight-preload.so, which links no recorder
 *
 * src/tracer/record/recorder.c chooses the first when the process starts. Code that makes, keeps or
 * hides an environment uses the table of format/variables.h. Processes beside the traced one use
 * two more tables: session/recorder.h (`pinsight run`) and introspect/rotate.h.
 */
#ifndef PINSIGHT_RECORD_RECORDER_H
#define PINSIGHT_RECORD_RECORDER_H

#include "format/variables.h"
#include "pinsight/pinsight.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* ---- in libpinsight.so ---- */

struct pinsight_counts_grant; /* format/counts.h */

/* A pointer to a function may be NULL unless its comment forbids it. NULL means that there is
 * nothing to do. */
struct pinsight_recorder {
    const char *name;

    /*
     * Prepares the process, once, before it joins and before its first event. Returns whether
     * forked children are recorded; otherwise a child records nothing. May allocate and open
     * libraries. Never NULL. One thread.
     */
    bool (*start)(void);

    /*
     * Joins the session in the environment. Earlier events are in no trace. Fills in `grant`, in
     * which the process counts its events; the caller closes its descriptor. Called once in each
     * process, after start(). May take 10 s. Keeps errno, and does not use the heap. Never NULL.
     */
    enum pinsight_joined (*join)(struct pinsight_counts_grant *grant);

    /*
     * Joins like join(), in a forked child. Called within fork(), in the child's only thread,
     * before anything is recorded. Must not start a thread, take a lock that another thread may
     * have held, or record an event. Never NULL.
     */
    enum pinsight_joined (*fork_child)(struct pinsight_counts_grant *grant);

    /*
     * Returns a number that changes each time that a session begins or ceases to listen to the
     * core's definitions; 0 while no session listens. One or two loads. Never NULL. Any thread.
     */
    uintptr_t (*listeners)(void);

    /* Returns whether events of a domain may wait for room, so that a watchdog is needed. Never
     * NULL. Any thread, after start(). */
    bool (*may_wait)(void);

    /* Returns whether only the most recent events are kept, as PINSIGHT_RING requests. Valid after
     * join(). NULL: not supported. */
    bool (*is_ring)(void);

    /* Returns whether the calling thread's earlier events may be dropped without its later ones.
     * The thread then has to record its open calls. Called between two events, about once in 64 KiB
     * of a thread's events. NULL: no events are dropped. */
    bool (*renew)(void);

    /* The time in ns after which a waiting definition proves that the buffers have no reader. No
     * further definition waits then. */
    uint64_t unread_ns;

    /* Events always have numbers in place of names, whatever `names` requests. */
    bool has_numbers_only;

    /* A reader compares the process's count of events with the trace (event_count). */
    bool has_counts;

    /* Called in the calling thread when it has got its state, before its first event; and after its
     * last event. A forked child does not call them for its parent's threads. */
    void (*thread_begin)(void);
    void (*thread_end)(void);

    /* Returns the bytes of trace that this process has recorded so far, in all domains. Data in the
     * buffers of other threads may be missing. NULL: the domains estimate it. Any thread. */
    uint64_t (*bytes)(void);

    /* Returns `bytes` of zeroed memory that outlives the process, for the counts of MONITORING
     * (format/persistent.h). It is never freed. Returns NULL if there is none. NULL: the recorder
     * has no such memory. Any thread. */
    void *(*keep)(uint64_t bytes);

    /* Makes everything that all threads have recorded so far readable, however the process ends.
     * Called at its exit and when a mode changes. Any thread. */
    void (*flush)(void);

    /* Ends the recording: completes its data and closes everything. No domain records meanwhile.
     * join() begins another recording. NULL: a recording ends only with the process. */
    void (*end)(void);

    /* Parts of messages: the remedy if join() got no answer; and a question about the reason why
     * the buffers may have no reader. */
    const char *unanswered;
    const char *unread;
};

/* The recorder of this process; never NULL. */
extern PINSIGHT_API const struct pinsight_recorder *pinsight_recorder;

/* Chooses the recorder of PINSIGHT_RECORDER, before any other use. Returns NULL, or the reason why
 * it is missing; nothing is recorded then. Later calls return the same. */
PINSIGHT_API const char *pinsight_recorder_choose(void);

/* Called when data could not be written to `path`; `why` is the reason ("the disk was full"). Set
 * by the core; may be NULL. Any thread, possibly often. */
extern void (*pinsight_recorder_on_loss)(const char *path, const char *why);

/* Called when the process may be another one than at the last event: _Fork() and clone() call no
 * handlers. Set by the core. Called within an event, so it must not record. */
extern void (*pinsight_recorder_on_first)(void);

/* Called before (true) and after the program does something that only a process with one thread may
 * do. Set by the core, whose threads end in between. */
extern void (*pinsight_recorder_on_alone)(bool begins);

extern const struct pinsight_recorder pinsight_recorder_file;

/* The output folder in place of $PINSIGHT_OUTPUT, for a process that is attached while it runs. An
 * absolute path, or NULL for the environment's folder. Used by join(). */
extern PINSIGHT_API const char *pinsight_recorder_output;

/* With pinsight_recorder_output: the limit of the flight recorder, or "" for a whole recording. */
extern PINSIGHT_API const char *pinsight_recorder_ring;

/* ---- in libpinsight-preload.so ---- */

/* An action of the program that may prevent the recorder from writing. */
enum pinsight_restriction {
    PINSIGHT_RESTRICTION_PLACE,   /* before it takes another root or user, or other mounts */
    PINSIGHT_RESTRICTION_THREADS, /* before it does something that needs a process with one thread
                                   */
    PINSIGHT_RESTRICTION_DONE,    /* after that, successful or not */
    PINSIGHT_RESTRICTION_CLOCKS,  /* before its calling thread forbids itself to read clocks
                                     (seccomp) */
    PINSIGHT_RESTRICTION_FILTER,  /* before its calling thread gets a filter of any kind (seccomp),
                                     which its new threads and children inherit */
    PINSIGHT_RESTRICTION_SIGNALS, /* before its calling thread forbids itself to block signals
                                     (seccomp) */
    PINSIGHT_RESTRICTION_CALLS,   /* before its calling thread forbids itself work with files
                                     (seccomp) */
    /* before all its threads do, or before the thread forbids that to others */
    PINSIGHT_RESTRICTION_ALL_CALLS,
    PINSIGHT_RESTRICTION_FAILED /* after such a filter could not be installed */
};

/* Functions that replace libc's, because a program's calls could damage the recorder. */
struct pinsight_recorder_guards {
    /* A handle of dlopen() with replacements of fork(), clone(), daemon(), unshare(), setns(),
     * setuid() and similar functions. NULL: libc's are called. */
    void *forks;
    /* A handle with a replacement of close() that keeps the recorder's descriptors open. NULL:
     * libc's is called. */
    void *fds;
    /* Called before a fork for which `forks` has no function, and after it in the parent or in the
     * child. As safe in a signal handler as fork(). NULL if `forks` is NULL. */
    void (*before_fork)(sigset_t *signals);
    void (*after_fork_parent)(sigset_t *signals);
    void (*after_fork_child)(sigset_t *signals);
};

struct pinsight_recorder_shim {
    /* Opens the libpinsight with the requested recorder, before a recording library that links it
     * is opened. Returns a handle of dlopen(). May change the thread's name for a moment. Never
     * NULL. Any thread. */
    void *(*open)(const char *libdir);

    /* Fills in the guards, once, when the recorder is in the process. On false, it has reported the
     * reason, and forked children are not recorded. Any thread. */
    bool (*guard)(struct pinsight_recorder_guards *guards);

    /* Returns whether a thread of this name (/proc/PID/task/TID/comm, with its newline) belongs to
     * the recorder. */
    bool (*owns_thread)(const char *name);

    /* Parts of messages: the package that PInsight's libraries need; and a question about it. */
    const char *package;
    const char *is_installed;
};

/* The table of this build (src/tracer/preload/lttng/shim.c). */
extern const struct pinsight_recorder_shim pinsight_recorder_shim;

#endif
