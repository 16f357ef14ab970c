/* Completing the description of a trace before the program starts. */
#include "session/prime.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/join.h"
#include "session/metadata.h"
#include "session/paths.h"
#include "session/process.h"

enum { PATIENCE_MS = 5000, DESCRIPTION_MS = 1000 };

/* `gate`: the primer's stdin, and what it must not keep open itself. */
static pid_t start_primer(const char *path, const char *join, const int gate[2]) {
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
    dup2(gate[0], STDIN_FILENO);
    unsetenv("LD_PRELOAD");
    unsetenv(PINSIGHT_JOIN_VARIABLE);
    if (join != NULL) {
        setenv(PINSIGHT_JOIN_VARIABLE, join, 1);
    }
    setenv("LTTNG_UST_REGISTER_TIMEOUT", "3000", 1);
    execl(path, "pinsight-primer", (char *)NULL);
    _exit(127);
}

static bool wait_for_description(const char *output, pid_t primer, int64_t until) {
    while (!pinsight_trace_is_described(output)) {
        siginfo_t gone = {0};
        if (pinsight_now_ms() >= until ||
            (primer > 0 && waitid(P_PID, (id_t)primer, &gone, WEXITED | WNOHANG | WNOWAIT) == 0 &&
             gone.si_pid == primer)) {
            return false;
        }
        pinsight_sleep_ms(1);
    }
    return true;
}

enum primer_end { PRIMER_DONE, PRIMER_FAILED, PRIMER_KILLED };

static enum primer_end wait_for_exit(pid_t pid, int64_t until) {
    int status = 0;

    for (;;) {
        pid_t ended = waitpid(pid, &status, WNOHANG);
        if (ended == pid) {
            return WIFSIGNALED(status)                             ? PRIMER_KILLED
                   : WIFEXITED(status) && WEXITSTATUS(status) == 0 ? PRIMER_DONE
                                                                   : PRIMER_FAILED;
        }
        if ((ended < 0 && errno != EINTR) || pinsight_now_ms() >= until) {
            pinsight_process_end_child(pid, 0);
            return PRIMER_FAILED;
        }
        pinsight_sleep_ms(1);
    }
}

/*
 * The consumer daemon fetches new descriptions by a timer (channels.c) as long as the primer is
 * there. What is still missing when it ends is pushed by the session daemon, which then answers
 * nobody for 200 ms.
 */
static enum primer_end prime_once(const struct pinsight_session *session, const char *path,
                                  const char *join, bool *described) {
    int gate[2];
    int64_t start = pinsight_now_ms();

    if (pipe2(gate, O_CLOEXEC) != 0) {
        return PRIMER_FAILED;
    }
    pid_t pid = start_primer(path, join, gate);
    close(gate[0]);
    *described = pid > 0 && wait_for_description(session->output, pid, start + DESCRIPTION_MS);
    close(gate[1]);
    enum primer_end how = pid > 0 ? wait_for_exit(pid, start + PATIENCE_MS) : PRIMER_FAILED;
    if (how == PRIMER_DONE && !*described) {
        *described = wait_for_description(session->output, 0, start + PATIENCE_MS);
    }
    return how;
}

bool pinsight_prime(const struct pinsight_session *session, const char *libdir, const char *join) {
    char path[PATH_MAX];
    bool described = false;

    if (!pinsight_path_join(path, libdir, "pinsight-primer")) {
        return false;
    }
    if (prime_once(session, path, join, &described) == PRIMER_KILLED && !described) {
        prime_once(session, path, join, &described);
    }
    return described;
}
