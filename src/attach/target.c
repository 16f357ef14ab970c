/* A process that is to be recorded while it runs; see target.h. */
#include "attach/target.h"

#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Returns the value of a key in /proc/PID/status, or -1 if there is none. */
static long status_of(int pid, const char *key, int base) {
    char path[64], line[256];
    size_t length = strlen(key);
    long value = -1;

    snprintf(path, sizeof(path), "/proc/%d/status", pid);
    FILE *file = fopen(path, "re");
    while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
        if (strncmp(line, key, length) == 0 && line[length] == ':')
            value = strtol(line + length + 1, NULL, base);
    }
    if (file != NULL)
        fclose(file);
    return value;
}

static int scope(void) {
    FILE *file = fopen("/proc/sys/kernel/yama/ptrace_scope", "re");
    int value = 0;

    if (file != NULL) {
        if (fscanf(file, "%d", &value) != 1)
            value = 0;
        fclose(file);
    }
    return value;
}

/* Returns whether root may use this verb for a process of another user. Root may read any process.
 * Only its own user can record it: the process obeys no other user, and writes the folder
 * itself. */
static bool root_can(const char *verb) {
    return strcmp(verb, "dump-stacks") == 0;
}

/* Writes the cure: an action by root that makes the process readable. */
static void allow(int pid, const char *verb, char *how, size_t room) {
    if (root_can(verb))
        snprintf(how, room, "use `sudo pinsight %s %d`", verb, pid);
    else
        snprintf(how, room, "allow it until the next boot: sudo sysctl kernel.yama.ptrace_scope=0");
}

void pinsight_target_refused(int pid, const char *verb, char *why, size_t room) {
    char how[128];

    allow(pid, verb, how, sizeof(how));
    switch (geteuid() == 0 ? 0 : scope()) {
    case 1:
        snprintf(why, room,
                 "process %d cannot be looked at: this system lets a process look at its own "
                 "children alone (kernel.yama.ptrace_scope is 1); %s",
                 pid, how);
        return;
    case 2:
        snprintf(why, room,
                 "process %d cannot be looked at: this system lets root alone look at processes "
                 "(kernel.yama.ptrace_scope is 2); %s",
                 pid, how);
        return;
    case 3:
        snprintf(why, room,
                 "process %d cannot be looked at: this system forbids to look at processes "
                 "(kernel.yama.ptrace_scope is 3, until the next boot); start the program with "
                 "`pinsight run`",
                 pid);
        return;
    default:
        snprintf(why, room,
                 "process %d cannot be looked at: %s; it may have rights of its own (set-uid), or "
                 "this may be a container without CAP_SYS_PTRACE (docker run --cap-add "
                 "SYS_PTRACE). `pinsight run` starts a program recorded without that",
                 pid, strerror(EPERM));
        return;
    }
}

/* Returns whether the process exists, runs, and belongs to this user. Writes the reason to `why` if
 * not. */
static bool look_at_process(struct pinsight_attach_target *target, const char *verb, char *why,
                            size_t room) {
    char path[64];
    struct stat status;
    int pid = target->pid;

    snprintf(path, sizeof(path), "/proc/%d", pid);
    char state = pinsight_process_state(pid);
    if (stat(path, &status) != 0 || state == 0) {
        snprintf(why, room, "there is no process %d; `pgrep -af python` lists those of Python",
                 pid);
        return false;
    }
    pinsight_process_name(pid, target->name, sizeof(target->name));
    target->uid = status.st_uid;
    target->gid = status.st_gid;
    long uid = status_of(pid, "Uid", 10), thread_group = status_of(pid, "Tgid", 10);
    if (uid >= 0)
        target->uid = (uid_t)uid;
    if (state == 'Z' || state == 'X') {
        snprintf(why, room, "process %d (%s) has ended: its parent has only to take note of it",
                 pid, target->name);
        return false;
    }
    if (thread_group > 0 && thread_group != pid) {
        snprintf(why, room, "%d is a thread of process %ld: use `pinsight %s %ld`", pid,
                 thread_group, verb, thread_group);
        return false;
    }
    if (pid == (int)getpid()) {
        snprintf(why, room, "process %d is this command; name another one", pid);
        return false;
    }
    if (target->uid != geteuid() && !(geteuid() == 0 && root_can(verb))) {
        const struct passwd *user = getpwuid(target->uid);
        if (user != NULL)
            snprintf(why, room,
                     "process %d (%s) belongs to the user %s; use `sudo -u %s pinsight %s %d`", pid,
                     target->name, user->pw_name, user->pw_name, verb, pid);
        else
            snprintf(why, room,
                     "process %d (%s) belongs to the user with the number %u; use `sudo -u '#%u' "
                     "pinsight %s %d`",
                     pid, target->name, (unsigned)target->uid, (unsigned)target->uid, verb, pid);
        return false;
    }
    long tracer = status_of(pid, "TracerPid", 10);
    if (tracer > 0) {
        char name[32] = "?";
        pinsight_process_name((pid_t)tracer, name, sizeof(name));
        snprintf(why, room,
                 "process %d (%s) is in the hands of a debugger: process %ld (%s) traces it; end "
                 "that first",
                 pid, target->name, tracer, name);
        return false;
    }
    if (state == 'T' || state == 't') {
        snprintf(why, room, "process %d (%s) is stopped; let it go on first: kill -CONT %d", pid,
                 target->name, pid);
        return false;
    }
    return true;
}

/* Returns whether the process is in the same container: it sees our files, and we see its
 * socket. */
static bool is_here(int pid, const char *libdir) {
    static const char *const kinds[] = {"net", "pid"};
    char own[64], its[64], path[PATH_MAX + 64], file[PATH_MAX + 32];
    struct stat here, there;

    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
        snprintf(own, sizeof(own), "/proc/self/ns/%s", kinds[i]);
        snprintf(its, sizeof(its), "/proc/%d/ns/%s", pid, kinds[i]);
        if (stat(own, &here) == 0 && stat(its, &there) == 0 && here.st_ino != there.st_ino)
            return false;
    }
    snprintf(file, sizeof(file), "%s/libpinsight.so.0", libdir);
    snprintf(path, sizeof(path), "/proc/%d/root%s", pid, file);
    if (stat(file, &here) != 0)
        return true; /* another check reports it */
    if (stat(path, &there) != 0)
        return errno == EACCES; /* perhaps only root may search there */
    return here.st_ino == there.st_ino && here.st_dev == there.st_dev;
}

static void read_words(struct pinsight_attach_target *target) {
    char path[64];
    size_t count = 0, length = 0;

    snprintf(path, sizeof(path), "/proc/%d/cmdline", target->pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        ssize_t got = read(fd, target->words, sizeof(target->words) - 1);
        length = got > 0 ? (size_t)got : 0;
        close(fd);
    }
    target->words[length] = '\0';
    for (size_t at = 0; at < length && count < PINSIGHT_TARGET_WORDS;
         at += strlen(target->words + at) + 1)
        target->command[count++] = target->words + at;
    if (count == 0)
        target->command[count++] = target->name;
    target->command[count] = NULL;
}

static bool find_extension(struct pinsight_attach_target *target, const char *libdir, char *why,
                           size_t room) {
    if (snprintf(target->extension, sizeof(target->extension), "%s/_pinsight_python-%s.so", libdir,
                 target->tag) >= (int)sizeof(target->extension) ||
        access(target->extension, R_OK) != 0)
        *target->extension = '\0';
    if (snprintf(target->plain, sizeof(target->plain), "%s/_pinsight_python-%s-plain.so", libdir,
                 target->tag) >= (int)sizeof(target->plain) ||
        access(target->plain, R_OK) != 0)
        *target->plain = '\0';
    if (*target->extension != '\0' || *target->plain != '\0')
        return true;
    snprintf(why, room,
             "process %d (%s) runs Python %s, for which this PInsight has no extension (%s); build "
             "it: make build CMAKE_ARGS=-DPINSIGHT_PYTHONS=/path/to/python3",
             target->pid, target->name, target->tag, libdir);
    return false;
}

bool pinsight_target_look(struct pinsight_attach_target *target, int pid, const char *libdir,
                          const char *verb, char *why, size_t room) {
    memset(target, 0, sizeof(*target));
    target->pid = pid;
    if (!look_at_process(target, verb, why, room))
        return false;
    int found = pinsight_runtime_find(&target->runtime, pid);
    if (found < 0) {
        if (errno == ENOENT || errno == ESRCH)
            snprintf(why, room, "process %d ended meanwhile", pid);
        else
            pinsight_target_refused(pid, verb, why, room);
        return false;
    }
    if (found == 0) {
        snprintf(why, room,
                 "process %d (%s) is no Python, or has only just started to be one; `pgrep -af "
                 "python` lists those that are",
                 pid, target->name);
        return false;
    }
    if (libdir != NULL && !is_here(pid, libdir)) {
        snprintf(why, room,
                 "process %d (%s) is in a container: it does not see PInsight's files here; have "
                 "PInsight there, and use it there: docker exec CONTAINER pinsight %s PID, with "
                 "the number that the process has there",
                 pid, target->name, verb);
        return false;
    }
    read_words(target);
    snprintf(target->tag, sizeof(target->tag), "3.%u%s", target->runtime.version >> 16 & 0xff,
             target->runtime.free_threaded ? "t" : "");
    return libdir == NULL || find_extension(target, libdir, why, room);
}
