/* Other processes, as /proc shows them. */
#include "base/process.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct stat_line {
    char name[32];
    char state;
    pid_t parent;
    uint64_t start;
};

/* Reads /proc/PID/stat. The name in it may contain spaces and parentheses, and ends at the last
 * ')'. */
static bool read_stat(pid_t pid, struct stat_line *line) {
    char path[64], text[1024];

    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    ssize_t n = read(fd, text, sizeof(text) - 1);
    close(fd);
    if (n <= 0) {
        return false;
    }
    text[n] = '\0';
    char *open_mark = strchr(text, '(');
    char *close_mark = strrchr(text, ')');
    if (open_mark == NULL || close_mark == NULL || close_mark < open_mark) {
        return false;
    }
    snprintf(line->name, sizeof(line->name), "%.*s", (int)(close_mark - open_mark - 1),
             open_mark + 1);
    int parent = 0;
    if (sscanf(close_mark + 1, " %c %d", &line->state, &parent) != 2) {
        return false;
    }
    line->parent = parent;
    /* The start time is field 22. The name is field 2, and one space stands before each later
     * field. */
    char *at = close_mark;
    for (int field = 2; field < 22 && at != NULL; field++) {
        at = strchr(at + 1, ' ');
    }
    line->start = at != NULL ? strtoull(at, NULL, 10) : 0;
    return true;
}

bool pinsight_process_find(pid_t pid, struct pinsight_proc *process) {
    struct stat_line line;

    if (pid <= 0 || !read_stat(pid, &line) || line.state == 'Z' || line.state == 'X') {
        return false;
    }
    process->pid = pid;
    process->start = line.start;
    return true;
}

bool pinsight_process_alive(const struct pinsight_proc *process) {
    struct pinsight_proc now;

    return pinsight_process_find(process->pid, &now) && now.start == process->start;
}

pid_t pinsight_process_parent(pid_t pid) {
    struct stat_line line;

    return read_stat(pid, &line) ? line.parent : 0;
}

char pinsight_process_state(pid_t pid) {
    struct stat_line line;

    return read_stat(pid, &line) ? line.state : '\0';
}

bool pinsight_process_name(pid_t pid, char *name, size_t room) {
    struct stat_line line;

    if (!read_stat(pid, &line)) {
        return false;
    }
    snprintf(name, room, "%s", line.name);
    return true;
}

size_t pinsight_process_children(pid_t pid, const char *prefix, struct pinsight_proc *children,
                                 size_t most) {
    size_t found = 0;
    DIR *folder = opendir("/proc");
    if (folder == NULL) {
        return 0;
    }
    for (struct dirent *entry; found < most && (entry = readdir(folder)) != NULL;) {
        struct stat_line line;
        if (!isdigit((unsigned char)entry->d_name[0])) {
            continue;
        }
        pid_t other = (pid_t)atol(entry->d_name);
        if (read_stat(other, &line) && line.parent == pid && line.state != 'Z' &&
            strncmp(line.name, prefix, strlen(prefix)) == 0) {
            children[found].pid = other;
            children[found++].start = line.start;
        }
    }
    closedir(folder);
    return found;
}

int pinsight_process_watch(const struct pinsight_proc *process) {
#ifdef SYS_pidfd_open
    int fd = (int)syscall(SYS_pidfd_open, process->pid, 0);
    if (fd >= 0) {
        fcntl(fd, F_SETFD, FD_CLOEXEC);
    }
    return fd;
#else
    (void)process;
    return -1;
#endif
}
