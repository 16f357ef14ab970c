/* Handlers that do no more than a handler may. */
#include "cli/view_signals.h"

#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted;

static void on_interrupt(int number) {
    (void)number;
    if (interrupted)
        _exit(130);
    interrupted = 1;
}

static void on_abort(int number) {
    static const char message[] =
        "pinsight: the trace is damaged in a way that babeltrace2 cannot read past; record it "
        "again\n";
    ssize_t ignored = write(STDERR_FILENO, message, strlen(message));

    (void)number;
    (void)ignored;
    _exit(1);
}

const volatile sig_atomic_t *pinsight_view_signals(void) {
    /* A write that was held up by a slow reader goes on: it would count as failed. */
    struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = SA_RESTART};

    sigaction(SIGINT, &action, NULL);
    action.sa_handler = on_abort;
    sigaction(SIGABRT, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
    return &interrupted;
}
