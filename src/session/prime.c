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

enum { PATIENCE_MS = 5000, DESCRIPTION_MS = 1000, POLL_MS = 2 };

static void be_primer(const char *path, const char *provider, const char *join, int gate,
                      pid_t parent) {
    sigset_t none;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        _exit(1);
    }
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    dup2(gate, STDIN_FILENO);
    unsetenv("LD_PRELOAD");
    unsetenv(PINSIGHT_JOIN_VARIABLE);
    if (join != NULL) {
        setenv(PINSIGHT_JOIN_VARIABLE, join, 1);
    }
    setenv("LTTNG_UST_REGISTER_TIMEOUT", "3000", 1);
    execl(path, "pinsight-primer", provider, (char *)NULL);
    _exit(127);
}

void pinsight_primer_start(struct pinsight_primer *primer, const char *libdir, const char *join) {
    int gate[2];

    primer->pid = 0;
    primer->gate = -1;
    if (!pinsight_path_join(primer->path, libdir, "pinsight-primer") ||
        pipe2(gate, O_CLOEXEC) != 0) {
        return;
    }
    pid_t parent = getpid();
    pid_t pid = fork();
    if (pid == 0) {
        char provider[PATH_MAX];
        bool more =
            primer->provider != NULL && pinsight_path_join(provider, libdir, primer->provider);
        be_primer(primer->path, more ? provider : NULL, join, gate[0], parent);
    }
    close(gate[0]);
    primer->gate = gate[1];
    primer->pid = pid > 0 ? pid : 0;
}

void pinsight_primer_stop(struct pinsight_primer *primer) {
    if (primer->gate >= 0) {
        close(primer->gate);
        primer->gate = -1;
    }
    if (primer->pid > 0) {
        pinsight_process_end_child(primer->pid, 0);
        primer->pid = 0;
    }
}

/* Has it ended? It is not reaped by that. */
static bool has_ended(const struct pinsight_primer *primer) {
    siginfo_t gone = {0};

    return primer->pid <= 0 ||
           waitid(P_PID, (id_t)primer->pid, &gone, WEXITED | WNOHANG | WNOWAIT) != 0 ||
           gone.si_pid == primer->pid;
}

/* Waits until a time, or with `alive` until the primer has ended. */
static bool wait_for_description(const struct pinsight_primer *primer, const char *output,
                                 bool alive, int64_t until) {
    while (!pinsight_trace_is_described(output, primer->provider != NULL)) {
        if (pinsight_now_ms() >= until || (alive && has_ended(primer))) {
            return false;
        }
        pinsight_sleep_ms(POLL_MS);
    }
    return true;
}

/*
 * The consumer daemon fetches new descriptions by a timer (channels.c) as long as the primer is
 * there. What is still missing when it ends is pushed by the session daemon, which then answers
 * nobody for 200 ms.
 */
bool pinsight_primer_finish(struct pinsight_primer *primer, const struct pinsight_session *session,
                            const char *libdir, const char *join) {
    int64_t start = pinsight_now_ms();

    for (int attempt = 0; attempt < 2; attempt++) {
        if (wait_for_description(primer, session->output, true, start + DESCRIPTION_MS)) {
            /* It ends by itself, and is reaped as any child. */
            close(primer->gate);
            primer->gate = -1;
            primer->pid = 0;
            return true;
        }
        if (!has_ended(primer)) {
            break;
        }
        pinsight_primer_stop(primer);
        if (attempt == 0) {
            pinsight_primer_start(primer, libdir, join);
        }
    }
    if (primer->gate >= 0) {
        close(primer->gate);
        primer->gate = -1;
    }
    bool described = wait_for_description(primer, session->output, false, start + PATIENCE_MS);
    pinsight_primer_stop(primer);
    return described;
}
