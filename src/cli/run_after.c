/* The process that sees a job's session to its end; see run_after.h. */
#include "cli/run_after.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/message.h"
#include "cli/run_output.h"

/* How long a launcher is kept from knowing that our command failed: ranks that end by themselves at
 * about the same time still get their summary before the launcher ends. */
enum { PATIENCE_MS = 1000 };

struct told {
    struct pinsight_ending ending;
    int status; /* of the command, as wait(2) has it */
};

/* Among what we have inherited is the launcher's line to the rank (PMI_FD): while a copy of it is
 * open, the launcher does not learn that the rank is gone. */
static void let_go_of_the_rest(const int *kept, size_t count) {
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    if (null >= 0) {
        dup2(null, STDIN_FILENO);
        dup2(null, STDOUT_FILENO);
    }
    pinsight_close_others(kept, count);
}

/* What it has copies of. */
struct before {
    const struct pinsight_ending *ending;
    const struct pinsight_worker *supervisor;
    const struct pinsight_signals *signals;
    const char *output;
    const struct pinsight_run_info *info;
};

static void serve(int fd, void *data) {
    const struct before *before = data;
    struct pinsight_worker supervisor = *before->supervisor;
    struct pinsight_run_info info = *before->info;
    const int kept[] = {fd, supervisor.fd, before->signals->fd};
    uint64_t began = pinsight_now_ns();
    struct told told = {.ending = *before->ending, .status = SIGKILL};
    ssize_t got;

    setsid();
    prctl(PR_SET_NAME, "pinsight-after");
    signal(SIGPIPE, SIG_IGN); /* the launcher may not be there any more to take the summary */
    let_go_of_the_rest(kept, sizeof(kept) / sizeof(*kept));
    do {
        got = recv(fd, &told, sizeof(told), 0);
    } while (got < 0 && errno == EINTR);
    if (got != (ssize_t)sizeof(told)) {
        told.ending = *before->ending;
        told.ending.wall_ns = pinsight_now_ns() - began;
        told.status = SIGKILL;
    }
    pinsight_ending_finish(&told.ending, &supervisor, before->signals, before->output, &info,
                           told.status);
    fflush(NULL);
}

bool pinsight_after_start(struct pinsight_worker *after, const struct pinsight_ending *ending,
                          const struct pinsight_worker *supervisor,
                          const struct pinsight_signals *signals, const char *output,
                          const struct pinsight_run_info *info) {
    struct before before = {ending, supervisor, signals, output, info};

    fflush(NULL);
    return pinsight_worker_start(after, 0, serve, &before) == 0;
}

bool pinsight_after_finish(struct pinsight_worker *after, const struct pinsight_ending *ending,
                           const struct pinsight_signals *signals, const char *output, int status) {
    struct told told = {.ending = *ending, .status = status};
    int64_t until = pinsight_now_ms() + PATIENCE_MS;

    if (after->fd < 0) {
        return false;
    }
    if (send(after->fd, &told, sizeof(told), MSG_NOSIGNAL) != (ssize_t)sizeof(told)) {
        close(after->fd);
        waitpid(after->pid, NULL, WNOHANG);
        return false;
    }
    for (;;) {
        struct pollfd wait[2] = {{.fd = after->fd, .events = POLLIN},
                                 {.fd = signals->fd, .events = POLLIN}};
        int64_t left = status == 0 ? -1 : until - pinsight_now_ms();
        if (status != 0 && left <= 0) {
            output = pinsight_run_output_short(output);
            pinsight_note("other ranks on this host are still at work: the trace in %s is complete "
                          "when they have ended",
                          output);
            break;
        }
        if (poll(wait, 2, (int)left) < 0 && errno != EINTR) {
            break;
        }
        if (wait[0].revents != 0 ||
            (wait[1].revents != 0 && pinsight_signals_deadly(signals) != 0)) {
            break;
        }
    }
    close(after->fd);
    return true;
}
