/*
 * What carries the events of a traced process, as all of PInsight in that process sees it.
 *
 * Two parts of a recorder run for every event and are not here: whether a session listens to an
 * event, a load and a branch, and the event itself. The generator writes an inline function for
 * each (record/<domain>.h), which uses PINSIGHT_EVENT_LISTENED, PINSIGHT_EVENT_RECORD and
 * PINSIGHT_EVENT_HEAD_BYTES of the recorder (record/event.h).
 *
 * The rest is three tables, one for each library that has to do with it:
 *   pinsight_recorder            libpinsight.so, where events are recorded
 *   pinsight_recorder_shim       libpinsight-preload.so, which links nothing of a recorder
 *   pinsight_recorder_variables  whoever makes, keeps or hides an environment
 * src/record/recorder.c, src/preload/recorder.c and the build choose them. Two more seams lie in
 * processes beside the traced one: session/recorder.h (`pinsight run`) and introspect/rotate.h.
 */
#ifndef PINSIGHT_RECORD_RECORDER_H
#define PINSIGHT_RECORD_RECORDER_H

#include "record/counts.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* ---- in libpinsight.so ---- */

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

    /* A definition that took longer, in ns, was read by nobody: no other one is tried. */
    uint64_t unread_ns;

    /* The calling thread has got its state, before its first event; it has recorded its last one.
     * In the child of a fork nothing is said of the parent's threads. */
    void (*thread_begin)(void);
    void (*thread_end)(void);

    /* What all threads recorded so far can be read from now on, however the process ends. At its
     * exit and when a mode changes. Any thread. */
    void (*flush)(void);

    /* Parts of messages: what to do where join() got no answer; why nobody may read, a question. */
    const char *unanswered;
    const char *unread;
};

/* The name of the host that the run's session is on: for a process that finds it over. */
#define PINSIGHT_HOST_VARIABLE "PINSIGHT_HOST"

/* The recorder of this process. */
extern const struct pinsight_recorder *const pinsight_recorder;

extern const struct pinsight_recorder pinsight_recorder_lttng;

#endif
