/* The locks of runs that share a session daemon; see lock.h. */
#include "session/lttng/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/paths.h"
#include "base/timeout.h"
#include "session/lttng/home.h"

enum { POLL_MS = 3 };

void pinsight_locks_init(struct pinsight_locks *locks) {
    locks->turn = -1;
    locks->start = -1;
    locks->users = -1;
}

static bool lock_path(char path[PATH_MAX], const char *name) {
    char folder[PATH_MAX];

    if (!pinsight_lttng_rundir(folder)) {
        return false;
    }
    /* lttng-sessiond gives its run directory the same modes. */
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

/* Returns whether the locked file is still the one at its path. A lock on a file that its last
 * holder has removed does not exclude other runs. */
static bool is_still_there(int fd, const char *path) {
    struct stat mine, there;

    return fstat(fd, &mine) == 0 && stat(path, &there) == 0 && mine.st_ino == there.st_ino &&
           mine.st_dev == there.st_dev;
}

bool pinsight_locks_enter(struct pinsight_locks *locks, int patience_ms) {
    char path[PATH_MAX];
    int64_t until = pinsight_now_ms() + patience_ms;

    do {
        if (!lock_path(path, "pinsight-start")) {
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
            locks->start = fd;
            return true;
        }
        close(fd);
    } while (pinsight_now_ms() < until);
    return false;
}

void pinsight_locks_leave(struct pinsight_locks *locks) {
    if (locks->start >= 0) {
        close(locks->start);
        locks->start = -1;
    }
}

static bool open_users(struct pinsight_locks *locks) {
    char path[PATH_MAX];

    if (locks->users < 0 && lock_path(path, "pinsight-users")) {
        locks->users = open_lock(path);
    }
    return locks->users >= 0;
}

/* Reads the process in a file. pid is 0 if there is none, or if it is gone. */
static struct pinsight_proc read_process(int fd) {
    struct pinsight_proc daemon = {0, 0};
    char text[64];

    ssize_t n = pread(fd, text, sizeof(text) - 1, 0);
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

static bool write_process(int fd, const struct pinsight_proc *process) {
    char text[64];

    if (ftruncate(fd, 0) != 0) {
        return false;
    }
    int n = snprintf(text, sizeof(text), "%d %" PRIu64 "\n", (int)process->pid, process->start);
    return pwrite(fd, text, (size_t)n, 0) == n;
}

struct pinsight_proc pinsight_locks_read_daemon(struct pinsight_locks *locks) {
    return open_users(locks) ? read_process(locks->users) : (struct pinsight_proc){0, 0};
}

bool pinsight_locks_write_daemon(struct pinsight_locks *locks, const struct pinsight_proc *daemon) {
    return open_users(locks) && write_process(locks->users, daemon);
}

/* Waits in the kernel's queue. The lock belongs to the open file, so it stays when this process
 * ends. */
static void work_wait(const struct pinsight_pulse *pulse, const void *request, void *answer) {
    const int *fd = request;
    bool *taken = answer;

    (void)pulse;
    while (!(*taken = flock(*fd, LOCK_EX) == 0) && errno == EINTR) {
    }
}

bool pinsight_locks_take_turn(struct pinsight_locks *locks, int patience_ms) {
    char path[PATH_MAX];
    int64_t until = pinsight_now_ms() + patience_ms, rest = patience_ms;

    do {
        int fd = lock_path(path, "pinsight-turn") ? open_lock(path) : -1;
        if (fd < 0) {
            return false;
        }
        bool taken = flock(fd, LOCK_EX | LOCK_NB) == 0;
        struct pinsight_timed_call work = {.work = work_wait,
                                           .request = &fd,
                                           .result = &taken,
                                           .result_size = sizeof(taken),
                                           .silence_ms = (int)rest};
        if (!taken) {
            pinsight_call_with_timeout(&work);
        }
        if (taken && is_still_there(fd, path)) {
            locks->turn = fd;
            return true;
        }
        close(fd);
        rest = until - pinsight_now_ms();
    } while (rest > 0);
    return false;
}

void pinsight_locks_end_turn(struct pinsight_locks *locks) {
    if (locks->turn >= 0) {
        /* Unlocked explicitly, because processes that were forked meanwhile have the descriptor,
         * too. */
        flock(locks->turn, LOCK_UN);
        close(locks->turn);
        locks->turn = -1;
    }
}

struct pinsight_proc pinsight_locks_read_silent(const struct pinsight_locks *locks) {
    return locks->turn >= 0 ? read_process(locks->turn) : (struct pinsight_proc){0, 0};
}

void pinsight_locks_write_silent(const struct pinsight_locks *locks,
                                 const struct pinsight_proc *daemon) {
    if (locks->turn >= 0 &&
        (daemon == NULL ? ftruncate(locks->turn, 0) != 0 : !write_process(locks->turn, daemon))) {
        /* The next run finds it out by itself. */
    }
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

    /* The own file may be gone, and the present one belong to another daemon. */
    if (!lock_path(path, "pinsight-users") ||
        (locks->users >= 0 && access(path, F_OK) == 0 && !is_still_there(locks->users, path))) {
        return;
    }
    unlink(path);
    if (lock_path(path, "pinsight-turn")) {
        int fd = locks->turn >= 0 ? -1 : open_lock(path);
        if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0 && read_process(fd).pid == 0) {
            unlink(path);
        }
        if (fd >= 0) {
            close(fd);
        }
    }
    if (lock_path(path, "pinsight-start")) {
        unlink(path);
        /* Fails, as intended, if the folder has other content. */
        *strrchr(path, '/') = '\0';
        rmdir(path);
    }
}

void pinsight_locks_close(struct pinsight_locks *locks) {
    pinsight_locks_end_turn(locks);
    pinsight_locks_unuse(locks);
    /* Removes files that have no users and no content. */
    if (locks->users >= 0 && (locks->start >= 0 || pinsight_locks_enter(locks, 0)) &&
        pinsight_locks_alone(locks) && pinsight_locks_read_daemon(locks).pid == 0) {
        pinsight_locks_remove(locks);
    }
    /* Before the start lock: the next run must find the users' lock free. */
    pinsight_locks_unuse(locks);
    pinsight_locks_leave(locks);
    if (locks->users >= 0) {
        close(locks->users);
        locks->users = -1;
    }
}
