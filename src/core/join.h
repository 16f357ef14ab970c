/*
 * How a process joins the session of its run.
 *
 * An LTTng session records every process of its user that registers, so two runs side by side would
 * record each other. `pinsight run` therefore limits its session to the processes that say they
 * belong to it: those that find PINSIGHT_JOIN in their environment and connect to the socket that
 * it names. The answer comes when the session daemon knows the process. Events from before are not
 * in the trace.
 *
 * Header only, so that the command, the primer and the library that is loaded into programs share
 * it without sharing an object.
 */
#ifndef PINSIGHT_CORE_JOIN_H
#define PINSIGHT_CORE_JOIN_H

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>
#include <unistd.h>

/* An abstract socket's name (unix(7)), without its leading zero byte. */
#define PINSIGHT_JOIN_VARIABLE "PINSIGHT_JOIN"
/* The name of the host that the socket is on. */
#define PINSIGHT_HOST_VARIABLE "PINSIGHT_HOST"

/* The session lets processes in one after the other: with hundreds of ranks, or on a machine that
 * has too much to do, the last waits for some time. */
enum { PINSIGHT_JOIN_WAIT_MS = 10000 };

/* What a process sends: its own idea of its number, which is what it registers with. */
struct pinsight_join_request {
    int pid;
};

/* Fills an address for `name`; returns its length, or 0 if the name is too long. */
static inline socklen_t pinsight_join_address(struct sockaddr_un *address, const char *name) {
    size_t length = strlen(name);

    if (length == 0 || length + 1 > sizeof(address->sun_path)) {
        return 0;
    }
    memset(address, 0, sizeof(*address));
    address->sun_family = AF_UNIX;
    memcpy(address->sun_path + 1, name, length);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length);
}

/*
 * Joins the session that the environment names. Returns 0 when this process is recorded from now
 * on, or when there is nothing to join; 1 if that session is over; -1 if it gave no good answer
 * within 10 s. To be called once in each process before its first event, and again in a forked
 * child. Uses no memory of the heap; keeps errno. Safe in any thread, as far as getenv(3) is.
 */
static inline int pinsight_session_join(void) {
    const char *name = getenv(PINSIGHT_JOIN_VARIABLE);
    struct pinsight_join_request request = {.pid = (int)getpid()};
    struct sockaddr_un address;
    int kept = errno, answer = -1;
    char byte = 0;

    if (name == NULL || *name == '\0') {
        return 0;
    }
    socklen_t length = pinsight_join_address(&address, name);
    int fd = length > 0 ? socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0) : -1;
    if (fd >= 0) {
        struct timeval limit = {PINSIGHT_JOIN_WAIT_MS / 1000, 0};
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
        if (connect(fd, (struct sockaddr *)&address, length) != 0) {
            answer = errno == ECONNREFUSED ? 1 : -1;
        } else if (send(fd, &request, sizeof(request), MSG_NOSIGNAL) == (ssize_t)sizeof(request)) {
            ssize_t n;
            do {
                n = recv(fd, &byte, 1, 0);
            } while (n < 0 && errno == EINTR);
            answer = n == 1 && byte == 'k' ? 0 : -1;
        }
        close(fd);
    }
    errno = kept;
    return answer;
}

#endif
