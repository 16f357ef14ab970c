/* Child processes of a process with one thread. */
#include "base/spawn.h"
#include "base/clock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

pid_t pinsight_fork(int with_parent) {
    pid_t parent = getpid(), pid = fork();

    if (pid == 0 && with_parent) {
        prctl(PR_SET_PDEATHSIG, with_parent);
        if (getppid() != parent)
            _exit(1);
    }
    return pid;
}

int pinsight_reap(pid_t pid) {
    int status = -1;

    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return status;
}

void pinsight_reap_within(pid_t pid, int patience_ms) {
    int64_t until = pinsight_now_ms() + patience_ms;

    kill(pid, SIGTERM);
    for (;;) {
        pid_t ended = waitpid(pid, NULL, WNOHANG);
        if (ended == pid || (ended < 0 && errno == ECHILD))
            return;
        if (pinsight_now_ms() >= until)
            break;
        pinsight_sleep_ms(5);
    }
    kill(pid, SIGKILL);
    pinsight_reap(pid);
}

void pinsight_signals_default(void) {
    sigset_t none;

    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL); /* fails only for signals that cannot be handled */
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

pid_t pinsight_spawn(pinsight_execute *execute, char *const *words, char *const *variables,
                     int with_parent, void (*prepare)(void *data), void *data, int *error) {
    int report[2];
    ssize_t n;

    *error = 0;
    if (pipe2(report, O_CLOEXEC) != 0) {
        *error = errno;
        return 0;
    }
    pid_t pid = pinsight_fork(with_parent);
    if (pid == 0) {
        prepare(data);
        execute(words[0], words, variables);
        int failed = errno;
        ssize_t sent = write(report[1], &failed, sizeof(failed));
        (void)sent;
        _exit(127);
    }
    if (pid < 0)
        *error = errno;
    close(report[1]);
    do
        n = read(report[0], error, sizeof(*error));
    while (n < 0 && errno == EINTR);
    close(report[0]);
    if (pid > 0 && *error)
        pinsight_reap(pid);
    return *error ? 0 : pid;
}

void pinsight_close_others(const int *kept, size_t count) {
    DIR *folder = opendir("/proc/self/fd");

    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        int fd = atoi(entry->d_name);
        bool keep = fd <= STDERR_FILENO || fd == dirfd(folder);
        for (size_t i = 0; i < count; i++)
            keep = keep || fd == kept[i];
        if (!keep)
            close(fd);
    }
    if (folder)
        closedir(folder);
}

int pinsight_worker_start(struct pinsight_worker *worker, int with_parent,
                          void (*work)(int fd, void *data), void *data) {
    int pair[2], error = 0;

    *worker = (struct pinsight_worker){0, -1};
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
        return errno;
    pid_t pid = pinsight_fork(with_parent);
    if (pid == 0) {
        close(pair[0]);
        work(pair[1], data);
        _exit(0);
    }
    if (pid < 0)
        error = errno;
    close(pair[1]);
    if (error)
        close(pair[0]);
    else
        *worker = (struct pinsight_worker){pid, pair[0]};
    return error;
}

void pinsight_worker_kill(struct pinsight_worker *worker) {
    if (worker->pid > 0) {
        kill(worker->pid, SIGKILL);
        pinsight_reap(worker->pid);
        close(worker->fd);
        *worker = (struct pinsight_worker){0, -1};
    }
}
