/* Calls with a time limit, each in a child process; see timeout.h. */
#include "base/timeout.h"
#include "base/clock.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/spawn.h"

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

static enum pinsight_timed listen_to_worker(int fd, struct pinsight_timed_call *work) {
    int64_t until = pinsight_now_ms() + work->silence_ms;

    for (;;) {
        int64_t rest = until - pinsight_now_ms();
        if (rest <= 0) {
            return PINSIGHT_TIMED_HUNG;
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
            return PINSIGHT_TIMED_DIED;
        }
        if (packet[0] == 'r' && (size_t)n == work->result_size + 1) {
            memcpy(work->result, packet + 1, work->result_size);
            return PINSIGHT_TIMED_DONE;
        }
        packet[n] = '\0';
        snprintf(work->last, sizeof(work->last), "%.95s", packet + 1);
        if (work->on_beat != NULL) {
            work->on_beat(work->listener, work->last);
        }
        until = pinsight_now_ms() + work->silence_ms;
    }
}

static void run_work(int fd, void *data) {
    const struct pinsight_timed_call *work = data;
    char answer[PACKET_MAX] __attribute__((aligned(16))) = {0};
    struct pinsight_pulse pulse = {.fd = fd};

    work->work(&pulse, work->request, answer);
    send_result(fd, answer, work->result_size);
}

enum pinsight_timed pinsight_call_with_timeout(struct pinsight_timed_call *work) {
    struct pinsight_worker worker;

    work->last[0] = '\0';
    if (work->result_size >= PACKET_MAX ||
        pinsight_worker_start(&worker, SIGKILL, run_work, work) != 0) {
        return PINSIGHT_TIMED_FAILED;
    }
    enum pinsight_timed how = listen_to_worker(worker.fd, work);
    if (how == PINSIGHT_TIMED_DONE) {
        close(worker.fd);
        pinsight_reap(worker.pid);
    } else {
        pinsight_worker_kill(&worker);
    }
    return how;
}
