/* LTTng as the recorder of `pinsight run`; see session/recorder.h. A supervisor owns the
 * session. */
#include "session/recorder.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/message.h"
#include "base/paths.h"
#include "session/lttng/library.h"
#include "session/lttng/supervisor.h"
#include "session/node_group.h"
#include "session/process_list.h"

enum {
    JOIN_MS = 30000,
    SLOW_MS = 20000, /* time until a message about the wait */
};

/* The state of the process's only recording. */
static struct lttng_state {
    const struct pinsight_lttng_library *library;
    struct pinsight_worker supervisor;
    struct pinsight_session_left left;
    bool supervisor_died;
    bool answered; /* `answer` is the supervisor's last message */
    struct pinsight_supervisor_message answer;
    struct pinsight_node_group group; /* for a process that joins */
} own = {.supervisor = {.fd = -1}};

/* Waits for the supervisor's first answer. Returns 1, or 0 if there is none, or minus the signal
 * that ended the wait. */
static int wait_for_supervisor(struct pinsight_supervisor_message *message,
                               const struct pinsight_signals *signals) {
    for (int limit_ms = SLOW_MS;;) {
        struct pollfd wait[2] = {{.fd = own.supervisor.fd, .events = POLLIN},
                                 {.fd = signals->fd, .events = POLLIN}};
        int ready = poll(wait, 2, limit_ms);
        if (ready < 0 && errno != EINTR) {
            return 0;
        }
        if (ready == 0) {
            pinsight_note("waiting: LTTng makes one session after another, and has much to do");
            limit_ms = -1;
        }
        int number = wait[1].revents != 0 ? pinsight_signals_deadly(signals) : 0;
        if (number != 0) {
            return -number;
        }
        if (wait[0].revents == 0) {
            continue;
        }
        int got = pinsight_supervisor_receive(&own.supervisor, message, 0);
        if (got > 0 && message->word == PINSIGHT_WORD_DAEMON) {
            own.left.daemon = message->daemon;
        } else if (got > 0 && message->word == PINSIGHT_WORD_NAMED) {
            own.left.foreign_daemon = message->foreign_daemon;
            snprintf(own.left.session, sizeof(own.left.session), "%s", message->session);
        } else if (got != 0) {
            return got > 0;
        }
    }
}

static int keep_session(struct pinsight_recording *recording,
                        const struct pinsight_session_config *wanted,
                        const struct pinsight_signals *signals) {
    struct pinsight_supervisor_config config;
    struct pinsight_supervisor_message message;

    memset(&config, 0, sizeof(config));
    config.wanted = *wanted;
    pinsight_node_group_init(&config.group, &wanted->job, wanted->output);
    int error = pinsight_supervisor_start(&own.supervisor, own.library->supervise, &config);
    int received = error == 0 ? wait_for_supervisor(&message, signals) : 0;
    if (received < 0) {
        return -received; /* nothing has started; the supervisor cleans up when its socket closes */
    }
    if (error != 0) {
        pinsight_warning("no process for the session could be started: %s; the command runs "
                         "without being recorded",
                         strerror(error));
    } else if (received == 0) {
        own.supervisor_died = true;
        own.library->drop(&own.left, NULL);
        pinsight_warning("the supervisor of the session has ended; the command runs without being "
                         "recorded");
    } else if (message.word != PINSIGHT_WORD_READY) {
        pinsight_warning("nothing is recorded: %s. The command runs all the same", message.text);
    } else {
        snprintf(recording->session, sizeof(recording->session), "%s", message.session);
        snprintf(recording->join, sizeof(recording->join), "%s", message.join);
        own.left.foreign_daemon = message.foreign_daemon;
    }
    if (recording->session[0] == '\0' && own.supervisor.fd >= 0) {
        close(own.supervisor.fd);
        own.supervisor.fd = -1;
    }
    recording->fd = own.supervisor.fd;
    return 0;
}

static void join_session(struct pinsight_recording *recording,
                         const struct pinsight_session_config *wanted) {
    struct pinsight_node_group_session session;

    bool has_group = pinsight_node_group_init(&own.group, &wanted->job, wanted->output);
    if (has_group && pinsight_node_group_join(&own.group, &session, JOIN_MS)) {
        snprintf(recording->session, sizeof(recording->session), "%s", session.session);
        snprintf(recording->join, sizeof(recording->join), "%s", session.join);
        snprintf(recording->output, sizeof(recording->output), "%s", session.output);
    } else if (has_group) {
        pinsight_warning("the process of this job that keeps the session (local rank 0) did not "
                         "start one within %d s; rank %d runs without being recorded",
                         JOIN_MS / 1000, wanted->job.rank);
    }
}

static int start(struct pinsight_recording *recording, const struct pinsight_session_config *wanted,
                 const struct pinsight_signals *signals) {
    char why[1024];

    recording->own = &own;
    recording->own_size = sizeof(own);
    recording->keeps = wanted->job.local_rank == 0;
    own.group.ranks = -1;
    own.library = pinsight_lttng_open(wanted->libdir, why, sizeof(why));
    /* Not in the supervisor, because the command must find the same daemon. */
    bool ready = own.library != NULL && own.library->prepare(why, sizeof(why));
    if (!recording->keeps) {
        join_session(recording, wanted);
        return 0;
    }
    if (!ready) {
        pinsight_warning("nothing is recorded: %s. The command runs all the same", why);
        return 0;
    }
    return keep_session(recording, wanted, signals);
}

static void receive(struct pinsight_recording *recording) {
    struct pinsight_supervisor_message message;
    int got = pinsight_supervisor_receive(&own.supervisor, &message, 0);

    recording->fd = own.supervisor.fd;
    if (got < 0 && !own.answered) {
        own.supervisor_died = true;
        pinsight_warning("the supervisor of the session has ended; the command goes on%s",
                         own.left.foreign_daemon ? "" : " and nothing more is recorded");
    } else if (got > 0 && message.word == PINSIGHT_WORD_NOTICE) {
        pinsight_warning("%s", message.text);
    } else if (got > 0 && message.word == PINSIGHT_WORD_DAEMON) {
        own.left.daemon = message.daemon;
    } else if (got > 0 && message.word == PINSIGHT_WORD_ENDED) {
        own.answered = true;
        own.answer = message;
    }
}

static void leave(struct pinsight_recording *recording) {
    (void)recording;
    pinsight_node_group_leave(&own.group);
}

/* Waits for the supervisor's last message. Returns false if a signal ended the wait. */
static bool wait_for_end(struct pinsight_recording *recording,
                         const struct pinsight_signals *signals) {
    pinsight_supervisor_end(&own.supervisor);
    while (own.supervisor.fd >= 0 && !own.answered) {
        struct pollfd wait[2] = {{.fd = own.supervisor.fd, .events = POLLIN},
                                 {.fd = signals->fd, .events = POLLIN}};
        if (poll(wait, 2, -1) < 0 && errno != EINTR) {
            return true;
        }
        if (wait[0].revents != 0) {
            receive(recording);
        }
        if (wait[1].revents != 0 && pinsight_signals_deadly(signals) != 0) {
            return false;
        }
    }
    return true;
}

static bool stop(struct pinsight_recording *recording, const struct pinsight_signals *signals) {
    const struct pinsight_session_result *result = &own.answer.result;

    if (!wait_for_end(recording, signals)) {
        return false;
    }
    if (own.supervisor_died) {
        own.library->see_off(&own.left);
        own.library->drop(&own.left, recording->output);
    }
    bool daemon_died = own.supervisor_died || own.answer.daemon_died;
    recording->broken = daemon_died || own.answer.consumer_died;
    recording->incomplete = own.answered && (result->incomplete || result->error != 0);
    if (own.answered && result->error != 0 && !daemon_died) {
        snprintf(recording->problem, sizeof(recording->problem),
                 "the session was not ended properly: %s%s%s", result->text,
                 own.left.foreign_daemon ? "; then remove it with: lttng destroy " : "",
                 own.left.foreign_daemon ? recording->session : "");
    }
    if (own.answered && result->incomplete) {
        recording->unwritten =
            "LTTng's consumer daemon did not write everything; the end of the trace is missing";
    }
    return true;
}

static void report(const struct pinsight_recording *recording, struct pinsight_run_info *info) {
    const struct pinsight_supervisor_message *answer = &own.answer;

    info->daemon_died = own.supervisor_died || answer->daemon_died;
    info->consumer_died = answer->consumer_died;
    info->incomplete = recording->incomplete;
    if (own.answered) {
        info->counted = !answer->daemon_died && answer->result.error == 0;
        info->discarded_events = answer->result.discarded_events;
        info->lost_packets = answer->result.lost_packets;
    }
    pinsight_process_list_evaluate(recording->output, info);
}

static void clear(const struct pinsight_recording *recording, const char *output) {
    (void)recording;
    if (own.supervisor_died) {
        own.library->see_off(&own.left);
    }
    if (own.library != NULL) {
        own.library->discard(output);
    }
}

static bool look_at_needs(struct pinsight_session_needs *needs, char *why, size_t room) {
    char libdir[PATH_MAX];

    memset(needs, 0, sizeof(*needs));
    if (!pinsight_path_libdir(libdir)) {
        snprintf(why, room, "PInsight's libraries are not found");
        return false;
    }
    const struct pinsight_lttng_library *library = pinsight_lttng_open(libdir, why, room);
    if (library != NULL) {
        library->look_at_needs(needs);
    }
    return library != NULL;
}

const struct pinsight_session_recorder pinsight_session_recorder_lttng = {
    PINSIGHT_SESSION_RECORDER("lttng", "LTTng", "ust"),
    .receive = receive,
    .empty_traces = "/ust/pid/",
    .no_ring = "the flight recorder is the file recorder's; leave out --recorder lttng",
    .libraries = "LTTng-UST and liburcu (Debian: apt install liblttng-ust1 liburcu8)",
};
