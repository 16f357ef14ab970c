/* Closing the trace so far as a chunk of its own, with liblttng-ctl (lttng-rotate(1)). */
#include "introspect/rotate.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <lttng/lttng.h>
#include <lttng/rotation.h>

#include "base/clock.h"
#include "core/introspect_protocol.h"

static void tell(int fd, enum pinsight_rotation_news news, const char *text) {
    char packet[PATH_MAX + 1];

    int length = snprintf(packet, sizeof(packet), "%c%s", news, text);
    size_t size = (size_t)length < sizeof(packet) ? (size_t)length : sizeof(packet) - 1;
    ssize_t sent = send(fd, packet, size, MSG_NOSIGNAL);
    (void)sent;
}

static void tell_error(int fd, const char *what, const char *why) {
    char text[PATH_MAX];

    snprintf(text, sizeof(text), "%s: %s", what, why);
    tell(fd, PINSIGHT_ROTATION_FAILED, text);
}

/* One rotation at a time: another process of the run, or the user, may be at it. */
static int begin(const char *session, struct lttng_rotation_handle **handle) {
    int64_t until = pinsight_now_ms() + PINSIGHT_INTROSPECT_ROTATION_MS;

    for (;;) {
        int error = lttng_rotate_session(session, NULL, handle);
        if (error != -LTTNG_ERR_ROTATION_PENDING || pinsight_now_ms() >= until) {
            return error;
        }
        pinsight_sleep_ms(10);
    }
}

static void rotate(int fd, void *session) {
    struct lttng_rotation_handle *handle = NULL;
    const struct lttng_trace_archive_location *location = NULL;
    enum lttng_rotation_state state = LTTNG_ROTATION_STATE_ONGOING;
    const char *folder = NULL;

    close(PINSIGHT_INTROSPECT_FD);
    int error = begin(session, &handle);
    if (error < 0) {
        tell_error(fd, "the session cannot be rotated", lttng_strerror(error));
        return;
    }
    tell(fd, PINSIGHT_ROTATION_BEGUN, "");
    for (int rest_ms = 1; state == LTTNG_ROTATION_STATE_ONGOING; rest_ms += rest_ms < 10) {
        if (lttng_rotation_handle_get_state(handle, &state) != LTTNG_ROTATION_STATUS_OK) {
            tell_error(fd, "the session's rotation is lost", "the session daemon does not know it");
            return;
        }
        if (state == LTTNG_ROTATION_STATE_ONGOING) {
            pinsight_sleep_ms(rest_ms);
        }
    }
    if (state != LTTNG_ROTATION_STATE_COMPLETED ||
        lttng_rotation_handle_get_archive_location(handle, &location) != LTTNG_ROTATION_STATUS_OK ||
        lttng_trace_archive_location_local_get_absolute_path(location, &folder) !=
            LTTNG_TRACE_ARCHIVE_LOCATION_STATUS_OK) {
        tell_error(fd, "the session's rotation failed", "the consumer daemon could not do it");
        return;
    }
    tell(fd, PINSIGHT_ROTATION_DONE, folder);
}

int pinsight_rotation_start(struct pinsight_worker *rotation, const char *session) {
    return pinsight_worker_start(rotation, SIGKILL, rotate, (void *)session);
}

enum pinsight_rotation_news pinsight_rotation_read(struct pinsight_worker *rotation,
                                                   char text[PATH_MAX]) {
    char packet[PATH_MAX + 1];
    ssize_t n;

    do {
        n = recv(rotation->fd, packet, PATH_MAX, 0);
    } while (n < 0 && errno == EINTR);
    if (n <= 0) {
        snprintf(text, PATH_MAX, "the process that rotates the session was killed");
        return PINSIGHT_ROTATION_FAILED;
    }
    packet[n] = '\0';
    memcpy(text, packet + 1, (size_t)n);
    return (enum pinsight_rotation_news)packet[0];
}

const char pinsight_rotation_actors[] = "LTTng's daemons";
