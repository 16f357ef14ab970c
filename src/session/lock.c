/* Runs of one user that share a session daemon which PInsight started. */
#include "session/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "session/paths.h"

enum { POLL_MS = 3 };

void pinsight_locks_init(struct pinsight_locks *locks) {
    locks->gate = -1;
    locks->users = -1;
}

static bool lock_path(char path[PATH_MAX], const char *name) {
    char folder[PATH_MAX];

    if (!pinsight_path_lttng_rundir(folder)) {
        return false;
    }
    /* The modes that lttng-sessiond gives its run directory. */
    if (pinsight_path_make(folder, geteuid() == 0 ? 0755 : 0700) != 0) {
        return false;
    }
    return pinsight_path_join(path, folder, name);
}

static int open_lock(const char *path) {
    struct stat about;
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

    if (fd >= 0 &&
        (fstat(fd, &about) != 0 || !S_ISREG(about.st_mode) || about.st_uid != geteuid())) {
        close(fd);
        fd = -1;
    }
    return fd;
}

/* A lock on a file that its last holder has removed meanwhile keeps nobody out. */
static bool is_still_there(int fd, const char *path) {
    struct stat mine, there;

    return fstat(fd, &mine) == 0 && stat(path, &there) == 0 && mine.st_ino == there.st_ino &&
           mine.st_dev == there.st_dev;
}

bool pinsight_locks_enter(struct pinsight_locks *locks, int patience_ms) {
    char path[PATH_MAX];
    int64_t until = pinsight_now_ms() + patience_ms;

    do {
        if (!lock_path(path, "pinsight-gate")) {
            return false;
        }
        int fd = open_lock(path);
        if (fd < 0) {
            return false;
        }
        while (flock(fd, LOCK_EX | LOCK_NB) != 0 && pinsight_now_ms() < until) {
            pinsight_sleep_ms(POLL_MS);
        }
        if (flock(fd, LOCK_EX | LOCK_NB) == 0 && is_still_there(fd, path)) {
            locks->gate = fd;
            return true;
        }
        close(fd);
    } while (pinsight_now_ms() < until);
    return false;
}

void pinsight_locks_leave(struct pinsight_locks *locks) {
    if (locks->gate >= 0) {
        close(locks->gate);
        locks->gate = -1;
    }
}

static bool open_users(struct pinsight_locks *locks) {
    char path[PATH_MAX];

    if (locks->users < 0 && lock_path(path, "pinsight-users")) {
        locks->users = open_lock(path);
    }
    return locks->users >= 0;
}

struct pinsight_process pinsight_locks_read_daemon(struct pinsight_locks *locks) {
    struct pinsight_process daemon = {0, 0};
    char text[64];

    if (!open_users(locks)) {
        return daemon;
    }
    ssize_t n = pread(locks->users, text, sizeof(text) - 1, 0);
    if (n <= 0) {
        return daemon;
    }
    text[n] = '\0';
    int pid = 0;
    if (sscanf(text, "%d %" SCNu64, &pid, &daemon.start) == 2) {
        daemon.pid = pid;
    }
    if (!pinsight_process_alive(&daemon)) {
        daemon.pid = 0;
    }
    return daemon;
}

bool pinsight_locks_write_daemon(struct pinsight_locks *locks,
                                 const struct pinsight_process *daemon) {
    char text[64];

    if (!open_users(locks) || ftruncate(locks->users, 0) != 0) {
        return false;
    }
    int n = snprintf(text, sizeof(text), "%d %" PRIu64 "\n", (int)daemon->pid, daemon->start);
    return pwrite(locks->users, text, (size_t)n, 0) == n;
}

bool pinsight_locks_use(struct pinsight_locks *locks) {
    return open_users(locks) && flock(locks->users, LOCK_SH | LOCK_NB) == 0;
}

bool pinsight_locks_alone(struct pinsight_locks *locks) {
    if (!open_users(locks)) {
        return true;
    }
    if (flock(locks->users, LOCK_EX | LOCK_NB) == 0) {
        return true;
    }
    flock(locks->users, LOCK_UN);
    return false;
}

void pinsight_locks_unuse(struct pinsight_locks *locks) {
    if (locks->users >= 0) {
        flock(locks->users, LOCK_UN);
    }
}

void pinsight_locks_remove(struct pinsight_locks *locks) {
    char path[PATH_MAX];

    if (lock_path(path, "pinsight-users")) {
        unlink(path);
    }
    if (lock_path(path, "pinsight-gate")) {
        unlink(path);
        /* Fails, as it should, where anything else is left in there. */
        *strrchr(path, '/') = '\0';
        rmdir(path);
    }
    (void)locks;
}

void pinsight_locks_close(struct pinsight_locks *locks) {
    pinsight_locks_unuse(locks);
    /* Files that say nothing to anybody go. */
    if (locks->users >= 0 && (locks->gate >= 0 || pinsight_locks_enter(locks, 0)) &&
        pinsight_locks_alone(locks) && pinsight_locks_read_daemon(locks).pid == 0) {
        pinsight_locks_remove(locks);
    }
    /* Before the gate: who passes that must find the users' lock free. */
    pinsight_locks_unuse(locks);
    pinsight_locks_leave(locks);
    if (locks->users >= 0) {
        close(locks->users);
        locks->users = -1;
    }
}
