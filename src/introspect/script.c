/* The script of an introspection. */
#include "introspect/script.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "session/process.h"

extern char **environ;

static void be_script(char *const *words, int report, pid_t parent) {
    sigset_t none;

    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM); /* not beyond its helper, which was killed then */
    if (getppid() != parent) {
        _exit(127);
    }
    for (int number = 1; number < NSIG; number++) {
        signal(number, SIG_DFL); /* what it refuses cannot be handled */
    }
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execve(words[0], words, environ);
    int error = errno;
    ssize_t sent = write(report, &error, sizeof(error));
    (void)sent;
    _exit(127);
}

/* What stands in the way of executing a file, and what to do: execve(2), ERRORS. */
static void explain(const char *path, int error, char why[PATH_MAX]) {
    const char *what = strerror(error);

    if (error == ENOENT && access(path, F_OK) == 0) {
        what = "the interpreter that its first line names is not there";
    } else if (error == ENOENT) {
        what = "there is no such file";
    } else if (error == EACCES) {
        what =
            "it is not executable (chmod +x), or is on a file system or in a folder that forbids "
            "it";
    } else if (error == ENOEXEC) {
        what = "it is no program, and its first line names no interpreter (#!/bin/sh)";
    }
    snprintf(why, PATH_MAX, "the script %.3000s cannot be started: %s", path, what);
}

pid_t pinsight_script_start(const char *path, const char *chunk, const char *pid,
                            const char *configuration, char why[PATH_MAX]) {
    char *words[] = {(char *)path, (char *)chunk, (char *)pid, (char *)configuration, NULL};
    int report[2], error = 0;
    ssize_t n = 0;

    if (pipe2(report, O_CLOEXEC) != 0) {
        explain(path, errno, why);
        return 0;
    }
    pid_t parent = getpid();
    pid_t script = fork();
    if (script == 0) {
        be_script(words, report[1], parent);
    }
    if (script < 0) {
        error = errno;
    }
    close(report[1]);
    if (script > 0) {
        setpgid(script, script); /* whoever comes first */
        do {
            n = read(report[0], &error, sizeof(error));
        } while (n < 0 && errno == EINTR);
    }
    close(report[0]);
    if (script > 0 && n <= 0) {
        return script;
    }
    if (script > 0) {
        while (waitpid(script, NULL, 0) < 0 && errno == EINTR) {
        }
    }
    explain(path, error, why);
    return 0;
}

bool pinsight_script_ended(pid_t script, int *status) {
    int how;

    if (waitpid(script, &how, WNOHANG) != script) {
        return false;
    }
    *status = WIFSIGNALED(how) ? -WTERMSIG(how) : WEXITSTATUS(how);
    return true;
}

void pinsight_script_end(pid_t script, int patience_ms) {
    int64_t until = pinsight_now_ms() + patience_ms;

    kill(-script, SIGTERM);
    kill(-script, SIGCONT); /* a stopped one could not end */
    do {
        while (waitpid(-script, NULL, WNOHANG) > 0) {
        }
        if (kill(-script, 0) != 0) {
            return;
        }
        pinsight_sleep_ms(5);
    } while (pinsight_now_ms() < until);
    kill(-script, SIGKILL);
    while (waitpid(-script, NULL, 0) > 0 || errno == EINTR) {
    }
}
