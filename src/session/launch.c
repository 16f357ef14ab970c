/* Starting a command as its caller would have, and ending the way it ended. */
#include "session/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

int pinsight_signals_take(struct pinsight_signals *signals) {
    /* What the kernel raises for a fault of ours, and what belongs to the terminal's driver. */
    static const int ours[] = {SIGSEGV, SIGBUS,  SIGFPE,  SIGILL,  SIGTRAP,
                               SIGSYS,  SIGABRT, SIGPIPE, SIGTTIN, SIGTTOU};
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigset_t set;

    sigfillset(&set);
    for (size_t i = 0; i < sizeof(ours) / sizeof(*ours); i++) {
        sigdelset(&set, ours[i]);
    }
    sigaction(SIGPIPE, &ignore, &signals->old_pipe);
    if (sigprocmask(SIG_BLOCK, &set, &signals->old_mask) != 0) {
        return errno;
    }
    signals->fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    return signals->fd < 0 ? errno : 0;
}

int pinsight_signals_deadly(const struct pinsight_signals *signals) {
    struct signalfd_siginfo info;
    int deadly = 0;

    while (read(signals->fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
        int number = (int)info.ssi_signo;
        struct sigaction action;
        if ((number == SIGINT || number == SIGTERM || number == SIGHUP || number == SIGQUIT) &&
            sigaction(number, NULL, &action) == 0 && action.sa_handler != SIG_IGN) {
            deadly = number;
        }
    }
    return deadly;
}

pid_t pinsight_launch(char *const *words, char *const *variables,
                      const struct pinsight_signals *signals, int *error) {
    int report[2];

    *error = 0;
    if (pipe2(report, O_CLOEXEC) != 0) {
        *error = errno;
        return 0;
    }
    pid_t pid = fork();
    if (pid == 0) {
        sigaction(SIGPIPE, &signals->old_pipe, NULL);
        sigprocmask(SIG_SETMASK, &signals->old_mask, NULL);
        execvpe(words[0], words, variables);
        int failed = errno;
        ssize_t sent = write(report[1], &failed, sizeof(failed));
        (void)sent;
        _exit(127);
    }
    if (pid < 0) {
        *error = errno;
    }
    close(report[1]);
    ssize_t n = -1;
    if (pid > 0) {
        do {
            n = read(report[0], error, sizeof(*error));
        } while (n < 0 && errno == EINTR);
    }
    close(report[0]);
    if (pid > 0 && n == (ssize_t)sizeof(*error)) {
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
        }
        return 0;
    }
    return pid > 0 ? pid : 0;
}

void pinsight_end_like(int status) {
    if (WIFSIGNALED(status)) {
        struct rlimit no_core = {0, 0};
        struct sigaction action = {.sa_handler = SIG_DFL};
        sigset_t set;
        int number = WTERMSIG(status);

        setrlimit(RLIMIT_CORE, &no_core);
        sigaction(number, &action, NULL);
        sigemptyset(&set);
        sigaddset(&set, number);
        sigprocmask(SIG_UNBLOCK, &set, NULL);
        raise(number);
        _exit(128 + number);
    }
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}
