/* Processes of a job that share a session; see node_group.h. */
#include "session/node_group.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/message.h"
#include "base/paths.h"
#include "base/safe_files.h"

enum {
    POLL_MS = 5,
    MISSING_MS = 5000,          /* for processes of the job that have not come */
    UNPLACED_MISSING_MS = 1000, /* if the number of processes on this host is unknown */
};

static bool claim_path(char path[PATH_MAX], const struct pinsight_job *job) {
    char runtime[PATH_MAX], name[128];

    snprintf(name, sizeof(name), "claim-%s", job->id);
    return pinsight_path_runtime(runtime) && pinsight_path_join(path, runtime, name);
}

bool pinsight_node_group_claim(const struct pinsight_job *job) {
    char path[PATH_MAX];

    if (!claim_path(path, job)) {
        return true;
    }
    for (;;) {
        struct stat ours, named;
        int fd = pinsight_open_to_write(AT_FDCWD, path, O_RDWR, 0600);
        if (fd < 0) {
            return true;
        }
        if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
            close(fd);
            return false;
        }
        /* The file may belong to a process that has just ended, and be gone. */
        if (fstat(fd, &ours) == 0 && stat(path, &named) == 0 && ours.st_ino == named.st_ino) {
            return true; /* stays open, and therefore locked, until this process ends */
        }
        close(fd);
    }
}

void pinsight_node_group_unclaim(const struct pinsight_job *job) {
    char path[PATH_MAX];

    if (claim_path(path, job)) {
        unlink(path);
    }
}

bool pinsight_node_group_init(struct pinsight_node_group *group, const struct pinsight_job *job,
                              const char *output) {
    char runtime[PATH_MAX], name[128];

    memset(group, 0, sizeof(*group));
    group->job = *job;
    group->supervisor = -1;
    group->ranks = -1;
    snprintf(group->output, sizeof(group->output), "%s", output);
    if (job->local_size < 2) {
        return true;
    }
    snprintf(name, sizeof(name), "job-%s", job->id);
    if (!pinsight_path_runtime(runtime) || !pinsight_path_join(group->folder, runtime, name)) {
        group->job.local_size = 1;
        pinsight_warning("the processes of this job cannot share a trace, so rank %d %s: others "
                         "have made the folders in which they would meet (/tmp/pinsight-%u and "
                         "its like); set XDG_RUNTIME_DIR to a folder of your own",
                         job->rank, job->local_rank == 0 ? "has one of its own" : "is not recorded",
                         (unsigned)geteuid());
        return false;
    }
    return true;
}

static int open_either(const char *path, int flags) {
    return flags & O_CREAT ? pinsight_open_to_write(AT_FDCWD, path, flags, 0600)
                           : pinsight_open_regular(AT_FDCWD, path, flags | O_NOFOLLOW);
}

static int open_in_group(const struct pinsight_node_group *group, const char *name, int flags) {
    char path[PATH_MAX];

    return pinsight_path_join(path, group->folder, name) ? open_either(path, flags) : -1;
}

static void remove_from_group(const struct pinsight_node_group *group, const char *name) {
    char path[PATH_MAX];

    if (pinsight_path_join(path, group->folder, name)) {
        unlink(path);
    }
}

static bool make_own(const char *folder) {
    int error = pinsight_make_folder(AT_FDCWD, folder, 0700);

    return error == 0 || error == EEXIST;
}

void pinsight_node_group_open(struct pinsight_node_group *group, const char *session,
                              const char *join) {
    char path[PATH_MAX], final[PATH_MAX];

    if (group->job.local_size < 2) {
        return;
    }
    if (!make_own(group->folder)) {
        return;
    }
    remove_from_group(group, "session");
    group->supervisor = open_in_group(group, "supervisor", O_RDWR | O_CREAT);
    group->ranks = open_in_group(group, "ranks", O_RDWR | O_CREAT | O_TRUNC);
    if (group->supervisor < 0 || group->ranks < 0 ||
        flock(group->supervisor, LOCK_EX | LOCK_NB) != 0 ||
        !pinsight_path_join(path, group->folder, "session.new") ||
        !pinsight_path_join(final, group->folder, "session")) {
        return;
    }
    int fd = pinsight_open_to_write(AT_FDCWD, path, O_WRONLY | O_TRUNC, 0600);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (file != NULL) {
        fprintf(file, "%s\n%s\n%s\n", session, join, group->output);
        if (fclose(file) == 0) {
            rename(path, final);
        }
    }
}

bool pinsight_node_group_wait(struct pinsight_node_group *group, bool (*is_over)(void *data),
                              void *data) {
    if (group->job.local_size < 2 || group->ranks < 0) {
        return true;
    }
    const struct pinsight_job *job = &group->job;
    int others = (job->unplaced ? job->size : job->local_size) - 1; /* -1: unknown */
    int64_t deadline = 0;
    for (;;) {
        struct stat about;
        if (flock(group->ranks, LOCK_EX | LOCK_NB) == 0) {
            /* No process is at work. All have been, unless some are late. */
            int64_t now = pinsight_now_ms();
            deadline =
                deadline == 0 ? now + (job->unplaced ? UNPLACED_MISSING_MS : MISSING_MS) : deadline;
            if (fstat(group->ranks, &about) != 0 || (others >= 0 && about.st_size >= others) ||
                now >= deadline) {
                break;
            }
            flock(group->ranks, LOCK_UN);
        } else {
            deadline = 0;
        }
        if (is_over != NULL && is_over(data)) {
            return false;
        }
        pinsight_sleep_ms(POLL_MS);
    }
    remove_from_group(group, "session");
    remove_from_group(group, "ranks");
    remove_from_group(group, "supervisor");
    rmdir(group->folder);
    close(group->ranks);
    close(group->supervisor);
    group->ranks = -1;
    group->supervisor = -1;
    return true;
}

/* Returns whether there is a supervisor. Otherwise the files were left by one that was killed. */
static bool is_kept(const struct pinsight_node_group *group) {
    int fd = open_in_group(group, "supervisor", O_RDWR);
    bool kept = false;

    if (fd >= 0) {
        kept = flock(fd, LOCK_SH | LOCK_NB) != 0;
        close(fd);
    }
    return kept;
}

static bool read_line(FILE *file, char *text, int room) {
    if (fgets(text, room, file) == NULL) {
        return false;
    }
    text[strcspn(text, "\n")] = '\0';
    return true;
}

static bool read_session(const struct pinsight_node_group *group,
                         struct pinsight_node_group_session *session) {
    char path[PATH_MAX];

    if (!pinsight_path_join(path, group->folder, "session")) {
        return false;
    }
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return false;
    }
    bool whole = read_line(file, session->session, sizeof(session->session)) &&
                 read_line(file, session->join, sizeof(session->join)) &&
                 read_line(file, session->output, sizeof(session->output));
    fclose(file);
    return whole;
}

bool pinsight_node_group_join(struct pinsight_node_group *group,
                              struct pinsight_node_group_session *session, int patience_ms) {
    int64_t until = pinsight_now_ms() + patience_ms;

    for (; pinsight_now_ms() < until; pinsight_sleep_ms(POLL_MS)) {
        if (!is_kept(group) || !read_session(group, session)) {
            continue;
        }
        int fd = open_in_group(group, "ranks", O_RDWR | O_APPEND);
        if (fd < 0) {
            continue;
        }
        if (flock(fd, LOCK_SH | LOCK_NB) == 0 && write(fd, "r", 1) == 1 && is_kept(group)) {
            group->ranks = fd;
            return true;
        }
        close(fd);
    }
    return false;
}

void pinsight_node_group_leave(struct pinsight_node_group *group) {
    if (group->ranks >= 0) {
        close(group->ranks);
        group->ranks = -1;
    }
}
