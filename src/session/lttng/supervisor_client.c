/* The side of `pinsight run` in the protocol with the supervisor; see supervisor.h. */
#include "session/lttng/supervisor.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int pinsight_supervisor_start(struct pinsight_worker *supervisor,
                              void (*work)(int fd, void *config),
                              const struct pinsight_supervisor_config *config) {
    return pinsight_worker_start(supervisor, 0, work, (void *)config);
}

int pinsight_supervisor_receive(struct pinsight_worker *supervisor,
                                struct pinsight_supervisor_message *message, int wait_ms) {
    if (supervisor->fd < 0) {
        return -1;
    }
    struct pollfd wait = {.fd = supervisor->fd, .events = POLLIN};
    if (poll(&wait, 1, wait_ms) <= 0) {
        return 0;
    }
    ssize_t n = recv(supervisor->fd, message, sizeof(*message), MSG_DONTWAIT);
    if (n == (ssize_t)sizeof(*message)) {
        return 1;
    }
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) {
        return 0;
    }
    close(supervisor->fd);
    supervisor->fd = -1;
    return -1;
}

void pinsight_supervisor_end(struct pinsight_worker *supervisor) {
    struct pinsight_supervisor_message message;

    if (supervisor->fd >= 0) {
        memset(&message, 0, sizeof(message));
        message.word = PINSIGHT_WORD_END;
        ssize_t sent = send(supervisor->fd, &message, sizeof(message), MSG_NOSIGNAL);
        (void)sent;
    }
}
