/* A process of the command's process group that notes which signals reach it; see wait.h. */
#include "session/wait.h"

#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

/* The monitor's main function. Signals stay blocked, and wait in a signalfd for a question. */
static void be_signal_monitor(int fd, void *data) {
    unsigned char seen[NSIG] = {0};
    unsigned char number;
    sigset_t set;

    (void)data;
    prctl(PR_SET_NAME, "pinsight-signal");
    sigfillset(&set);
    sigdelset(&set, SIGCHLD);
    sigdelset(&set, SIGTTIN);
    sigdelset(&set, SIGTTOU);
    sigprocmask(SIG_BLOCK, &set, NULL);
    int signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    while (signals >= 0 && recv(fd, &number, 1, 0) == 1) {
        struct signalfd_siginfo info;
        while (read(signals, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
            if (info.ssi_signo < NSIG && seen[info.ssi_signo] < UINT8_MAX) {
                seen[info.ssi_signo]++;
            }
        }
        /* A number of 0 only resets the notes. */
        unsigned char answer = number < NSIG && seen[number] > 0;
        seen[number < NSIG ? number : 0] = 0;
        if (send(fd, &answer, 1, MSG_NOSIGNAL) != 1) {
            break;
        }
    }
}

int pinsight_signal_monitor_start(struct pinsight_worker *monitor) {
    return pinsight_worker_start(monitor, SIGKILL, be_signal_monitor, NULL);
}
