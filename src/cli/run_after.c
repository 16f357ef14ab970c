/* The process that ends a job's session; see run_after.h. */
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

/* Time until a launcher learns that the command failed. Ranks that end at about the same time still
 * get their summary before the launcher ends. */
enum { PATIENCE_MS = 1000 };

struct outcome {
    struct pinsight_ending ending;
    int status; /* wait status of the command */
};

/* Closes inherited descriptors. One of them is the launcher's connection to the rank (PMI_FD).
 * While a copy is open, the launcher does not learn that the rank has ended. */
static void let_go_of_the_rest(const int *kept, size_t count) {
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    if (null >= 0) {
        dup2(null, STDIN_FILENO);
        dup2(null, STDOUT_FILENO);
    }
    pinsight_close_others(kept, count);
}

/* Arguments that the process has copies of. */
struct before {
    const struct pinsight_ending *ending;
    const struct pinsight_signals *signals;
    const struct pinsight_run_info *info;
};

/* The message to the process: the outcome and the recorder's own state. The receiver puts the state
 * in place of its copy. */
struct parcel {
    struct iovec pieces[2];
    struct msghdr message;
    ssize_t size;
};

static struct msghdr *wrap(struct parcel *parcel, struct outcome *outcome,
                           const struct pinsight_recording *recording) {
    parcel->pieces[0] = (struct iovec){outcome, sizeof(*outcome)};
    parcel->pieces[1] = (struct iovec){recording->own, recording->own_size};
    parcel->message = (struct msghdr){.msg_iov = parcel->pieces, .msg_iovlen = 2};
    parcel->size = (ssize_t)(sizeof(*outcome) + recording->own_size);
    return &parcel->message;
}

static void serve(int fd, void *data) {
    const struct before *before = data;
    const struct pinsight_recording *recording = &before->ending->recording;
    struct pinsight_run_info info = *before->info;
    const int kept[] = {fd,
                        before->signals->fd,
                        recording->fd,
                        recording->kept[0],
                        recording->kept[1],
                        recording->kept[2]};
    uint64_t began = pinsight_now_ns();
    struct outcome outcome = {.ending = *before->ending, .status = SIGKILL};
    struct parcel parcel;
    ssize_t got;

    setsid();
    send(fd, "", 1, MSG_NOSIGNAL);
    prctl(PR_SET_NAME, "pinsight-after");
    signal(SIGPIPE, SIG_IGN); /* the reader of the summary may have gone */
    let_go_of_the_rest(kept, sizeof(kept) / sizeof(*kept));
    do {
        got = recvmsg(fd, wrap(&parcel, &outcome, recording), 0);
    } while (got < 0 && errno == EINTR);
    if (got != parcel.size) {
        outcome.ending = *before->ending;
        outcome.ending.wall_ns = pinsight_now_ns() - began;
        outcome.status = SIGKILL;
    }
    pinsight_ending_finish(&outcome.ending, before->signals, &info, outcome.status);
    fflush(NULL);
}

bool pinsight_after_start(struct pinsight_worker *after, const struct pinsight_ending *ending,
                          const struct pinsight_signals *signals,
                          const struct pinsight_run_info *info) {
    struct before before = {ending, signals, info};
    char ready;

    fflush(NULL);
    if (pinsight_worker_start(after, 0, serve, &before) != 0) {
        return false;
    }
    /* A launcher that ends the ranks kills their process group. The process has left it then. */
    while (recv(after->fd, &ready, sizeof(ready), 0) < 0 && errno == EINTR) {
    }
    return true;
}

bool pinsight_after_finish(struct pinsight_worker *after, const struct pinsight_ending *ending,
                           const struct pinsight_signals *signals, int status) {
    struct outcome outcome = {.ending = *ending, .status = status};
    int64_t until = pinsight_now_ms() + PATIENCE_MS;
    struct parcel parcel;

    if (after->fd < 0) {
        return false;
    }
    if (sendmsg(after->fd, wrap(&parcel, &outcome, &ending->recording), MSG_NOSIGNAL) !=
        parcel.size) {
        close(after->fd);
        waitpid(after->pid, NULL, WNOHANG);
        return false;
    }
    for (;;) {
        struct pollfd wait[2] = {{.fd = after->fd, .events = POLLIN},
                                 {.fd = signals->fd, .events = POLLIN}};
        int64_t left = status == 0 ? -1 : until - pinsight_now_ms();
        if (status != 0 && left <= 0) {
            pinsight_note("other ranks on this host are still at work: the trace in %s is complete "
                          "when they have ended",
                          pinsight_run_output_short(ending->recording.output));
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
