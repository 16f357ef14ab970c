/*
 * The client of the protocol in base/ctl.h, for `pinsight ctl` and for other parts that send
 * requests to the processes of a run. Not thread-safe.
 */
#ifndef PINSIGHT_BASE_CTL_CLIENT_H
#define PINSIGHT_BASE_CTL_CLIENT_H

#include "base/ctl.h"
#include "base/pairs.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The result of a request. */
enum pinsight_call_state {
    PINSIGHT_CALL_WAITING,
    PINSIGHT_CALL_ANSWERED, /* the reply is there */
    PINSIGHT_CALL_GONE,     /* the process ended, or replaced itself by another program */
    PINSIGHT_CALL_SILENT,   /* no answer within the time */
    PINSIGHT_CALL_FOREIGN,  /* it belongs to `uid`, another user */
    PINSIGHT_CALL_REFUSED,  /* its real, effective and saved user are not all the caller's */
    PINSIGHT_CALL_FAILED,   /* `error` */
};

/* A request to one process. */
struct pinsight_call {
    char name[PINSIGHT_CTL_NAME_ROOM]; /* of its socket */
    int pid;   /* from the reply's sender; before the reply, from the name */
    uid_t uid; /* the user of the reply's sender */
    enum pinsight_call_state state;
    int error;     /* errno */
    char *reply;   /* lines (pinsight_pairs_read), to be freed with pinsight_calls_free */
    size_t length; /* of reply, which has room for one more byte */
    bool sent;
};

/*
 * Finds the sockets of all traced processes on this host, of every user. Returns `*count` calls in
 * the state WAITING, which the caller frees with pinsight_calls_free. Returns NULL with errno on an
 * error, and NULL with errno 0 if there are none; `*count` is then 0.
 */
struct pinsight_call *pinsight_calls_find(size_t *count);

/*
 * Sends one request, lines without an id, to all calls in the state WAITING at the same time.
 * Returns when each call has another state, at the latest after `timeout_ms`; -1 waits without
 * limit for processes that live. Replies to earlier requests are freed.
 */
void pinsight_calls_ask(struct pinsight_call *calls, size_t count, const char *request,
                        int64_t timeout_ms);

/* Writes the first value of a key in the reply to `value`. Writes "" and returns false if the reply
 * does not have the key. */
bool pinsight_call_value(const struct pinsight_call *call, const char *key, char *value,
                         size_t room);

void pinsight_calls_free(struct pinsight_call *calls, size_t count);

#endif
