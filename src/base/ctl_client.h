/*
 * Asking traced processes: `pinsight ctl`'s side of base/ctl.h. Also for others who have something
 * to say to the processes of a run. One thread at a time.
 */
#ifndef PINSIGHT_BASE_CTL_CLIENT_H
#define PINSIGHT_BASE_CTL_CLIENT_H

#include "base/ctl.h"
#include "base/pairs.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* How asking a process went. */
enum pinsight_call_state {
    PINSIGHT_CALL_WAITING,
    PINSIGHT_CALL_ANSWERED, /* the reply is there */
    PINSIGHT_CALL_GONE,     /* the process ended, or replaced itself by another program */
    PINSIGHT_CALL_SILENT,   /* no answer within the time */
    PINSIGHT_CALL_FOREIGN,  /* it belongs to `uid`, who is not us */
    PINSIGHT_CALL_REFUSED,  /* its real, effective and saved user are not all us, but one is */
    PINSIGHT_CALL_FAILED,   /* `error` */
};

/* A question to one process. */
struct pinsight_call {
    char name[PINSIGHT_CTL_NAME_ROOM]; /* of its socket */
    int pid;                           /* as the kernel says in the reply; before that, by name */
    uid_t uid;                         /* likewise, of the reply */
    enum pinsight_call_state state;
    int error;     /* errno */
    char *reply;   /* lines (pinsight_pairs_read), to be freed with pinsight_calls_free */
    size_t length; /* of reply, which has room for one more byte */
    bool sent;
};

/*
 * The sockets of all processes on this host that can be asked, of every user. Returns calls that
 * wait to be asked, `*count` of them, to be freed with pinsight_calls_free; NULL with errno, where
 * `*count` is 0 too if there is none.
 */
struct pinsight_call *pinsight_calls_find(size_t *count);

/*
 * Asks all that have the state WAITING the same, all at the same time: `request` is lines without
 * an id. Returns when each has another state, after `timeout_ms` at the latest; -1 waits without
 * limit for processes that live. A reply of an earlier question is freed.
 */
void pinsight_calls_ask(struct pinsight_call *calls, size_t count, const char *request,
                        int64_t timeout_ms);

/* The first value of a key in a reply, written to `value`; false, and "", if there is none. */
bool pinsight_call_value(const struct pinsight_call *call, const char *key, char *value,
                         size_t room);

void pinsight_calls_free(struct pinsight_call *calls, size_t count);

#endif
