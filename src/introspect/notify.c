/* Notifies the other processes of a run; see notify.h. */
#include "introspect/notify.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/ctl_client.h"
#include "format/introspect_protocol.h"

/* The limits for the answers of processes to each request. */
enum { STATUS_MS = 1000, DEFINE_MS = 2000 };

/* Returns whether a process has reported that it belongs to the session. */
static bool is_of(const struct pinsight_call *call, const char *session) {
    char name[256];

    return call->state == PINSIGHT_CALL_ANSWERED &&
           pinsight_call_value(call, "session", name, sizeof(name)) && strcmp(name, session) == 0;
}

static void notify(const char *session, int served) {
    size_t count;
    struct pinsight_call *calls = pinsight_calls_find(&count);

    for (size_t i = 0; i < count; i++) {
        if (calls[i].pid == served) {
            calls[i].state = PINSIGHT_CALL_GONE; /* it knows already */
        }
    }
    pinsight_calls_ask(calls, count, "status\n", STATUS_MS);
    for (size_t i = 0; i < count; i++) {
        if (is_of(&calls[i], session)) {
            calls[i].state = PINSIGHT_CALL_WAITING;
        }
    }
    pinsight_calls_ask(calls, count, "define\n", DEFINE_MS);
}

void pinsight_notify_others(const char *session, const char *served) {
    pid_t pid = fork();

    if (pid == 0) {
        close(PINSIGHT_INTROSPECT_FD); /* the traced process waits for its last copy to close */
        alarm(10);
        notify(session, atoi(served));
        _exit(0);
    }
}
