/* The process that lets the processes of a run into its session. */
#include "session/joiner.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/join.h"
#include "session/session.h"

enum { QUEUE = 4096 };

static void serve(int listener, const char *session_name) {
    for (;;) {
        int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
        if (fd < 0) {
            if (errno == EINTR || errno == ECONNABORTED) {
                continue;
            }
            return;
        }
        /* Who connects and says nothing must not hold the others. */
        struct timeval limit = {2, 0};
        struct pinsight_join_request request;
        struct ucred peer;
        socklen_t size = sizeof(peer);
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
        if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
            (geteuid() == 0 || peer.uid == geteuid()) &&
            recv(fd, &request, sizeof(request), 0) == (ssize_t)sizeof(request) && request.pid > 0) {
            char answer = pinsight_session_track(session_name, request.pid) == 0 ? 'k' : 'e';
            ssize_t sent = send(fd, &answer, 1, MSG_NOSIGNAL);
            (void)sent;
        }
        close(fd);
    }
}

int pinsight_joiner_start(struct pinsight_joiner *joiner, const char *session_name) {
    struct sockaddr_un address;

    joiner->pid = 0;
    if ((size_t)snprintf(joiner->name, sizeof(joiner->name), "%.98s", session_name) <
        strlen(session_name)) {
        return ENAMETOOLONG;
    }
    socklen_t length = pinsight_join_address(&address, joiner->name);
    int listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (listener < 0) {
        return errno;
    }
    if (bind(listener, (struct sockaddr *)&address, length) != 0 || listen(listener, QUEUE) != 0) {
        int error = errno;
        close(listener);
        return error;
    }
    pid_t parent = getpid();
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() == parent) {
            serve(listener, session_name);
        }
        _exit(0);
    }
    int error = pid < 0 ? errno : 0;
    close(listener);
    joiner->pid = pid > 0 ? pid : 0;
    return error;
}

void pinsight_joiner_stop(struct pinsight_joiner *joiner) {
    if (joiner->pid > 0) {
        kill(joiner->pid, SIGKILL);
        while (waitpid(joiner->pid, NULL, 0) < 0 && errno == EINTR) {
        }
        joiner->pid = 0;
    }
}
