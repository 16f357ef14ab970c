/* Captures the output of a program; see capture.h. */
#include "doctor/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/spawn.h"

enum { GONE_MS = 1000 }; /* for a child that was killed */

/* Reads until all writers have closed the pipe. Returns false after `limit_ms`. */
static bool read_all(int fd, int limit_ms, char *text, size_t room) {
    int64_t until = pinsight_now_ms() + limit_ms;
    size_t used = 0;
    char more[512];

    for (;;) {
        int64_t rest = until - pinsight_now_ms();
        struct pollfd wait = {.fd = fd, .events = POLLIN};
        if (rest <= 0) {
            return false;
        }
        if (poll(&wait, 1, (int)rest) <= 0) {
            continue;
        }
        ssize_t n = read(fd, more, sizeof(more));
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return true;
        }
        for (ssize_t i = 0; i < n && used + 1 < room; i++) {
            text[used++] = more[i];
        }
        text[used] = '\0';
    }
}

/* The child leads a process group, so that its own children are killed with it. */
static void to_pipe(void *end) {
    setpgid(0, 0);
    dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
    dup2(*(const int *)end, STDOUT_FILENO);
    dup2(*(const int *)end, STDERR_FILENO);
}

int pinsight_capture(char *const *words, int limit_ms, char *text, size_t room) {
    int pipes[2], error, status = 127 << 8;

    text[0] = '\0';
    if (pipe2(pipes, O_CLOEXEC) != 0) {
        return -1;
    }
    pid_t pid = pinsight_spawn(execve, words, environ, SIGKILL, to_pipe, &pipes[1], &error);
    close(pipes[1]);
    bool good = pid > 0 && read_all(pipes[0], limit_ms, text, room);
    close(pipes[0]);
    if (pid > 0 && !good) {
        kill(-pid, SIGKILL);
    }
    if (pid > 0) {
        status = pinsight_reap(pid);
    }
    return good || error ? status : -1;
}

/* Reaps a child that was killed. Leaves one that hangs in a broken driver, because it cannot be
 * ended. */
static int reap_if_it_ends(pid_t pid) {
    int64_t until = pinsight_now_ms() + GONE_MS;
    int status;

    while (waitpid(pid, &status, WNOHANG) == 0) {
        if (pinsight_now_ms() > until) {
            return -1;
        }
        usleep(2000);
    }
    return status;
}

int pinsight_capture_call(void (*work)(FILE *out, const void *data), const void *data, int limit_ms,
                          char *text, size_t room) {
    int pipes[2];

    text[0] = '\0';
    if (pipe2(pipes, O_CLOEXEC) != 0) {
        return -1;
    }
    fflush(NULL);
    pid_t pid = pinsight_fork(SIGKILL);
    if (pid == 0) {
        FILE *out = fdopen(pipes[1], "w");
        int nothing = open("/dev/null", O_RDWR);
        for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
            dup2(nothing, fd);
        }
        if (out != NULL) {
            setvbuf(out, NULL, _IOLBF, 0); /* keeps complete lines, even if the child crashes */
            work(out, data);
            fclose(out);
        }
        _exit(0);
    }
    close(pipes[1]);
    bool good = pid > 0 && read_all(pipes[0], limit_ms, text, room);
    close(pipes[0]);
    if (pid < 0) {
        return -1;
    }
    if (!good) {
        kill(pid, SIGKILL);
    }
    int status = reap_if_it_ends(pid);
    return good ? status : -1;
}
