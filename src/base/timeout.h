/*
 * Calls with a time limit: a function that may hang runs in a child process, which can be killed.
 *
 * A library may wait without limit for an answer of its daemon. If it repeats recvmsg(2) after
 * every signal, a daemon that is stopped or stuck blocks its caller for good.
 */
#ifndef PINSIGHT_BASE_TIMEOUT_H
#define PINSIGHT_BASE_TIMEOUT_H

#include <stddef.h>

/*
 * The function calls pinsight_pulse_beat() to show that it is alive. Each call restarts the time
 * limit. `what` names the next step, for messages; 95 characters are kept.
 */
struct pinsight_pulse {
    int fd;
};
void pinsight_pulse_beat(const struct pinsight_pulse *pulse, const char *what);

enum pinsight_timed {
    PINSIGHT_TIMED_DONE = 0, /* the function returned; its result is valid */
    PINSIGHT_TIMED_HUNG,     /* it was silent for too long, and was killed */
    PINSIGHT_TIMED_DIED,     /* it crashed */
    PINSIGHT_TIMED_FAILED,   /* the child could not be made */
};

struct pinsight_timed_call {
    void (*work)(const struct pinsight_pulse *pulse, const void *request, void *result);
    const void *request;
    void *result;       /* plain data, copied back; unchanged unless the result is DONE */
    size_t result_size; /* at most 4000 */
    int silence_ms;     /* the longest time without a beat before the child is killed */
    /* Called, if not NULL, in the caller's process for each beat. */
    void (*on_beat)(void *listener, const char *what);
    void *listener;
    char last[96]; /* the last step that the function named */
};

/*
 * Runs work->work(pulse, request, result) in a forked child. The child is killed if it is silent
 * for too long, or if this process dies. Only for processes with one thread.
 */
enum pinsight_timed pinsight_call_with_timeout(struct pinsight_timed_call *work);

#endif
