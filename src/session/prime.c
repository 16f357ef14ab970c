/* Completing the description of a trace before the program starts. */
#include "session/prime.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "session/join.h"
#include "session/metadata.h"
#include "session/paths.h"
#include "session/process.h"

enum { PATIENCE_MS = 5000 };

static pid_t start_primer(const char *path, const char *join) {
    pid_t parent = getpid();
    pid_t pid = fork();

    if (pid != 0) {
        return pid;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        _exit(1);
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    unsetenv("LD_PRELOAD");
    unsetenv(PINSIGHT_JOIN_VARIABLE);
    if (join != NULL) {
        setenv(PINSIGHT_JOIN_VARIABLE, join, 1);
    }
    setenv("LTTNG_UST_REGISTER_TIMEOUT", "3000", 1);
    execl(path, "pinsight-primer", (char *)NULL);
    _exit(127);
}

bool pinsight_prime(const struct pinsight_session *session, const char *libdir, const char *join) {
    char path[PATH_MAX];
    int64_t until = pinsight_now_ms() + PATIENCE_MS;
    int status = 0;

    if (!pinsight_path_join(path, libdir, "pinsight-primer")) {
        return false;
    }
    pid_t pid = start_primer(path, join);
    if (pid < 0) {
        return false;
    }
    for (;;) {
        pid_t ended = waitpid(pid, &status, WNOHANG);
        if (ended == pid) {
            break;
        }
        if ((ended < 0 && errno != EINTR) || pinsight_now_ms() >= until) {
            pinsight_process_end_child(pid, 0);
            return false;
        }
        pinsight_sleep_ms(1);
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        return false;
    }
    while (!pinsight_trace_is_described(session->output)) {
        if (pinsight_now_ms() >= until) {
            return false;
        }
        pinsight_sleep_ms(1);
    }
    return true;
}
