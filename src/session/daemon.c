/* The LTTng session daemon that a run uses. */
#include "session/daemon.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "session/paths.h"
#include "session/program.h"

#ifndef PINSIGHT_LTTNG_BINDIR
#define PINSIGHT_LTTNG_BINDIR "/usr/bin"
#endif

enum { START_MS = 10000, GATE_MS = 15000, PREDECESSOR_MS = 4000 };

/* Connects to the daemon's socket for clients and asks the kernel who listens there. */
static bool who_listens(const char *folder, struct pinsight_process *process) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct ucred peer;
    socklen_t size = sizeof(peer);

    int n = snprintf(address.sun_path, sizeof(address.sun_path), "%s/client-lttng-sessiond", folder);
    if (n <= 0 || (size_t)n >= sizeof(address.sun_path)) {
        return false;
    }
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) {
        return false;
    }
    /* EAGAIN: somebody listens, and has a long queue. */
    bool there = connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0 || errno == EAGAIN;
    if (there) {
        process->pid = 0;
        process->start = 0;
        if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0) {
            pinsight_process_find(peer.pid, process);
        }
    }
    close(fd);
    return there;
}

static bool is_in_tracing_group(void) {
    struct group *tracing = getgrnam("tracing");
    gid_t groups[256];

    if (tracing == NULL) {
        return false;
    }
    int count = getgroups((int)(sizeof(groups) / sizeof(*groups)), groups);
    for (int i = 0; i < count; i++) {
        if (groups[i] == tracing->gr_gid) {
            return true;
        }
    }
    return getegid() == tracing->gr_gid;
}

/* As liblttng-ctl does it: members of the tracing group use root's daemon, if there is one. */
static bool find_roots_for_group(struct pinsight_daemon *daemon) {
    strcpy(daemon->rundir, "/var/run/lttng");
    return geteuid() != 0 && is_in_tracing_group() && who_listens(daemon->rundir, &daemon->process);
}

static bool find_own(struct pinsight_daemon *daemon) {
    return pinsight_path_lttng_rundir(daemon->rundir) &&
           who_listens(daemon->rundir, &daemon->process);
}

/* The sockets for programs, lttng-ust-sock-<ABI>, are the first to go. */
bool pinsight_daemon_is_ending(const struct pinsight_daemon *daemon) {
    static const char prefix[] = "lttng-ust-sock-";
    DIR *folder = opendir(daemon->rundir);
    bool found = false;

    if (folder == NULL) {
        return true;
    }
    for (struct dirent *entry; !found && (entry = readdir(folder)) != NULL;) {
        found = strncmp(entry->d_name, prefix, sizeof(prefix) - 1) == 0;
    }
    closedir(folder);
    return !found;
}

/* Waits until a daemon that is ending is gone. */
static bool find_lasting(struct pinsight_daemon *daemon) {
    int64_t until = pinsight_now_ms() + PREDECESSOR_MS;

    while (find_own(daemon)) {
        if (!pinsight_daemon_is_ending(daemon) || pinsight_now_ms() >= until) {
            return true;
        }
        pinsight_sleep_ms(10);
    }
    return false;
}

static bool find_daemon_program(char path[PATH_MAX], char *why, size_t room) {
    const char *given = getenv("LTTNG_SESSIOND");

    if (given != NULL && *given != '\0') {
        if (pinsight_program_find(given, path) == 0) {
            return true;
        }
        snprintf(why, room, "LTTNG_SESSIOND names %s, which cannot be executed; correct it or unset it",
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

static void be_daemon(const char *program, pid_t parent, int errors) {
    static const char *const not_for_daemons[] = {"LD_PRELOAD", "PINSIGHT", "PINSIGHT_SESSION",
                                                  "PINSIGHT_JOIN", "LD_AUDIT"};
    struct rlimit files;
    sigset_t none;

    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) {
        _exit(1);
    }
    for (int number = 1; number < NSIG; number++) {
        signal(number, SIG_DFL);
    }
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    for (size_t i = 0; i < sizeof(not_for_daemons) / sizeof(*not_for_daemons); i++) {
        unsetenv(not_for_daemons[i]);
    }
    /* Several descriptors for each channel and processor are needed. */
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
    if (errors >= 0) {
        dup2(errors, STDERR_FILENO);
    }
    execl(program, "lttng-sessiond", "--no-kernel", "--sig-parent", (char *)NULL);
    dprintf(STDERR_FILENO, "Error: %s: %s\n", program, strerror(errno));
    _exit(127);
}

enum start { START_DONE, START_FAILED, START_KILLED };

/* The daemon signals its parent when it takes commands and registrations (--sig-parent). */
static enum start wait_until_ready(pid_t pid) {
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

/* Starts it once; if that fails, `words` are its last. */
static enum start start_once(struct pinsight_daemon *daemon, const char *program, char *words,
                             size_t room) {
    enum start how = START_FAILED;

    daemon->errors = memfd_create("lttng-sessiond", MFD_CLOEXEC);
    if (daemon->errors >= 0) {
        fcntl(daemon->errors, F_SETFL, O_APPEND);
    }
    pid_t parent = getpid();
    pid_t pid = fork();
    if (pid == 0) {
        be_daemon(program, parent, daemon->errors);
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
        pinsight_process_end_child(pid, 100);
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
 * A daemon that is ending keeps its lock file for a while after its sockets are gone, and another
 * one refuses to start meanwhile.
 */
static bool start(struct pinsight_daemon *daemon, char *why, size_t room) {
    char program[PATH_MAX], words[512] = "";
    int64_t until = pinsight_now_ms() + PREDECESSOR_MS;

    if (!find_daemon_program(program, why, room)) {
        return false;
    }
    for (int killed = 0;;) {
        enum start how = start_once(daemon, program, words, sizeof(words));
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
    snprintf(why, room, "LTTng's session daemon (%s) did not start%s%s; try it by hand: %s --no-kernel",
             program, *words != '\0' ? ": " : "", words, program);
    return false;
}

bool pinsight_daemon_get(struct pinsight_daemon *daemon, struct pinsight_locks *locks, char *why,
                         size_t room) {
    daemon->process.pid = 0;
    daemon->ours = daemon->child = false;
    daemon->errors = -1;
    daemon->consumer_count = 0;
    if (find_roots_for_group(daemon)) {
        return true;
    }
    if (!pinsight_locks_enter(locks, GATE_MS)) {
        char folder[PATH_MAX] = "?";
        pinsight_path_lttng_rundir(folder);
        snprintf(why, room,
                 "the lock on LTTng's run directory %s cannot be had; is it writable, and is no "
                 "other `pinsight run` stuck?",
                 folder);
        return false;
    }
    struct pinsight_process known = pinsight_locks_read_daemon(locks);
    bool running = find_lasting(daemon);
    bool done = running;
    if (!running && start(daemon, why, room)) {
        done = pinsight_locks_write_daemon(locks, &daemon->process) && pinsight_locks_use(locks);
        daemon->ours = true;
        if (!done) {
            snprintf(why, room, "the lock files in LTTng's run directory cannot be written");
            pinsight_daemon_stop(daemon, 2000);
        }
    } else if (running && known.pid != 0 && known.pid == daemon->process.pid) {
        daemon->ours = pinsight_locks_use(locks);
    }
    pinsight_locks_leave(locks);
    return done;
}

void pinsight_daemon_find_consumers(struct pinsight_daemon *daemon) {
    daemon->consumer_count = 0;
    if (daemon->process.pid != 0) {
        daemon->consumer_count = pinsight_process_children(
            daemon->process.pid, "lttng-consumerd", daemon->consumers, PINSIGHT_CONSUMERS_MAX);
    }
}

bool pinsight_daemon_process_alive(const struct pinsight_daemon *daemon) {
    return daemon->process.pid == 0 || pinsight_process_alive(&daemon->process);
}

bool pinsight_daemon_consumers_alive(const struct pinsight_daemon *daemon) {
    for (size_t i = 0; i < daemon->consumer_count; i++) {
        if (!pinsight_process_alive(&daemon->consumers[i])) {
            return false;
        }
    }
    return true;
}

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
    /* Errors first; what else it says only where there are none, and never that it would like to
     * have more open files, which it says at every start. */
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

/* What a daemon of ours leaves behind when it dies becomes our child, since we are a subreaper. */
static void find_orphans(struct pinsight_daemon *daemon) {
    size_t count = daemon->consumer_count;

    if (daemon->child && count < PINSIGHT_CONSUMERS_MAX) {
        struct pinsight_process orphans[PINSIGHT_CONSUMERS_MAX];
        size_t found = pinsight_process_children(getpid(), "lttng-", orphans,
                                                 PINSIGHT_CONSUMERS_MAX);
        for (size_t i = 0; i < found && count < PINSIGHT_CONSUMERS_MAX; i++) {
            bool known = orphans[i].pid == daemon->process.pid;
            for (size_t j = 0; j < daemon->consumer_count; j++) {
                known = known || daemon->consumers[j].pid == orphans[i].pid;
            }
            if (!known) {
                daemon->consumers[count++] = orphans[i];
            }
        }
    }
    daemon->consumer_count = count;
}

void pinsight_daemon_end_consumers(struct pinsight_daemon *daemon, int patience_ms) {
    int64_t until = pinsight_now_ms() + patience_ms;

    /* Again, because the helper of a consumer becomes an orphan when that dies. */
    for (int round = 0; round < 3; round++) {
        find_orphans(daemon);
        for (size_t i = 0; i < daemon->consumer_count; i++) {
            struct pinsight_process *consumer = &daemon->consumers[i];
            while (pinsight_process_alive(consumer) && pinsight_now_ms() < until) {
                pinsight_sleep_ms(10);
            }
            if (pinsight_process_alive(consumer)) {
                kill(consumer->pid, SIGKILL);
            }
            waitpid(consumer->pid, NULL, WNOHANG); /* ours since its parent is gone, if it was */
        }
        daemon->consumer_count = 0;
    }
}

void pinsight_daemon_stop(struct pinsight_daemon *daemon, int patience_ms) {
    if (!daemon->child) {
        return;
    }
    pinsight_daemon_find_consumers(daemon);
    kill(daemon->process.pid, SIGCONT); /* a stopped one could not end */
    pinsight_process_end_child(daemon->process.pid, patience_ms);
    pinsight_daemon_end_consumers(daemon, 1000);
    daemon->child = false;
    if (daemon->errors >= 0) {
        close(daemon->errors);
        daemon->errors = -1;
    }
}
