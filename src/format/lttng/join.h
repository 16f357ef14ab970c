/*
 * How a process joins the LTTng session of its run.
 *
 * An LTTng session records every process of its user that registers, so two runs side by side would
 * record each other. `pinsight run` therefore limits its session to processes that join it. These
 * find PINSIGHT_JOIN in their environment and connect to the socket that it names. The answer comes
 * when the session daemon knows the process. Earlier events are not in the trace.
 *
 * Every user can see the names of sockets in /proc/net/unix and connect. Therefore the variable
 * also holds a secret. Only the processes of the run can read it, because their environment is
 * private to their user (proc(5), /proc/PID/environ).
 *
 * Header only, so that the command and the library that is loaded into programs share it without
 * sharing an object.
 */
#ifndef PINSIGHT_FORMAT_LTTNG_JOIN_H
#define PINSIGHT_FORMAT_LTTNG_JOIN_H

#include "format/counts.h"
#include "format/variables.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

/* PINSIGHT_JOIN_VARIABLE holds "name/secret": the name of an abstract socket (unix(7)) without its
 * leading zero byte, and hexadecimal digits. */
#define PINSIGHT_JOIN_SECRET 32 /* number of digits of the secret */

/* The longest wait for the answer. The session admits one process after the other, so the last of
 * hundreds of ranks waits for some time. */
enum { PINSIGHT_JOIN_WAIT_MS = 10000 };

/* The request of a process. `pid` is its number as the process sees itself, with which it
 * registers. */
struct pinsight_join_request {
    int pid;
    char secret[PINSIGHT_JOIN_SECRET];
};

/* Fills in an address from the variable's value "name/secret". Returns its length, or 0 if there is
 * no secret or the name is too long. */
static inline socklen_t pinsight_join_address(struct sockaddr_un *address, const char *name) {
    const char *slash = strrchr(name, '/');
    size_t length = slash ? (size_t)(slash - name) : 0;

    if (length == 0 || length + 1 > sizeof(address->sun_path) ||
        strlen(slash + 1) != PINSIGHT_JOIN_SECRET) {
        return 0;
    }
    memset(address, 0, sizeof(*address));
    address->sun_family = AF_UNIX;
    memcpy(address->sun_path + 1, name, length);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length);
}

/* The answer: 'k' if the process is admitted. `number` is the process's part of the file of counts,
 * whose descriptor is sent along (SCM_RIGHTS); 0 without one. */
struct pinsight_join_answer {
    uint32_t number;
    char byte;
};

/* Receives the answer and its descriptor, if any. */
static inline int pinsight_join_receive(int fd, struct pinsight_counts_grant *grant) {
    struct pinsight_join_answer answer = {0, 0};
    struct iovec piece = {&answer, sizeof(answer)};
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof(int))];
    } control;
    struct msghdr message = {.msg_iov = &piece,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof(control)};
    ssize_t n;

    do {
        n = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
    } while (n < 0 && errno == EINTR);
    struct cmsghdr *head = n >= 0 ? CMSG_FIRSTHDR(&message) : NULL;
    if (head != NULL && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS &&
        head->cmsg_len == CMSG_LEN(sizeof(int))) {
        memcpy(&grant->fd, CMSG_DATA(head), sizeof(grant->fd));
        grant->number = answer.number;
    }
    return n == (ssize_t)sizeof(answer) && answer.byte == 'k' ? 0 : -1;
}

/*
 * Joins the session in the environment; tracer/record/recorder.h describes the result and the
 * conditions of the call. Fills in `grant`. Thread-safe as far as getenv(3) is.
 */
static inline enum pinsight_joined pinsight_session_join(struct pinsight_counts_grant *grant) {
    const char *name = getenv(PINSIGHT_JOIN_VARIABLE);
    struct pinsight_join_request request = {.pid = (int)getpid()};
    struct sockaddr_un address;
    enum pinsight_joined joined = PINSIGHT_JOIN_UNANSWERED;
    int kept = errno;

    *grant = (struct pinsight_counts_grant){-1, 0};
    if (name == NULL || *name == '\0') {
        return PINSIGHT_JOINED;
    }
    socklen_t length = pinsight_join_address(&address, name);
    if (length > 0) {
        memcpy(request.secret, strrchr(name, '/') + 1, sizeof(request.secret));
    }
    int fd = length > 0 ? socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0) : -1;
    if (fd >= 0) {
        struct timeval limit = {PINSIGHT_JOIN_WAIT_MS / 1000, 0};
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
        if (connect(fd, (struct sockaddr *)&address, length) != 0) {
            joined = errno == ECONNREFUSED ? PINSIGHT_JOIN_OVER : joined;
        } else if (send(fd, &request, sizeof(request), MSG_NOSIGNAL) == (ssize_t)sizeof(request)) {
            joined = pinsight_join_receive(fd, grant) == 0 ? PINSIGHT_JOINED : joined;
        }
        close(fd);
    }
    errno = kept;
    return joined;
}

#endif
