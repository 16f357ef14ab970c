/* The LTTng session daemon of a run; see daemon.h. */
#include "session/lttng/daemon.h"

#include "base/clock.h"
#include "base/spawn.h"

#include <dirent.h>
#include <errno.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "session/lttng/home.h"

enum { START_LOCK_MS = 15000, PREDECESSOR_MS = 4000 };

/* Connects to the daemon's socket for clients, and gets its process from the kernel. */
static bool who_listens(const char *folder, struct pinsight_proc *process) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct ucred peer;
    socklen_t size = sizeof(peer);

    int n =
        snprintf(address.sun_path, sizeof(address.sun_path), "%s/client-lttng-sessiond", folder);
    if (n <= 0 || (size_t)n >= sizeof(address.sun_path)) {
        return false;
    }
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) {
        return false;
    }
    /* EAGAIN: there is a listener with a long queue. */
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

/* Like liblttng-ctl: members of the tracing group use root's daemon if there is one. */
static bool find_roots_for_group(struct pinsight_daemon *daemon) {
    strcpy(daemon->rundir, "/var/run/lttng");
    return geteuid() != 0 && is_in_tracing_group() && who_listens(daemon->rundir, &daemon->process);
}

static bool find_own(struct pinsight_daemon *daemon) {
    return pinsight_lttng_rundir(daemon->rundir) && who_listens(daemon->rundir, &daemon->process);
}

/* Returns whether the sockets for programs, lttng-ust-sock-<ABI>, exist. An ending daemon removes
 * them first. */
static bool has_socket_for_programs(const struct pinsight_daemon *daemon) {
    static const char prefix[] = "lttng-ust-sock-";
    DIR *folder = opendir(daemon->rundir);
    bool found = false;

    if (folder == NULL) {
        return errno != ENOENT; /* unknown for other errors */
    }
    for (struct dirent *entry; !found && (entry = readdir(folder)) != NULL;) {
        found = strncmp(entry->d_name, prefix, sizeof(prefix) - 1) == 0;
    }
    closedir(folder);
    return found;
}

bool pinsight_daemon_is_ending(const struct pinsight_daemon *daemon) {
    for (int looks = 0; looks < 3; looks++) {
        if (has_socket_for_programs(daemon)) {
            return false;
        }
        pinsight_sleep_ms(5); /* a folder that changes while it is read can lack an entry */
    }
    return true;
}

bool pinsight_daemon_look(struct pinsight_daemon *daemon) {
    memset(daemon, 0, sizeof(*daemon));
    daemon->errors = -1;
    return find_roots_for_group(daemon) || find_own(daemon);
}

/* Finds a daemon. Waits until one that is ending is gone. */
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

bool pinsight_daemon_get(struct pinsight_daemon *daemon, struct pinsight_locks *locks, char *why,
                         size_t room) {
    daemon->process.pid = 0;
    daemon->ours = daemon->child = false;
    daemon->errors = -1;
    daemon->consumer_count = 0;
    if (find_roots_for_group(daemon)) {
        return true;
    }
    if (!pinsight_locks_enter(locks, START_LOCK_MS)) {
        char folder[PATH_MAX] = "?";
        pinsight_lttng_rundir(folder);
        snprintf(why, room,
                 "the lock on LTTng's run directory %s cannot be had; is it writable, and is no "
                 "other `pinsight run` stuck?",
                 folder);
        return false;
    }
    struct pinsight_proc known = pinsight_locks_read_daemon(locks);
    bool running = find_lasting(daemon);
    bool done = running;
    if (!running && pinsight_daemon_start(daemon, why, room)) {
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

static bool is_stopped(const struct pinsight_proc *process, bool ours) {
    char state = process->pid != 0 && pinsight_process_alive(process)
                     ? pinsight_process_state(process->pid)
                     : '\0';

    if (state == 'T' && ours) {
        kill(process->pid, SIGCONT);
    }
    return state == 'T' || state == 't';
}

bool pinsight_daemon_wait_unstopped(const struct pinsight_daemon *daemon, int patience_ms) {
    int64_t until = pinsight_now_ms() + patience_ms;

    for (;;) {
        bool stopped = is_stopped(&daemon->process, daemon->child);
        for (size_t i = 0; i < daemon->consumer_count; i++) {
            stopped = is_stopped(&daemon->consumers[i], daemon->child) || stopped;
        }
        if (!stopped || pinsight_now_ms() >= until) {
            return !stopped;
        }
        pinsight_sleep_ms(10);
    }
}

/* Finds processes that a dead daemon left behind. They are children of this process, because it is
 * a subreaper. */
static void find_orphans(struct pinsight_daemon *daemon) {
    size_t count = daemon->consumer_count;

    if (daemon->child && count < PINSIGHT_CONSUMERS_MAX) {
        struct pinsight_proc orphans[PINSIGHT_CONSUMERS_MAX];
        size_t found =
            pinsight_process_children(getpid(), "lttng-", orphans, PINSIGHT_CONSUMERS_MAX);
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

    /* Several rounds, because a consumer's helper becomes an orphan when the consumer ends. */
    for (int round = 0; round < 3; round++) {
        find_orphans(daemon);
        for (size_t i = 0; i < daemon->consumer_count; i++) {
            struct pinsight_proc *consumer = &daemon->consumers[i];
            while (pinsight_process_alive(consumer) && pinsight_now_ms() < until) {
                pinsight_sleep_ms(10);
            }
            if (pinsight_process_alive(consumer)) {
                kill(consumer->pid, SIGKILL);
            }
            /* a child of this process if its parent is gone */
            waitpid(consumer->pid, NULL, WNOHANG);
        }
        daemon->consumer_count = 0;
    }
}

void pinsight_daemon_stop(struct pinsight_daemon *daemon, int patience_ms) {
    if (!daemon->child) {
        return;
    }
    pinsight_daemon_find_consumers(daemon);
    kill(daemon->process.pid, SIGCONT); /* a stopped process could not end */
    pinsight_reap_within(daemon->process.pid, patience_ms);
    pinsight_daemon_end_consumers(daemon, 1000);
    daemon->child = false;
    if (daemon->errors >= 0) {
        close(daemon->errors);
        daemon->errors = -1;
    }
}
