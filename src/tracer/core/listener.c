/* The thread that answers `pinsight ctl`; see listener.h. */
#include "tracer/core/listener.h"

#include "base/clock.h"
#include "base/ctl.h"
#include "base/own_thread.h"
#include "base/pairs.h"
#include "tracer/core/clock.h"
#include "tracer/core/control.h"
#include "tracer/core/introspect.h"
#include "tracer/core/log.h"
#include "tracer/core/process.h"
#include "tracer/core/request.h"
#include "tracer/core/service.h"
#include "tracer/core/status.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* The least number of the socket. Some programs expect low numbers for themselves. */
#define FD_MIN 100
/* The most orders that wait for their answers at the same time. */
#define ORDERS_MAX 16

static _Atomic int listening = -1; /* the descriptor, which the program may close or reuse */
static _Atomic int owner;          /* the process that opened it */
static _Atomic int orders;

/* The sender of a request. */
struct peer {
    struct sockaddr_un address;
    socklen_t length;
};

/* ---- the socket ---- */

/* Returns whether the descriptor is still the socket. Some programs close descriptors that they did
 * not open. */
static bool is_ours(int fd) {
    struct sockaddr_un address;
    const size_t start = offsetof(struct sockaddr_un, sun_path);
    socklen_t length = sizeof address - 1;

    memset(&address, 0, sizeof address);
    return fd >= 0 && getsockname(fd, (struct sockaddr *)&address, &length) == 0 &&
           address.sun_family == AF_UNIX && length > start + 1 && !address.sun_path[0] &&
           pinsight_ctl_name_pid(address.sun_path + 1) == atomic_load(&owner);
}

/* Makes a socket with a high number. Returns -1 on an error. */
static int make_socket(void) {
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0), on = 1;

    if (fd < 0)
        return -1;
    int high = fcntl(fd, F_DUPFD_CLOEXEC, FD_MIN);
    if (high >= 0) { /* otherwise RLIMIT_NOFILE is too low */
        close(fd);
        fd = high;
    }
    setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof on);
    return fd;
}

/* Binds the socket to a new name of this process. */
static int bind_socket(int fd) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char *name = address.sun_path + 1;
    const size_t room = sizeof address.sun_path - 1;

    for (int i = 0; i < 8; i++) {
        uint32_t number;
        if (getrandom(&number, sizeof number, GRND_NONBLOCK) != (ssize_t)sizeof number)
            number = (uint32_t)(pinsight_clock_ns() * 2654435761u);
        snprintf(name, room, PINSIGHT_CTL_PREFIX "%d/%08" PRIx32, (int)pinsight_process.pid,
                 number);
        socklen_t length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name));
        if (bind(fd, (struct sockaddr *)&address, length) == 0)
            return 0;
        if (errno != EADDRINUSE)
            break;
    }
    return -1;
}

/* Opens the socket. Returns false with errno on an error. */
static bool open_socket(void) {
    int fd = make_socket();

    if (fd >= 0 && bind_socket(fd) == 0) {
        atomic_store(&owner, (int)pinsight_process.pid);
        atomic_store(&listening, fd);
        return true;
    }
    int error = errno;
    if (fd >= 0)
        close(fd);
    errno = error;
    return false;
}

static void close_socket(void) {
    int fd = atomic_exchange(&listening, -1);
    if (is_ours(fd))
        close(fd);
}

/* ---- answers ---- */

/* The most attempts to send a reply. The queue of a receiver of this user may be full for a
 * moment. */
#define ATTEMPTS 20

/* Sends a reply, if necessary by another socket, because the kernel identifies the sender. */
static void reply(const struct peer *peer, const struct pinsight_pairs_writer *text, int attempts) {
    const struct timespec pause = {.tv_nsec = 5000000};
    int fd = atomic_load(&listening), own = -1;

    if (!is_ours(fd))
        fd = own = make_socket();
    for (int i = 0; fd >= 0 && i < attempts; i++) {
        if (i)
            nanosleep(&pause, NULL);
        if (sendto(fd, text->text, text->used, MSG_DONTWAIT | MSG_NOSIGNAL,
                   (const struct sockaddr *)&peer->address, peer->length) >= 0 ||
            errno != EAGAIN)
            break;
    }
    if (own >= 0)
        close(own);
}

static void send_reply(const struct peer *peer, const char *id, const char *result,
                       const char *message, int attempts) {
    struct pinsight_pairs_writer writer;
    char text[2048];

    pinsight_pairs_write(&writer, text, sizeof text);
    pinsight_pairs_put(&writer, "result", "%s", result);
    pinsight_pairs_put(&writer, "id", "%s", id);
    pinsight_pairs_put(&writer, "message", "%s", message);
    reply(peer, &writer, attempts);
}

static void send_status(const struct peer *peer, const char *id) {
    static char text[PINSIGHT_CTL_MAX];
    struct pinsight_pairs_writer writer;

    pinsight_pairs_write(&writer, text, sizeof text);
    pinsight_pairs_put(&writer, "result", "ok");
    pinsight_pairs_put(&writer, "id", "%s", id);
    pinsight_status_write(&writer);
    reply(peer, &writer, ATTEMPTS);
}

/* ---- orders ---- */

struct work {
    struct peer peer;
    struct pinsight_request request;
};

/* Executes one order in a thread of its own, because the control thread may be busy for long and
 * the listener must not be. */
static void *carry(void *data) {
    struct work *work = data;
    struct pinsight_answer answer;
    struct pinsight_pairs_writer writer;
    char text[4096];

    pinsight_control_ask(&work->request.order, work->request.wait_ms, &answer);
    pinsight_pairs_write(&writer, text, sizeof text);
    pinsight_pairs_put(&writer, "result", "%s",
                       answer.failed    ? "failed"
                       : answer.pending ? "pending"
                                        : "ok");
    pinsight_pairs_put(&writer, "id", "%s", work->request.id);
    pinsight_pairs_put(&writer, "message", "%s", answer.message);
    pinsight_pairs_put(&writer, "effect_ns", "%" PRIu64, answer.effect_ns);
    pinsight_pairs_put(&writer, "generation", "%" PRIu32, answer.config_version);
    reply(&work->peer, &writer, ATTEMPTS);
    free(work);
    atomic_fetch_sub(&orders, 1);
    return NULL;
}

static void start_order(const struct peer *peer, const struct pinsight_request *request) {
    struct work *work;

    if (atomic_fetch_add(&orders, 1) >= ORDERS_MAX) {
        atomic_fetch_sub(&orders, 1);
        send_reply(peer, request->id, "failed",
                   "the process has many orders to carry out; ask again", ATTEMPTS);
        return;
    }
    work = malloc(sizeof *work);
    if (work) {
        work->peer = *peer;
        work->request = *request;
        if (pinsight_own_thread_start("pinsight-ctl", carry, work))
            return;
        free(work);
    }
    atomic_fetch_sub(&orders, 1);
    send_reply(peer, request->id, "failed", "the process has no memory or threads left", ATTEMPTS);
}

/* Returns whether this process belongs to a user. All three ids must agree, as for ptrace(2): a
 * program of root that is another user for a while can become root again. */
static bool is_users(uid_t user) {
    uid_t real, effective, saved;

    return getresuid(&real, &effective, &saved) == 0 && user == real && user == effective &&
           user == saved;
}

/* Waits after a datagram of another user, or of an unknown one. These may come as fast as the
 * sender likes, and must not cost the program a processor. */
static void wait_a_little(void) {
    const struct timespec patience = {.tv_nsec = 1000000};

    nanosleep(&patience, NULL);
}

static void handle(const struct peer *peer, uid_t user, char *packet, size_t length) {
    static struct pinsight_request request;
    char error[512];
    bool good = pinsight_request_read(packet, length, &request, error, sizeof error);

    if (!is_users(user)) {
        wait_a_little();
        send_reply(peer, request.id, "refused", "the process belongs to another user", 1);
    } else if (!good)
        send_reply(peer, request.id, "failed", error, ATTEMPTS);
    else if (request.verb == PINSIGHT_REQUEST_STATUS)
        send_status(peer, request.id);
    else if (request.verb == PINSIGHT_REQUEST_ORDER)
        start_order(peer, &request);
    else {
        pinsight_introspect_resume();
        send_reply(peer, request.id, "ok", "it goes on, if an introspection paused it", ATTEMPTS);
    }
}

/* ---- the thread ---- */

/* Receives a datagram. Returns its length, or -1. peer->length is 0 if it cannot be answered,
 * because it has no sender or is too long. */
static ssize_t receive(int fd, struct peer *peer, uid_t *user, char *packet, size_t room) {
    union {
        char room[CMSG_SPACE(sizeof(struct ucred))]; /* no room for descriptors */
        struct cmsghdr aligned;
    } control;
    struct iovec part = {packet, room};
    struct msghdr message = {
        .msg_name = &peer->address,
        .msg_namelen = sizeof peer->address,
        .msg_iov = &part,
        .msg_iovlen = 1,
        .msg_control = control.room,
        .msg_controllen = sizeof control.room,
    };
    struct ucred credentials;

    ssize_t n = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
    if (n < 0)
        return -1;
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    peer->length = message.msg_namelen;
    if (!head || head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_CREDENTIALS ||
        peer->length <= offsetof(struct sockaddr_un, sun_path) || (message.msg_flags & MSG_TRUNC)) {
        peer->length = 0;
        return n;
    }
    memcpy(&credentials, CMSG_DATA(head), sizeof credentials);
    *user = credentials.uid;
    return n;
}

static void listen_to_all(void);
static struct pinsight_service service = {.name = "pinsight-ctl", .run = listen_to_all};

static void listen_to_all(void) {
    static char packet[PINSIGHT_CTL_MAX + 1];
    const struct timespec second = {.tv_sec = 1}, moment = {.tv_nsec = 10000000};

    while (!pinsight_service_leaves(&service)) {
        struct peer peer;
        uid_t user = (uid_t)-1;
        int fd = atomic_load(&listening);
        if (!is_ours(fd) && !open_socket()) {
            nanosleep(&second, NULL); /* for example, no descriptor is free */
            continue;
        }
        fd = atomic_load(&listening);
        ssize_t n = receive(fd, &peer, &user, packet, PINSIGHT_CTL_MAX);
        if (pinsight_service_leaves(&service))
            return;
        if (!is_ours(
                fd)) /* it may have been closed meanwhile; a repeated request finds a new one */
            open_socket();
        if (n >= 0 && peer.length)
            handle(&peer, user, packet, (size_t)n);
        else if (n >= 0)
            wait_a_little();
        else if (errno != EINTR)
            nanosleep(&moment, NULL);
    }
}

void pinsight_listener_start(void) {
    static struct pinsight_log_once once = PINSIGHT_LOG_ONCE_INIT;
    if (pinsight_service_is_there(&service))
        return;
    bool opened = open_socket();
    if (opened && pinsight_service_start(&service))
        return;
    if (opened)
        close(atomic_exchange(&listening, -1));
    pinsight_log_once(
        &once,
        "process %d cannot be controlled with `pinsight ctl`: it has no socket or, by "
        "`ulimit -u`, no thread to spare; it is traced all the same",
        (int)pinsight_process.pid);
}

void pinsight_listener_rest(void) {
    int fd = atomic_load(&listening);
    /* Shutting down the socket ends recvmsg(). */
    if (pinsight_service_ask(&service) && is_ours(fd))
        shutdown(fd, SHUT_RD);
}

bool pinsight_listener_gone(uint64_t until_ns) {
    const struct timespec pause = {.tv_nsec = 100000};
    bool gone = pinsight_service_gone(&service, until_ns);
    while (atomic_load(&orders) > 0 && pinsight_now_ns() < until_ns)
        nanosleep(&pause, NULL);
    /* A running order replies by the socket, which then stays open. A listener that stays opens
     * another. */
    if (atomic_load(&orders) == 0)
        close_socket();
    return gone;
}

void pinsight_listener_fork_child(void) {
    if (pinsight_threads_may_start()) /* a filter may forbid its calls */
        close_socket();
    pinsight_service_fork_child(&service);
    atomic_store(&orders, 0);
}
