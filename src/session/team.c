/* Processes of one parallel job on one host that share an LTTng session. */
#include "session/team.h"

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

enum {
    POLL_MS = 5,
    LATE_MS = 5000, /* how long the keeper waits for processes of the job that never came */
    UNPLACED_LATE_MS = 1000, /* where it is not known how many there are on this host */
};

static bool claim_path(char path[PATH_MAX], const struct pinsight_job *job) {
    char runtime[PATH_MAX], name[128];

    snprintf(name, sizeof(name), "claim-%s", job->id);
    return pinsight_path_runtime(runtime) && pinsight_path_join(path, runtime, name);
}

bool pinsight_team_claim(const struct pinsight_job *job) {
    char path[PATH_MAX];

    if (!claim_path(path, job)) {
        return true;
    }
    for (;;) {
        struct stat ours, named;
        int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (fd < 0) {
            return true;
        }
        if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
            close(fd);
            return false;
        }
        /* Not if it is the file of one that ended just now, and is gone. */
        if (fstat(fd, &ours) == 0 && stat(path, &named) == 0 && ours.st_ino == named.st_ino) {
            return true; /* open, and so locked, until this process ends */
        }
        close(fd);
    }
}

void pinsight_team_unclaim(const struct pinsight_job *job) {
    char path[PATH_MAX];

    if (claim_path(path, job)) {
        unlink(path);
    }
}

bool pinsight_team_init(struct pinsight_team *team, const struct pinsight_job *job,
                        const char *output) {
    char runtime[PATH_MAX], name[128];

    memset(team, 0, sizeof(*team));
    team->job = *job;
    team->keeper = -1;
    team->ranks = -1;
    snprintf(team->output, sizeof(team->output), "%s", output);
    if (job->local_size < 2) {
        return true;
    }
    snprintf(name, sizeof(name), "job-%s", job->id);
    if (!pinsight_path_runtime(runtime) || !pinsight_path_join(team->folder, runtime, name)) {
        team->job.local_size = 1;
        pinsight_warning("the processes of this job cannot share a trace, so rank %d %s: others "
                         "have made the folders in which they would meet (/tmp/pinsight-%u and "
                         "its like); set XDG_RUNTIME_DIR to a folder of your own",
                         job->rank, job->local_rank == 0 ? "has one of its own" : "is not recorded",
                         (unsigned)geteuid());
        return false;
    }
    return true;
}

static int open_in_team(const struct pinsight_team *team, const char *name, int flags) {
    char path[PATH_MAX];

    return pinsight_path_join(path, team->folder, name)
               ? open(path, flags | O_CLOEXEC | O_NOFOLLOW, 0600)
               : -1;
}

static void remove_from_team(const struct pinsight_team *team, const char *name) {
    char path[PATH_MAX];

    if (pinsight_path_join(path, team->folder, name)) {
        unlink(path);
    }
}

void pinsight_team_open(struct pinsight_team *team, const char *session, const char *join) {
    char path[PATH_MAX], final[PATH_MAX];

    if (team->job.local_size < 2) {
        return;
    }
    if (mkdir(team->folder, 0700) != 0 && errno != EEXIST) {
        return;
    }
    remove_from_team(team, "session");
    team->keeper = open_in_team(team, "keeper", O_RDWR | O_CREAT);
    team->ranks = open_in_team(team, "ranks", O_RDWR | O_CREAT | O_TRUNC);
    if (team->keeper < 0 || team->ranks < 0 || flock(team->keeper, LOCK_EX | LOCK_NB) != 0 ||
        !pinsight_path_join(path, team->folder, "session.new") ||
        !pinsight_path_join(final, team->folder, "session")) {
        return;
    }
    FILE *file = fopen(path, "we");
    if (file != NULL) {
        fprintf(file, "%s\n%s\n%s\n", session, join, team->output);
        if (fclose(file) == 0) {
            rename(path, final);
        }
    }
}

void pinsight_team_wait(struct pinsight_team *team) {
    if (team->job.local_size < 2 || team->ranks < 0) {
        return;
    }
    const struct pinsight_job *job = &team->job;
    int others = (job->unplaced ? job->size : job->local_size) - 1; /* -1: it is not known */
    int64_t late = 0;
    for (;;) {
        struct stat about;
        if (flock(team->ranks, LOCK_EX | LOCK_NB) == 0) {
            /* Nobody is at work. Everybody has been, unless some are late. */
            int64_t now = pinsight_now_ms();
            late = late == 0 ? now + (job->unplaced ? UNPLACED_LATE_MS : LATE_MS) : late;
            if (fstat(team->ranks, &about) != 0 || (others >= 0 && about.st_size >= others) ||
                now >= late) {
                break;
            }
            flock(team->ranks, LOCK_UN);
        } else {
            late = 0;
        }
        pinsight_sleep_ms(POLL_MS);
    }
    remove_from_team(team, "session");
    remove_from_team(team, "ranks");
    remove_from_team(team, "keeper");
    rmdir(team->folder);
    close(team->ranks);
    close(team->keeper);
    team->ranks = -1;
    team->keeper = -1;
}

/* Is there a keeper, or are these files what a killed one left behind? */
static bool is_kept(const struct pinsight_team *team) {
    int fd = open_in_team(team, "keeper", O_RDWR);
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

static bool read_session(const struct pinsight_team *team, struct pinsight_team_session *session) {
    char path[PATH_MAX];

    if (!pinsight_path_join(path, team->folder, "session")) {
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

bool pinsight_team_join(struct pinsight_team *team, struct pinsight_team_session *session,
                        int patience_ms) {
    int64_t until = pinsight_now_ms() + patience_ms;

    for (; pinsight_now_ms() < until; pinsight_sleep_ms(POLL_MS)) {
        if (!is_kept(team) || !read_session(team, session)) {
            continue;
        }
        int fd = open_in_team(team, "ranks", O_RDWR | O_APPEND);
        if (fd < 0) {
            continue;
        }
        if (flock(fd, LOCK_SH | LOCK_NB) == 0 && write(fd, "r", 1) == 1 && is_kept(team)) {
            team->ranks = fd;
            return true;
        }
        close(fd);
    }
    return false;
}

void pinsight_team_leave(struct pinsight_team *team) {
    if (team->ranks >= 0) {
        close(team->ranks);
        team->ranks = -1;
    }
}
