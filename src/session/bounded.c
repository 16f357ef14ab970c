/* Work that may hang, done in a process of its own that can be killed. */
#include "session/bounded.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "session/process.h"

enum { PACKET_MAX = 4096, WHAT_MAX = 96 };

void pinsight_pulse_beat(const struct pinsight_pulse *pulse, const char *what) {
    char packet[WHAT_MAX + 1];

    snprintf(packet, sizeof(packet), "b%.95s", what);
    ssize_t sent = send(pulse->fd, packet, strlen(packet), MSG_NOSIGNAL);
    (void)sent;
}

static void send_result(int fd, const void *result, size_t size) {
    char packet[PACKET_MAX];

    packet[0] = 'r';
    memcpy(packet + 1, result, size);
    ssize_t sent = send(fd, packet, size + 1, MSG_NOSIGNAL);
    (void)sent;
}

static enum pinsight_bounded listen_to_worker(int fd, struct pinsight_bounded_work *work) {
    int64_t until = pinsight_now_ms() + work->silence_ms;

    for (;;) {
        int64_t rest = until - pinsight_now_ms();
        if (rest <= 0) {
            return PINSIGHT_BOUNDED_HUNG;
        }
        struct pollfd wait = {.fd = fd, .events = POLLIN};
        if (poll(&wait, 1, (int)rest) <= 0) {
            continue;
        }
        char packet[PACKET_MAX + 1];
        ssize_t n = recv(fd, packet, PACKET_MAX, 0);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return PINSIGHT_BOUNDED_DIED;
        }
        if (packet[0] == 'r' && (size_t)n == work->result_size + 1) {
            memcpy(work->result, packet + 1, work->result_size);
            return PINSIGHT_BOUNDED_DONE;
        }
        packet[n] = '\0';
        snprintf(work->last, sizeof(work->last), "%.95s", packet + 1);
        if (work->heard != NULL) {
            work->heard(work->listener, work->last);
        }
        until = pinsight_now_ms() + work->silence_ms;
    }
}

enum pinsight_bounded pinsight_bounded_run(struct pinsight_bounded_work *work) {
    int pair[2];

    work->last[0] = '\0';
    if (work->result_size >= PACKET_MAX ||
        socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
        return PINSIGHT_BOUNDED_FAILED;
    }
    pid_t parent = getpid();
    pid_t pid = fork();
    if (pid < 0) {
        close(pair[0]);
        close(pair[1]);
        return PINSIGHT_BOUNDED_FAILED;
    }
    if (pid == 0) {
        close(pair[0]);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) {
            _exit(1);
        }
        char answer[PACKET_MAX] __attribute__((aligned(16))) = {0};
        struct pinsight_pulse pulse = {.fd = pair[1]};
        work->work(&pulse, work->request, answer);
        send_result(pair[1], answer, work->result_size);
        _exit(0);
    }
    close(pair[1]);
    enum pinsight_bounded how = listen_to_worker(pair[0], work);
    close(pair[0]);
    if (how != PINSIGHT_BOUNDED_DONE) {
        kill(pid, SIGKILL);
    }
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
    }
    return how;
}
