/* Telling the other processes of a run that their session was rotated. */
#include "introspect/tell.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "core/introspect_protocol.h"
#include "session/process.h"

enum { PROCESSES_MAX = 1024, REPLY_MAX = 16384, STATUS_MS = 1000, DEFINE_MS = 2000 };

static const char prefix[] = "@pinsight-ctl/";

struct peer {
    char name[108]; /* of its socket, without the leading zero byte (unix(7), abstract) */
    int fd;         /* -1: no answer is expected */
};

/* Does the name belong to the process with that number: pinsight-ctl/<pid>/...? */
static bool is_of(const char *name, const char *pid) {
    const char *at = strchr(name, '/') + 1;
    size_t length = strlen(pid);

    return strncmp(at, pid, length) == 0 && at[length] == '/';
}

/* The sockets on which traced processes take requests, from /proc/net/unix. */
static size_t find(struct peer *peers, const char *served) {
    FILE *file = fopen("/proc/net/unix", "re");
    char line[512];
    size_t count = 0;

    if (file == NULL) {
        return 0;
    }
    while (count < PROCESSES_MAX && fgets(line, sizeof(line), file) != NULL) {
        unsigned long flags = 0;
        char *name = strchr(line, '@');
        if (name == NULL || strncmp(name, prefix, sizeof(prefix) - 1) != 0 ||
            sscanf(line, "%*s %*s %*s %lx", &flags) != 1 || !(flags & 0x10000)) {
            continue; /* 0x10000: it accepts connections */
        }
        name++;
        name[strcspn(name, "\n")] = '\0';
        if (strlen(name) + 1 < sizeof(peers->name) && !is_of(name, served)) {
            strcpy(peers[count].name, name);
            peers[count++].fd = -1;
        }
    }
    fclose(file);
    return count;
}

/* Connects, if that is a process of this user, and sends a request. */
static void ask(struct peer *peer, const char *request) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct ucred who;
    socklen_t size = sizeof(who);

    peer->fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (peer->fd < 0) {
        return;
    }
    memcpy(address.sun_path + 1, peer->name, strlen(peer->name));
    socklen_t length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(peer->name));
    if (connect(peer->fd, (struct sockaddr *)&address, length) != 0 ||
        getsockopt(peer->fd, SOL_SOCKET, SO_PEERCRED, &who, &size) != 0 || who.uid != geteuid() ||
        send(peer->fd, request, strlen(request), MSG_NOSIGNAL) < 0) {
        close(peer->fd);
        peer->fd = -1;
    }
}

/* Is there a line `session NAME` in the reply? */
static bool is_in(const char *reply, const char *session) {
    static const char key[] = "session ";

    for (const char *line = reply; *line != '\0';) {
        size_t length = strcspn(line, "\n");
        if (strncmp(line, key, sizeof(key) - 1) == 0 &&
            strlen(session) == length - sizeof(key) + 1 &&
            strncmp(line + sizeof(key) - 1, session, strlen(session)) == 0) {
            return true;
        }
        line += length + (line[length] == '\n');
    }
    return false;
}

/* Waits for all answers; of those that do not name the session the request is forgotten. */
static void hear(struct peer *peers, size_t count, int patience_ms, const char *session) {
    static struct pollfd waits[PROCESSES_MAX];
    static char reply[REPLY_MAX + 1];
    int64_t until = pinsight_now_ms() + patience_ms;
    size_t open = count;

    while (open > 0 && pinsight_now_ms() < until) {
        open = 0;
        for (size_t i = 0; i < count; i++) {
            waits[i] = (struct pollfd){.fd = peers[i].fd, .events = POLLIN};
            open += peers[i].fd >= 0;
        }
        if (open == 0 || poll(waits, count, 50) <= 0) {
            continue;
        }
        for (size_t i = 0; i < count; i++) {
            if (peers[i].fd < 0 || !waits[i].revents) {
                continue;
            }
            ssize_t n = recv(peers[i].fd, reply, REPLY_MAX, 0);
            reply[n > 0 ? n : 0] = '\0';
            close(peers[i].fd);
            peers[i].fd = -1;
            if (!is_in(reply, session)) {
                peers[i].name[0] = '\0';
            }
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (peers[i].fd >= 0) { /* no answer: whose session it has is not known */
            close(peers[i].fd);
            peers[i].fd = -1;
            peers[i].name[0] = '\0';
        }
    }
}

static void tell(const char *session, const char *served) {
    static struct peer peers[PROCESSES_MAX];
    size_t count = find(peers, served);

    for (size_t i = 0; i < count; i++) {
        ask(&peers[i], "status\n");
    }
    hear(peers, count, STATUS_MS, session);
    for (size_t i = 0; i < count; i++) {
        if (peers[i].name[0] != '\0') {
            ask(&peers[i], "define\n");
        }
    }
    hear(peers, count, DEFINE_MS, session);
}

void pinsight_tell_others(const char *session, const char *served) {
    pid_t pid = fork();

    if (pid == 0) {
        close(PINSIGHT_INTROSPECT_FD); /* its end is the helper's to hear of */
        alarm(10);
        tell(session, served);
        _exit(0);
    }
}
