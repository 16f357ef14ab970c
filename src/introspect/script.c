/* The script of an introspection; see script.h. */
#include "introspect/script.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/spawn.h"

extern char **environ;

static void be_script(void *data) {
    (void)data;
    setpgid(0, 0);
    pinsight_signals_default();
}

/* Writes why a file cannot be executed, and a remedy: execve(2), ERRORS. */
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
    int error;

    /* Ends with its helper, which may be killed. */
    pid_t script = pinsight_spawn(execve, words, environ, SIGTERM, be_script, NULL, &error);
    if (script > 0)
        setpgid(script, script); /* parent and child both set it, because either may run first */
    else
        explain(path, error, why);
    return script;
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
    kill(-script, SIGCONT); /* a stopped process could not end */
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
