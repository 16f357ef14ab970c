/* The worker that rotates, and the file recorder's rotation; see rotate.h. */
#include "introspect/rotate.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/paths.h"
#include "format/folder.h"
#include "format/introspect_protocol.h"
#include "introspect/chunk.h"

/* Makes a chunk. Recorded data is in files at once, so there is no process to wait for. */
static void rotate_files(int fd, const struct pinsight_rotated *what) {
    char chunk[PATH_MAX], why[PATH_MAX];

    int error = pinsight_chunk_make(what->output, chunk);
    if (error != 0) {
        snprintf(why, sizeof(why), "the chunk cannot be written: %s", strerror(error));
        pinsight_rotation_send(fd, PINSIGHT_ROTATION_FAILED, why);
        return;
    }
    pinsight_rotation_send(fd, PINSIGHT_ROTATION_BEGUN, "");
    pinsight_rotation_send(fd, PINSIGHT_ROTATION_DONE, chunk);
}

static const struct pinsight_rotator files = {rotate_files, "its files"};

/* Returns the rotator of the run's recorder. The trace shows it, because this program's environment
 * is that of a script. */
static const struct pinsight_rotator *rotator(const struct pinsight_rotated *what) {
    char folder[PATH_MAX], control[PATH_MAX];

    bool is_file = pinsight_file_folder_path(folder, what->output) &&
                   pinsight_path_join(control, folder, ".control") && access(control, F_OK) == 0;
    return is_file ? &files : &pinsight_rotator_lttng;
}

void pinsight_rotation_send(int fd, enum pinsight_rotation_news news, const char *text) {
    char packet[PATH_MAX + 1];

    int length = snprintf(packet, sizeof(packet), "%c%s", news, text);
    size_t size = (size_t)length < sizeof(packet) ? (size_t)length : sizeof(packet) - 1;
    ssize_t sent = send(fd, packet, size, MSG_NOSIGNAL);
    (void)sent;
}

static void rotate(int fd, void *what) {
    close(PINSIGHT_INTROSPECT_FD);
    rotator(what)->rotate(fd, what);
}

int pinsight_rotation_start(struct pinsight_worker *rotation, const struct pinsight_rotated *what) {
    return pinsight_worker_start(rotation, SIGKILL, rotate, (void *)what);
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

const char *pinsight_rotation_actors(const struct pinsight_rotated *what) {
    return rotator(what)->actors;
}
