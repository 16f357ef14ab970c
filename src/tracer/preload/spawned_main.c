/*
 * pinsight-spawned PID SESSION COMMAND [WORD...]: becomes the command, in the run of the process
 * PID, which called MPI_Comm_spawn (src/tracer/mpi/spawn_command.c). The run's variables come from
 * that process, because every user can read a command line. If there is no such process on this
 * host, the command is not recorded, and a message says so.
 */
#include "libc/environ.h"

#include "base/message.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Reads the environment that a process was started with, in the form of execve(2). Returns NULL if
 * the environment cannot be read. The result is never freed. */
static char **read_environment(const char *pid) {
    char path[64];
    size_t used = 0, room = 0, count = 0;
    char *text = NULL;
    ssize_t n = 1;

    snprintf(path, sizeof(path), "/proc/%.20s/environ", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    while (fd != -1 && n > 0) {
        room = room * 2 + 65536;
        char *more = realloc(text, room);
        if (!more) {
            return NULL;
        }
        text = more;
        while (used + 1 < room && (n = read(fd, text + used, room - used - 1)) > 0) {
            used += (size_t)n;
        }
    }
    if (fd == -1 || n < 0) {
        return NULL;
    }
    close(fd);
    text[used] = '\0';
    for (size_t i = 0; i < used; i++) {
        count += text[i] == '\0';
    }
    char **list = calloc(count + 2, sizeof(*list));
    size_t entries = 0;
    for (size_t at = 0; list && at < used; at += strlen(text + at) + 1) {
        list[entries++] = text + at;
    }
    return list;
}

static bool is_of_session(char *const *variables, const char *session) {
    static const char name[] = "PINSIGHT_SESSION=";
    for (; variables && *variables; variables++) {
        if (strncmp(*variables, name, sizeof(name) - 1) == 0) {
            return strcmp(*variables + sizeof(name) - 1, session) == 0;
        }
    }
    return false;
}

int main(int count, char **words) {
    char **own = environ;
    if (count < 4) {
        fputs("pinsight-spawned is started by MPI_Comm_spawn; see pinsight-run(1)\n", stderr);
        return 2;
    }
    char **theirs = read_environment(words[1]);
    if (is_of_session(theirs, words[2])) {
        environ = theirs;
        pinsight_environ_keep();
        environ = own;
        size_t need = pinsight_environ_need(own);
        void *room = need ? malloc(need) : NULL;
        environ = room ? pinsight_environ_merge(own, room) : own;
    } else {
        pinsight_error("process %d, which MPI_Comm_spawn started, is not recorded: the process "
                       "that asked for it is not to be found on this host; start the launcher with "
                       "`pinsight run -- mpirun`",
                       (int)getpid());
    }
    execvp(words[3], words + 3);
    int error = errno;
    pinsight_error("%s cannot be executed: %s", words[3], strerror(error));
    return error == ENOENT ? 127 : 126;
}
