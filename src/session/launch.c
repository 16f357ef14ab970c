/* Starts a command, and ends this process like it; see launch.h. */
#include "session/launch.h"

#include "base/spawn.h"
#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

int pinsight_launch_signals_take(struct pinsight_signals *signals) {
    /* Signals of this process's own faults, and signals for the terminal's driver. */
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

static void restore(void *data) {
    const struct pinsight_signals *signals = data;

    sigaction(SIGPIPE, &signals->old_pipe, NULL);
    sigprocmask(SIG_SETMASK, &signals->old_mask, NULL);
}

pid_t pinsight_launch(char *const *words, char *const *variables,
                      const struct pinsight_signals *signals, int *error) {
    return pinsight_spawn(execvpe, words, variables, 0, restore, (void *)signals, error);
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
