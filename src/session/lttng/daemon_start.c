/* Starts an own session daemon, and reports why it cannot start. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/program.h"
#include "base/spawn.h"
#include "session/env.h"
#include "session/lttng/daemon.h"

#ifndef PINSIGHT_LTTNG_BINDIR
#define PINSIGHT_LTTNG_BINDIR "/usr/bin"
#endif

enum { START_MS = 10000, PREDECESSOR_MS = 4000, FILES_MIN = 16384, FILES_PER_STREAM = 16 };

void pinsight_daemon_last_words(const struct pinsight_daemon *daemon, char *text, size_t room) {
    char words[4096];

    text[0] = '\0';
    if (daemon->errors < 0) {
        return;
    }
    off_t end = lseek(daemon->errors, 0, SEEK_END);
    off_t from = end > (off_t)sizeof(words) - 1 ? end - (off_t)sizeof(words) + 1 : 0;
    ssize_t n = pread(daemon->errors, words, sizeof(words) - 1, from);
    if (n <= 0) {
        return;
    }
    words[n] = '\0';
    /* Errors come first, and other lines only without errors. The daemon's wish for more open files
     * is left out, because it appears at every start. */
    char *state = NULL, copy[sizeof(words)];
    size_t used = 0;
    for (int pass = 0; pass < 2 && used == 0; pass++) {
        strcpy(copy, words);
        for (char *line = strtok_r(copy, "\n", &state); line != NULL && used + 2 < room;
             line = strtok_r(NULL, "\n", &state)) {
            if ((pass == 0 && strncmp(line, "Error: ", 7) != 0) ||
                strstr(line, "set_ulimit") != NULL) {
                continue;
            }
            int wrote = snprintf(text + used, room - used, "%s%s", used > 0 ? "; " : "",
                                 line + (pass == 0 ? 7 : 0));
            used = wrote > 0 && (size_t)wrote < room - used ? used + (size_t)wrote : room - 1;
        }
    }
}

bool pinsight_daemon_find_program(char path[PATH_MAX], char *why, size_t room) {
    const char *given = getenv("LTTNG_SESSIOND");

    if (given != NULL && *given != '\0') {
        if (pinsight_program_find(given, path) == 0) {
            return true;
        }
        snprintf(why, room,
                 "LTTNG_SESSIOND names %s, which cannot be executed; correct it or unset it",
                 given);
        return false;
    }
    if (pinsight_program_find("lttng-sessiond", path) == 0 ||
        pinsight_program_find(PINSIGHT_LTTNG_BINDIR "/lttng-sessiond", path) == 0) {
        return true;
    }
    snprintf(why, room,
             "LTTng's session daemon (lttng-sessiond) is not on PATH; install lttng-tools, or name "
             "the daemon in LTTNG_SESSIOND");
    return false;
}

/*
 * Sets limits for the daemon.
 *
 * Each process, channel and processor needs several descriptors. 16,384 are enough for as many
 * processes as processors, up to 32. Larger machines get more. The limit is not the largest
 * possible one, because LTTng's daemons close every number up to the limit when they start, with a
 * system call for each. Containers have limits of a million and more.
 *
 * A file beyond RLIMIT_FSIZE would end a daemon by SIGXFSZ. The signal is ignored, so that the
 * write fails like on a full disk.
 */
static void set_limits(void) {
    long processors = sysconf(_SC_NPROCESSORS_CONF);
    rlim_t wanted = FILES_MIN;
    struct rlimit limit;

    if (processors > 0 && (rlim_t)processors * (rlim_t)processors * FILES_PER_STREAM > wanted) {
        wanted = (rlim_t)processors * (rlim_t)processors * FILES_PER_STREAM;
    }
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    signal(SIGXFSZ, SIG_IGN);
}

uint64_t pinsight_daemon_file_limit(const struct pinsight_daemon *daemon) {
    struct rlimit limit;

    if (daemon->process.pid == 0 || prlimit(daemon->process.pid, RLIMIT_FSIZE, NULL, &limit) != 0 ||
        limit.rlim_cur == RLIM_INFINITY) {
        return 0;
    }
    return limit.rlim_cur > 0 ? limit.rlim_cur : 1;
}

/* Preloads libpinsight-hasten.so. Consumer daemons inherit it from the session daemon. */
static void preload(const char *libdir) {
    char path[PATH_MAX];

    if (libdir != NULL && pinsight_env_find_preload(libdir, "libpinsight-hasten.so", path)) {
        setenv("LD_PRELOAD", path, 1);
    }
}

static void be_daemon(const char *program, const char *libdir, int errors) {
    static const char *const not_for_daemons[] = {"LD_PRELOAD", "PINSIGHT", "PINSIGHT_SESSION",
                                                  "PINSIGHT_JOIN", "LD_AUDIT"};

    pinsight_signals_default();
    for (size_t i = 0; i < sizeof(not_for_daemons) / sizeof(*not_for_daemons); i++) {
        unsetenv(not_for_daemons[i]);
    }
    preload(libdir);
    set_limits();
    if (errors >= 0) {
        dup2(errors, STDERR_FILENO);
    }
    execl(program, "lttng-sessiond", "--no-kernel", "--sig-parent", (char *)NULL);
    dprintf(STDERR_FILENO, "Error: %s: %s\n", program, strerror(errno));
    _exit(127);
}

enum daemon_start { START_DONE, START_FAILED, START_KILLED };

/* Waits until the daemon signals that it accepts commands and registrations (--sig-parent). */
static enum daemon_start wait_until_ready(pid_t pid) {
    sigset_t set;
    int64_t until = pinsight_now_ms() + START_MS;

    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGCHLD);
    for (;;) {
        int64_t rest = until - pinsight_now_ms();
        if (rest <= 0) {
            return START_FAILED;
        }
        struct timespec limit = {rest / 1000, (rest % 1000) * 1000000};
        int number = sigtimedwait(&set, NULL, &limit);
        int status = 0;
        if (number == SIGUSR1) {
            return START_DONE;
        }
        if (number == SIGCHLD && waitpid(pid, &status, WNOHANG) == pid) {
            return WIFSIGNALED(status) ? START_KILLED : START_FAILED;
        }
    }
}

/* Starts the daemon once. On failure, `words` are its last messages. */
static enum daemon_start start_once(struct pinsight_daemon *daemon, const char *program,
                                    char *words, size_t room) {
    enum daemon_start how = START_FAILED;

    daemon->errors = memfd_create("lttng-sessiond", MFD_CLOEXEC);
    if (daemon->errors >= 0) {
        fcntl(daemon->errors, F_SETFL, O_APPEND);
    }
    pid_t pid = pinsight_fork(SIGTERM);
    if (pid == 0) {
        be_daemon(program, daemon->libdir, daemon->errors);
    }
    if (pid > 0) {
        if (daemon->born != NULL && pinsight_process_find(pid, &daemon->process)) {
            daemon->born(daemon->listener, &daemon->process);
        }
        how = wait_until_ready(pid);
        if (how == START_DONE && pinsight_process_find(pid, &daemon->process)) {
            daemon->child = true;
            return how;
        }
        pinsight_reap_within(pid, 100);
        daemon->process.pid = 0;
    }
    pinsight_daemon_last_words(daemon, words, room);
    if (daemon->errors >= 0) {
        close(daemon->errors);
        daemon->errors = -1;
    }
    return how;
}

/*
 * Starts the daemon. Tries again for a while, because an ending daemon keeps its lock file after
 * its sockets are gone, and a second one refuses to start meanwhile.
 */
bool pinsight_daemon_start(struct pinsight_daemon *daemon, char *why, size_t room) {
    char program[PATH_MAX], words[512] = "";
    int64_t until = pinsight_now_ms() + PREDECESSOR_MS;

    if (!pinsight_daemon_find_program(program, why, room)) {
        return false;
    }
    for (int killed = 0;;) {
        enum daemon_start how = start_once(daemon, program, words, sizeof(words));
        if (how == START_DONE) {
            return true;
        }
        bool again = how == START_KILLED
                         ? killed++ == 0
                         : strstr(words, "another instance") != NULL && pinsight_now_ms() < until;
        if (!again) {
            break;
        }
        pinsight_sleep_ms(20);
    }
    snprintf(why, room,
             "LTTng's session daemon (%s) did not start%s%s; try it by hand: %s --no-kernel",
             program, *words != '\0' ? ": " : "", words, program);
    return false;
}
