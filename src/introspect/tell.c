/* Telling the other processes of a run that their session was rotated. */
#include "introspect/tell.h"

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "core/introspect_protocol.h"
#include "session/process.h"

/* How long processes have to answer, each time. */
enum {
    PROCESSES_MAX = 1024,
    NAME_ROOM = 108,
    REPLY_MAX = 32768,
    STATUS_MS = 1000,
    DEFINE_MS = 2000
};

static const char prefix[] = "@pinsight-ctl/";

/* A process that was asked; its socket's name is abstract (unix(7)), without the leading zero. */
struct peer {
    char name[NAME_ROOM];
    bool awaited; /* it has not answered yet */
    bool chosen;  /* it is of our session */
};

/* Does the name belong to the process with that number: pinsight-ctl/<pid>/...? */
static bool is_of(const char *name, const char *pid) {
    const char *at = strchr(name, '/') + 1;
    size_t length = strlen(pid);

    return strncmp(at, pid, length) == 0 && at[length] == '/';
}

/* The file is not read in one moment: while sockets come and go, one may stand there twice. */
static bool is_among(const struct peer *peers, size_t count, const char *name) {
    for (size_t i = 0; i < count; i++) {
        if (strcmp(peers[i].name, name) == 0) {
            return true;
        }
    }
    return false;
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
        char *name = strchr(line, '@');
        if (name == NULL || strncmp(name, prefix, sizeof(prefix) - 1) != 0) {
            continue;
        }
        name++;
        name[strcspn(name, "\n")] = '\0';
        if (strlen(name) < NAME_ROOM - 1 && !is_of(name, served) && !is_among(peers, count, name)) {
            strcpy(peers[count].name, name);
            peers[count].awaited = peers[count].chosen = false;
            count++;
        }
    }
    fclose(file);
    return count;
}

static void ask(int fd, struct peer *peer, const char *request) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = strlen(peer->name);

    memcpy(address.sun_path + 1, peer->name, length);
    peer->awaited = sendto(fd, request, strlen(request), MSG_DONTWAIT | MSG_NOSIGNAL,
                           (struct sockaddr *)&address,
                           (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length)) >= 0;
}

/* Is there a line `session NAME` in the reply? */
static bool names(const char *reply, const char *session) {
    static const char key[] = "session ";
    size_t wanted = strlen(session);

    for (const char *line = reply; *line != '\0';) {
        size_t length = strcspn(line, "\n");
        if (length == sizeof(key) - 1 + wanted && strncmp(line, key, sizeof(key) - 1) == 0 &&
            strncmp(line + sizeof(key) - 1, session, wanted) == 0) {
            return true;
        }
        line += length + (line[length] == '\n');
    }
    return false;
}

/* One reply. */
static void hear_one(int fd, struct peer *peers, size_t count, const char *session) {
    static char reply[REPLY_MAX + 1];
    struct sockaddr_un from = {0};
    socklen_t size = sizeof(from) - 1; /* so that the name ends with a zero byte */

    ssize_t n = recvfrom(fd, reply, REPLY_MAX, MSG_DONTWAIT, (struct sockaddr *)&from, &size);
    reply[n > 0 ? n : 0] = '\0';
    for (size_t i = 0; n > 0 && i < count; i++) {
        if (peers[i].awaited && strcmp(peers[i].name, from.sun_path + 1) == 0) {
            peers[i].awaited = false;
            peers[i].chosen = names(reply, session);
        }
    }
}

/* Waits for the replies of all that are awaited. */
static void hear(int fd, struct peer *peers, size_t count, int patience_ms, const char *session) {
    int64_t until = pinsight_now_ms() + patience_ms;

    for (;;) {
        size_t awaited = 0;
        for (size_t i = 0; i < count; i++) {
            awaited += peers[i].awaited;
        }
        int64_t rest = until - pinsight_now_ms();
        struct pollfd wait = {.fd = fd, .events = POLLIN};
        if (awaited == 0 || rest <= 0) {
            return;
        }
        if (poll(&wait, 1, (int)rest) > 0) {
            hear_one(fd, peers, count, session);
        }
    }
}

static void tell(const char *session, const char *served) {
    static struct peer peers[PROCESSES_MAX];
    const struct sockaddr_un any = {.sun_family = AF_UNIX};
    size_t count = find(peers, served);

    if (count == 0) {
        return;
    }
    /* The kernel gives it a name, to which the replies come. */
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || bind(fd, (const struct sockaddr *)&any, sizeof(any.sun_family)) != 0) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        ask(fd, &peers[i], "status\n");
    }
    hear(fd, peers, count, STATUS_MS, session);
    for (size_t i = 0; i < count; i++) {
        peers[i].awaited = false;
        if (peers[i].chosen) {
            ask(fd, &peers[i], "define\n");
        }
    }
    /* The socket has to be there until they have answered. */
    hear(fd, peers, count, DEFINE_MS, session);
}

void pinsight_tell_others(const char *session, const char *served) {
    pid_t pid = fork();

    if (pid == 0) {
        close(PINSIGHT_INTROSPECT_FD); /* who listens there waits for the helper's end */
        alarm(10);
        tell(session, served);
        _exit(0);
    }
}
