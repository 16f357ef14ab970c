/* The process that admits the processes of a run to its session; see tracker.h. */
#include "session/lttng/tracker.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/spawn.h"
#include "format/lttng/join.h"
#include "session/counts.h"
#include "session/lttng/session.h"
#include "session/process_list.h"

enum { QUEUE = 4096 };

/* Returns a process's number in its own PID namespace, from the kernel (proc(5), NSpid), or its
 * number here if there is no such line. */
static int own_number(pid_t pid) {
    char path[32], line[256];
    int number = (int)pid;

    snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
    FILE *file = fopen(path, "re");
    while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
        if (strncmp(line, "NSpid:", 6) == 0) {
            const char *last = strrchr(line, '\t');
            number = last != NULL ? atoi(last + 1) : number;
            break;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return number;
}

/* Compares in constant time, so that the time does not reveal how much of an answer is right. */
static bool is_secret(const char *secret, const char *answer) {
    unsigned char different = 0;

    for (size_t i = 0; i < PINSIGHT_JOIN_SECRET; i++) {
        different |= (unsigned char)(secret[i] ^ answer[i]);
    }
    return different == 0;
}

static bool may_join(int fd, const char *secret, const struct pinsight_join_request *request,
                     pid_t *here) {
    struct ucred peer;
    socklen_t size = sizeof(peer);

    if (!is_secret(secret, request->secret) || request->pid <= 0 ||
        getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 ||
        (geteuid() != 0 && peer.uid != geteuid())) {
        return false;
    }
    *here = peer.pid;
    /* pid 0: the PID namespace is not below this one, and there is no number to compare. */
    return peer.pid == 0 || request->pid == peer.pid || request->pid == own_number(peer.pid);
}

/* Sends the answer, with the file of counts if the process has a part of it. */
static void answer(int fd, char byte, int counts, int pid) {
    struct pinsight_join_answer answer = {.byte = byte};
    struct iovec piece = {&answer, sizeof(answer)};
    struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof(int))];
    } control;

    answer.number = byte == 'k' ? pinsight_counts_give(counts, pid) : 0;
    if (answer.number != 0) {
        memset(&control, 0, sizeof(control));
        message.msg_control = &control;
        message.msg_controllen = sizeof(control);
        struct cmsghdr *head = CMSG_FIRSTHDR(&message);
        head->cmsg_level = SOL_SOCKET;
        head->cmsg_type = SCM_RIGHTS;
        head->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(head), &counts, sizeof(int));
    }
    ssize_t sent = sendmsg(fd, &message, MSG_NOSIGNAL);
    (void)sent;
}

static void serve(int listener, const struct pinsight_tracker *tracker, const char *session_name,
                  int list) {
    const char *secret = strrchr(tracker->name, '/') + 1;

    for (;;) {
        int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
        if (fd < 0) {
            if (errno == EINTR || errno == ECONNABORTED) {
                continue;
            }
            return;
        }
        /* A client that sends nothing must not block the others. */
        struct timeval limit = {2, 0};
        struct pinsight_join_request request;
        pid_t here = 0;
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
        if (recv(fd, &request, sizeof(request), 0) == (ssize_t)sizeof(request) &&
            may_join(fd, secret, &request, &here)) {
            pinsight_process_list_note(list, request.pid, here);
            bool tracked = pinsight_session_track(session_name, request.pid) == 0;
            answer(fd, tracked ? 'k' : 'e', tracker->counts, request.pid);
        }
        close(fd);
    }
}

/* Makes "session/secret", unless there is one of that session already. */
static int make_name(struct pinsight_tracker *tracker, const char *session_name) {
    unsigned char bytes[PINSIGHT_JOIN_SECRET / 2];
    size_t length = strlen(session_name);

    if (strncmp(tracker->name, session_name, length) == 0 && tracker->name[length] == '/') {
        return 0;
    }
    tracker->name[0] = '\0';
    if (length + 1 + PINSIGHT_JOIN_SECRET + 1 > sizeof(tracker->name)) {
        return ENAMETOOLONG;
    }
    if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes)) {
        return errno != 0 ? errno : EIO;
    }
    char *at = tracker->name + sprintf(tracker->name, "%s/", session_name);
    for (size_t i = 0; i < sizeof(bytes); i++) {
        at += sprintf(at, "%02x", bytes[i]);
    }
    return 0;
}

int pinsight_tracker_start(struct pinsight_tracker *tracker, const char *session_name,
                           const char *output) {
    struct sockaddr_un address;

    tracker->pid = 0;
    int made = make_name(tracker, session_name);
    if (made != 0) {
        return made;
    }
    socklen_t length = pinsight_join_address(&address, tracker->name);
    if (length == 0) {
        return ENAMETOOLONG;
    }
    int listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (listener < 0) {
        return errno;
    }
    if (bind(listener, (struct sockaddr *)&address, length) != 0 || listen(listener, QUEUE) != 0) {
        int error = errno;
        close(listener);
        return error;
    }
    pid_t pid = pinsight_fork(SIGKILL);
    if (pid == 0) {
        serve(listener, tracker, session_name, pinsight_process_list_open(output));
        _exit(0);
    }
    int error = pid < 0 ? errno : 0;
    close(listener);
    tracker->pid = pid > 0 ? pid : 0;
    return error;
}

void pinsight_tracker_stop(struct pinsight_tracker *tracker) {
    if (tracker->pid > 0) {
        kill(tracker->pid, SIGKILL);
        pinsight_reap(tracker->pid);
        tracker->pid = 0;
    }
}
