/* The client of the control protocol; see ctl_client.h. */
#include "base/ctl_client.h"

#include "base/clock.h"
#include "base/pairs.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum {
    LOOK_MS = 200, /* how often waiting calls check that their processes still live */
    POLL_MS = 20,
};

/* ---- finding ---- */

/* Adds the socket in a line of /proc/net/unix ("... inode @name") if it belongs to PInsight. */
static bool add_line(struct pinsight_call **calls, size_t *count, const char *line) {
    const char *at = strstr(line, " @" PINSIGHT_CTL_PREFIX);
    char name[PINSIGHT_CTL_NAME_ROOM];

    if (at == NULL || (size_t)snprintf(name, sizeof(name), "%s", at + 2) >= sizeof(name) ||
        pinsight_ctl_name_pid(name) == 0) {
        return true;
    }
    for (size_t i = 0; i < *count; i++) {
        if (strcmp((*calls)[i].name, name) == 0) {
            return true;
        }
    }
    struct pinsight_call *more = realloc(*calls, (*count + 1) * sizeof(**calls));
    if (more == NULL) {
        return false;
    }
    *calls = more;
    memset(&more[*count], 0, sizeof(*more));
    strcpy(more[*count].name, name);
    more[*count].pid = pinsight_ctl_name_pid(name);
    (*count)++;
    return true;
}

struct pinsight_call *pinsight_calls_find(size_t *count) {
    struct pinsight_call *calls = NULL;
    char *line = NULL;
    size_t room = 0;
    bool good = true;

    *count = 0;
    FILE *file = fopen("/proc/net/unix", "re");
    if (file == NULL) {
        return NULL;
    }
    while (good && getline(&line, &room, file) > 0) {
        line[strcspn(line, "\n")] = '\0';
        good = add_line(&calls, count, line);
    }
    free(line);
    fclose(file);
    if (!good) {
        pinsight_calls_free(calls, *count);
        calls = NULL;
        *count = 0;
        errno = ENOMEM;
    } else if (calls == NULL) {
        errno = 0;
    }
    return calls;
}

/* ---- asking ---- */

/* Opens a socket for replies, with a name that the kernel chooses. Returns -1 with errno on an
 * error. */
static int open_socket(void) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), on = 1;

    if (fd < 0) {
        return -1;
    }
    if (setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) != 0 ||
        bind(fd, (struct sockaddr *)&address, sizeof(address.sun_family)) != 0) {
        int error = errno;
        close(fd);
        errno = error;
        return -1;
    }
    return fd;
}

/* Sends a request. It stays unsent if the process's queue is full or its socket is gone.
 * look_for_gone() then finds out whether the process has a new socket. */
static void send_request(int fd, struct pinsight_call *call, size_t id, const char *request) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char text[PINSIGHT_CTL_MAX];

    int length = snprintf(text, sizeof(text), "%sid %zu\n", request, id);
    if (length < 0 || (size_t)length >= sizeof(text)) {
        call->state = PINSIGHT_CALL_FAILED;
        call->error = EMSGSIZE;
        return;
    }
    size_t name = strlen(call->name);
    memcpy(address.sun_path + 1, call->name, name);
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + name);
    if (sendto(fd, text, (size_t)length, MSG_NOSIGNAL, (struct sockaddr *)&address, size) >= 0) {
        call->sent = true;
    } else if (errno != EAGAIN && errno != EINTR && errno != ECONNREFUSED) {
        call->state = PINSIGHT_CALL_FAILED;
        call->error = errno;
    }
}

/* Returns the number in the line `id` of a reply, or SIZE_MAX. Does not change the text. */
static size_t find_id(const char *text) {
    const char *at = strncmp(text, "id ", 3) == 0 ? text : strstr(text, "\nid ");
    char *end;

    if (at == NULL) {
        return SIZE_MAX;
    }
    at += *at == '\n' ? 4 : 3;
    unsigned long long number = strtoull(at, &end, 10);
    return end > at && *end == '\n' && number < SIZE_MAX ? (size_t)number : SIZE_MAX;
}

/* Receives one reply if one is there. Returns false if there is none. */
static bool receive(int fd, struct pinsight_call *calls, size_t count) {
    static char text[PINSIGHT_CTL_MAX + 1];
    union {
        char room[CMSG_SPACE(sizeof(struct ucred))];
        struct cmsghdr aligned;
    } control;
    struct iovec part = {text, PINSIGHT_CTL_MAX};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.room,
                             .msg_controllen = sizeof(control.room)};
    struct ucred peer;

    ssize_t n = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
    if (n < 0) {
        return errno == EINTR;
    }
    text[n] = '\0';
    size_t id = find_id(text);
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    if (id >= count || calls[id].state != PINSIGHT_CALL_WAITING || head == NULL ||
        head->cmsg_type != SCM_CREDENTIALS) {
        return true; /* not a reply to this request, or too late */
    }
    memcpy(&peer, CMSG_DATA(head), sizeof(peer));
    struct pinsight_call *call = &calls[id];
    call->uid = peer.uid;
    call->pid = peer.pid > 0 ? peer.pid : call->pid;
    if (peer.uid != geteuid()) {
        call->state = PINSIGHT_CALL_FOREIGN;
        return true;
    }
    if (strncmp(text, "result refused\n", 15) == 0) {
        call->state = PINSIGHT_CALL_REFUSED;
        return true;
    }
    call->reply = malloc((size_t)n + 1);
    call->state = call->reply != NULL ? PINSIGHT_CALL_ANSWERED : PINSIGHT_CALL_FAILED;
    call->error = call->reply != NULL ? 0 : ENOMEM;
    if (call->reply != NULL) {
        memcpy(call->reply, text, (size_t)n + 1);
        call->length = (size_t)n;
    }
    return true;
}

/*
 * Marks calls whose process has no socket any more. A process can have a new socket, if its program
 * closed the old one. Unsent requests then go to the new one.
 */
static void look_for_gone(int fd, struct pinsight_call *calls, size_t count) {
    size_t there_count;
    struct pinsight_call *there = pinsight_calls_find(&there_count);

    if (there == NULL && errno != 0) {
        return;
    }
    while (receive(fd, calls, count)) { /* takes replies from before the end of a process */
    }
    for (size_t i = 0; i < count; i++) {
        int pid = pinsight_ctl_name_pid(calls[i].name);
        const char *found = NULL;
        for (size_t j = 0; j < there_count; j++) {
            bool same = strcmp(there[j].name, calls[i].name) == 0;
            if (same || (found == NULL && pinsight_ctl_name_pid(there[j].name) == pid)) {
                found = there[j].name;
            }
        }
        if (calls[i].state == PINSIGHT_CALL_WAITING && found == NULL) {
            calls[i].state = PINSIGHT_CALL_GONE;
        } else if (found != NULL && !calls[i].sent) {
            memcpy(calls[i].name, found, strlen(found) + 1);
        }
    }
    pinsight_calls_free(there, there_count);
}

static bool any_waits(const struct pinsight_call *calls, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (calls[i].state == PINSIGHT_CALL_WAITING) {
            return true;
        }
    }
    return false;
}

/* Gives all waiting calls a final state. */
static void end_all(struct pinsight_call *calls, size_t count, enum pinsight_call_state state,
                    int error) {
    for (size_t i = 0; i < count; i++) {
        if (calls[i].state == PINSIGHT_CALL_WAITING) {
            calls[i].state = state;
            calls[i].error = error;
        }
    }
}

void pinsight_calls_ask(struct pinsight_call *calls, size_t count, const char *request,
                        int64_t timeout_ms) {
    int fd = open_socket();
    int64_t began = pinsight_now_ms(), look = began + LOOK_MS;

    for (size_t i = 0; i < count; i++) {
        if (calls[i].state == PINSIGHT_CALL_WAITING) {
            free(calls[i].reply);
            calls[i].reply = NULL;
            calls[i].sent = false;
        }
    }
    if (fd < 0) {
        end_all(calls, count, PINSIGHT_CALL_FAILED, errno);
        return;
    }
    while (any_waits(calls, count)) {
        struct pollfd wait = {.fd = fd, .events = POLLIN};
        bool unsent = false;
        for (size_t i = 0; i < count; i++) {
            if (calls[i].state == PINSIGHT_CALL_WAITING && !calls[i].sent) {
                send_request(fd, &calls[i], i, request);
                unsent = unsent || !calls[i].sent;
            }
        }
        poll(&wait, 1, unsent ? POLL_MS : LOOK_MS);
        while (receive(fd, calls, count)) {
        }
        int64_t now = pinsight_now_ms();
        if (now >= look) {
            look_for_gone(fd, calls, count);
            look = now + LOOK_MS;
        }
        if (timeout_ms >= 0 && now - began >= timeout_ms) {
            break;
        }
    }
    close(fd);
    end_all(calls, count, PINSIGHT_CALL_SILENT, 0);
}

bool pinsight_call_value(const struct pinsight_call *call, const char *key, char *value,
                         size_t room) {
    struct pinsight_pairs_reader reader;
    const char *found, *text;
    bool there = false;

    if (room > 0) {
        *value = '\0';
    }
    char *copy = call->reply != NULL ? malloc(call->length + 1) : NULL;
    if (copy == NULL) {
        return false;
    }
    memcpy(copy, call->reply, call->length + 1);
    pinsight_pairs_read(&reader, copy, call->length);
    while (!there && pinsight_pairs_next(&reader, &found, &text)) {
        if (strcmp(found, key) == 0) {
            snprintf(value, room, "%s", text);
            there = true;
        }
    }
    free(copy);
    return there;
}

void pinsight_calls_free(struct pinsight_call *calls, size_t count) {
    for (size_t i = 0; i < count; i++) {
        free(calls[i].reply);
    }
    free(calls);
}
