/*
 * Work that may hang, done in a process of its own that can be killed.
 *
 * liblttng-ctl waits without limit for an answer of the session daemon: recvmsg(2) is tried again
 * after every signal, so a daemon that is stopped, or stuck, holds its caller for good.
 */
#ifndef PINSIGHT_BASE_TIMEOUT_H
#define PINSIGHT_BASE_TIMEOUT_H

#include <stddef.h>

/*
 * What such work does to show that it is alive: each call gives it the whole time again. Tells
 * `what` it is about to do (kept for messages, at most 95 characters).
 */
struct pinsight_pulse {
    int fd;
};
void pinsight_pulse_beat(const struct pinsight_pulse *pulse, const char *what);

enum pinsight_timed {
    PINSIGHT_TIMED_DONE = 0, /* the work returned; its result is valid */
    PINSIGHT_TIMED_HUNG,     /* it did nothing for too long, and was killed */
    PINSIGHT_TIMED_DIED,     /* it crashed */
    PINSIGHT_TIMED_FAILED,   /* no process could be made */
};

struct pinsight_timed_call {
    void (*work)(const struct pinsight_pulse *pulse, const void *request, void *result);
    const void *request;
    void *result;       /* plain data, copied back; untouched unless the work is DONE */
    size_t result_size; /* at most 4000 */
    int silence_ms;     /* how long the work may be silent before it is killed */
    /* Called, if not NULL, in the caller's process for each beat. */
    void (*heard)(void *listener, const char *what);
    void *listener;
    char last[96]; /* afterwards: what the work did last */
};

/*
 * Runs work->work(pulse, request, result) in a forked process, which is killed when it is silent
 * for too long, or when this process dies. Not for processes with more than one thread.
 */
enum pinsight_timed pinsight_call_with_timeout(struct pinsight_timed_call *work);

#endif
