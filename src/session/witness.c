/* A process of the command's process group that notes which signals reach it. */
#include "session/wait.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* It has the signals of its parent blocked, so they wait in its own signalfd until it is asked. */
static void be_witness(int fd, int signals) {
    unsigned char seen[NSIG];
    unsigned char number;

    memset(seen, 0, sizeof(seen));
    while (recv(fd, &number, 1, 0) == 1) {
        struct signalfd_siginfo info;
        while (read(signals, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
            if (info.ssi_signo < NSIG && seen[info.ssi_signo] < UINT8_MAX) {
                seen[info.ssi_signo]++;
            }
        }
        /* A number of 0 asks for nothing but to forget. */
        unsigned char answer = number < NSIG && seen[number] > 0;
        seen[number < NSIG ? number : 0] = 0;
        if (send(fd, &answer, 1, MSG_NOSIGNAL) != 1) {
            break;
        }
    }
    _exit(0);
}

int pinsight_witness_start(pid_t *pid) {
    int pair[2];

    *pid = 0;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
        return -1;
    }
    pid_t parent = getpid();
    pid_t child = fork();
    if (child == 0) {
        sigset_t set;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        prctl(PR_SET_NAME, "pinsight-signal");
        close(pair[0]);
        sigfillset(&set);
        sigdelset(&set, SIGCHLD);
        sigdelset(&set, SIGTTIN);
        sigdelset(&set, SIGTTOU);
        sigprocmask(SIG_BLOCK, &set, NULL);
        int fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
        if (getppid() == parent && fd >= 0) {
            be_witness(pair[1], fd);
        }
        _exit(0);
    }
    close(pair[1]);
    if (child < 0) {
        close(pair[0]);
        return -1;
    }
    *pid = child;
    return pair[0];
}

void pinsight_witness_stop(int witness, pid_t pid) {
    if (witness >= 0) {
        close(witness);
        kill(pid, SIGKILL);
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
        }
    }
}
