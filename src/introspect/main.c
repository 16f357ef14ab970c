/*
 * pinsight-introspect SESSION OUTPUT PID: the part of an introspection outside the traced process.
 * tracer/core/introspect.h starts it, and sends orders on descriptor 3 (introspect_protocol.h).
 *
 * It has the recorder rotate the session, and runs the user's script. The program therefore gets no
 * child, no SIGCHLD and no library from either.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/message.h"
#include "base/program.h"
#include "base/units.h"
#include "format/dump.h"
#include "format/introspect_protocol.h"
#include "introspect/notify.h"
#include "introspect/rotate.h"
#include "introspect/script.h"
#include "session/trace_size.h"

static const char *session, *output, *served;
static struct pinsight_rotated what;
static struct pinsight_worker rotation;
static int64_t rotation_until; /* ms; end of the wait for the rotation */
static char chunk[PATH_MAX];   /* "" without one */
static pid_t script;           /* 0: no script runs */

static void send_packet(enum pinsight_introspect_packet kind, const char *text) {
    char packet[PINSIGHT_INTROSPECT_PACKET_MAX];

    int length = snprintf(packet, sizeof(packet), "%c%s", kind, text);
    size_t size = (size_t)length < sizeof(packet) ? (size_t)length : sizeof(packet) - 1;
    ssize_t sent = send(PINSIGHT_INTROSPECT_FD, packet, size, MSG_NOSIGNAL);
    (void)sent;
}

/* Sets $PINSIGHT to the path of the command, for the script. In a traced program, that variable
 * means that a Python is traced, which must not apply to the script. */
static void name_command(void) {
    char folder[PATH_MAX], path[PATH_MAX];

    unsetenv("PINSIGHT");
    if (!pinsight_program_self(folder, sizeof(folder) - 32)) {
        return;
    }
    char *slash = strrchr(folder, '/');
    strcpy(slash, "/../../bin/pinsight");
    if (realpath(folder, path) != NULL && access(path, X_OK) == 0) {
        setenv("PINSIGHT", path, 1);
    }
}

static void report_full(const char *consequence) {
    char text[PATH_MAX + 200];

    snprintf(text, sizeof(text), "the disk with %s is full, %s", output, consequence);
    send_packet(PINSIGHT_INTROSPECT_NO_CHUNK, text);
}

static void receive_rotation(void) {
    char text[PATH_MAX];

    switch (pinsight_rotation_read(&rotation, text)) {
    case PINSIGHT_ROTATION_BEGUN:
        pinsight_notify_others(session, served);
        return;
    case PINSIGHT_ROTATION_DONE:
        if (pinsight_trace_disk_is_full(output)) {
            report_full("so the chunk is cut off");
        } else {
            strcpy(chunk, text);
            send_packet(PINSIGHT_INTROSPECT_CHUNK, chunk);
        }
        break;
    default:
        send_packet(PINSIGHT_INTROSPECT_NO_CHUNK, text);
    }
    pinsight_worker_kill(&rotation);
}

static void give_up_rotation(void) {
    char text[160];

    pinsight_worker_kill(&rotation);
    if (pinsight_trace_disk_is_full(output)) {
        report_full("so the session's rotation does not end");
        return;
    }
    snprintf(text, sizeof(text),
             "the session's rotation did not end within %d s: %s are busy, stopped or gone",
             PINSIGHT_INTROSPECT_ROTATION_MS / 1000, pinsight_rotation_actors(&what));
    send_packet(PINSIGHT_INTROSPECT_NO_CHUNK, text);
}

static void run(char *words) {
    char why[PATH_MAX];

    if (script != 0 || *chunk == '\0') {
        return;
    }
    const char *configuration = words + strlen(words) + 1;
    script = pinsight_script_start(words, chunk, served, configuration, why);
    if (script == 0) {
        send_packet(PINSIGHT_INTROSPECT_NO_SCRIPT, why);
    }
}

/* Handles one packet of the process. Returns false when it is time to end. */
static bool receive_process(void) {
    static char packet[PINSIGHT_INTROSPECT_PACKET_MAX + 2]; /* ends with two zero bytes */

    ssize_t n = recv(PINSIGHT_INTROSPECT_FD, packet, PINSIGHT_INTROSPECT_PACKET_MAX, 0);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) {
        return true;
    }
    if (n <= 0 || packet[0] == PINSIGHT_INTROSPECT_STOP) {
        return false;
    }
    packet[n] = packet[n + 1] = '\0';
    if (packet[0] == PINSIGHT_INTROSPECT_RUN) {
        run(packet + 1);
    }
    return true;
}

/* Reaps processes that have ended: the script, and the one that notified other processes. */
static void reap(int signals) {
    struct signalfd_siginfo info;
    siginfo_t gone = {0};
    int status;

    while (read(signals, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
    }
    if (script != 0 && pinsight_script_ended(script, &status)) {
        char text[16];
        script = 0;
        snprintf(text, sizeof(text), "%d", status);
        send_packet(PINSIGHT_INTROSPECT_ENDED, text);
    }
    /* Not waitpid(-1), because rotate.c reaps the rotation's process. */
    while (waitid(P_ALL, 0, &gone, WEXITED | WNOHANG | WNOWAIT) == 0 && gone.si_pid != 0 &&
           gone.si_pid != rotation.pid && gone.si_pid != script) {
        waitpid(gone.si_pid, NULL, 0);
        gone.si_pid = 0;
    }
}

static void serve(int signals) {
    for (;;) {
        struct pollfd waits[] = {{.fd = PINSIGHT_INTROSPECT_FD, .events = POLLIN},
                                 {.fd = signals, .events = POLLIN},
                                 {.fd = rotation.fd, .events = POLLIN}};
        int rest = -1;
        if (rotation.pid > 0) {
            int64_t left = rotation_until - pinsight_now_ms();
            rest = left > 0 ? (int)left : 0;
        }
        int ready = poll(waits, 3, rest);
        if (rotation.pid > 0 && waits[2].revents && ready > 0) {
            receive_rotation();
        } else if (rotation.pid > 0 && pinsight_now_ms() >= rotation_until) {
            give_up_rotation();
        }
        if (ready > 0 && waits[1].revents) {
            reap(signals);
        }
        if (ready > 0 && waits[0].revents && !receive_process()) {
            return;
        }
    }
}

/* Makes a dump of the flight recorder: pinsight-introspect --dump OUTPUT QUIET. */
static int dump(const char *trace, bool quiet) {
    char folder[PATH_MAX];
    int made, error = pinsight_file_dump(NULL, trace, folder, &made);

    if (error != 0) {
        pinsight_error("%s cannot be dumped: %s", trace, strerror(error));
    } else if (!quiet) {
        pinsight_note("%s: the present content, %s, is in %s; next: pinsight report %s", trace,
                      pinsight_units_size(pinsight_trace_size(folder)).text, folder, folder);
    }
    return error != 0;
}

int main(int argc, char **argv) {
    sigset_t children;

    if (argc != 4 || fcntl(PINSIGHT_INTROSPECT_FD, F_SETFD, FD_CLOEXEC) != 0) {
        fputs("pinsight-introspect is started by a traced program; see pinsight(1)\n", stderr);
        return 2;
    }
    if (strcmp(argv[1], PINSIGHT_INTROSPECT_DUMP) == 0) {
        setsid();
        signal(SIGPIPE, SIG_IGN);
        return dump(argv[2], strcmp(argv[3], "-q") == 0);
    }
    session = argv[1];
    output = argv[2];
    served = argv[3];
    setsid(); /* keys typed at the program's terminal are for the program */
    signal(SIGPIPE, SIG_IGN);
    prctl(PR_SET_CHILD_SUBREAPER, 1); /* to reap the script's orphans, see script.h */
    sigemptyset(&children);
    sigaddset(&children, SIGCHLD);
    sigprocmask(SIG_BLOCK, &children, NULL);
    int signals = signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK);
    name_command();
    rotation_until = pinsight_now_ms() + PINSIGHT_INTROSPECT_ROTATION_MS;
    what = (struct pinsight_rotated){session, output};
    int error = signals < 0 ? errno : pinsight_rotation_start(&rotation, &what);
    if (error) {
        send_packet(PINSIGHT_INTROSPECT_NO_CHUNK, strerror(error));
    }
    serve(signals);
    pinsight_worker_kill(&rotation);
    if (script != 0) {
        pinsight_script_end(script, PINSIGHT_INTROSPECT_PATIENCE_MS);
    }
    return 0;
}
