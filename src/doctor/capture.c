/* Running a program for what it says. */
#include "doctor/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "session/process.h"

/* Reads until nobody can write any more; false when the time is over. */
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

int pinsight_capture(char *const *words, int limit_ms, char *text, size_t room) {
    int pipes[2], status = 0;

    text[0] = '\0';
    if (pipe2(pipes, O_CLOEXEC) != 0) {
        return -1;
    }
    pid_t pid = fork();
    if (pid == 0) {
        int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
        dup2(nothing, STDIN_FILENO);
        dup2(pipes[1], STDOUT_FILENO);
        dup2(pipes[1], STDERR_FILENO);
        execv(words[0], words);
        _exit(127);
    }
    close(pipes[1]);
    bool good = pid > 0 && read_all(pipes[0], limit_ms, text, room);
    close(pipes[0]);
    if (pid > 0 && !good) {
        kill(pid, SIGKILL);
    }
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return good ? status : -1;
}
