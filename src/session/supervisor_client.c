/* The side of `pinsight run` in its talk with the keeper. */
#include "session/supervisor.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void supervise(int fd, void *config) {
    pinsight_supervisor_main(fd, config);
}

int pinsight_keeper_start(struct pinsight_worker *keeper,
                          const struct pinsight_supervisor_config *config) {
    return pinsight_worker_start(keeper, 0, supervise, (void *)config);
}

int pinsight_keeper_receive(struct pinsight_worker *keeper, struct pinsight_keeper_message *message,
                            int wait_ms) {
    if (keeper->fd < 0) {
        return -1;
    }
    struct pollfd wait = {.fd = keeper->fd, .events = POLLIN};
    if (poll(&wait, 1, wait_ms) <= 0) {
        return 0;
    }
    ssize_t n = recv(keeper->fd, message, sizeof(*message), MSG_DONTWAIT);
    if (n == (ssize_t)sizeof(*message)) {
        return 1;
    }
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) {
        return 0;
    }
    close(keeper->fd);
    keeper->fd = -1;
    return -1;
}

void pinsight_keeper_end(struct pinsight_worker *keeper) {
    struct pinsight_keeper_message message;

    if (keeper->fd >= 0) {
        memset(&message, 0, sizeof(message));
        message.word = PINSIGHT_WORD_END;
        ssize_t sent = send(keeper->fd, &message, sizeof(message), MSG_NOSIGNAL);
        (void)sent;
    }
}
