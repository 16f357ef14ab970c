/* The start of the supervisor: it gets a daemon and makes a session. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <lttng/lttng-error.h>

#include "base/clock.h"
#include "base/paths.h"
#include "base/process.h"
#include "session/lttng/supervisor_parts.h"
#include "session/trace_size.h"

enum { ENDING_DAEMON_MS = 3000, STOPPED_MS = 2000 };

void pinsight_supervisor_watch(struct pinsight_supervisor *supervisor) {
    pinsight_daemon_find_consumers(&supervisor->daemon);
    supervisor->watches[0] = supervisor->daemon.process.pid != 0
                                 ? pinsight_process_watch(&supervisor->daemon.process)
                                 : -1;
    for (size_t i = 0; i < supervisor->daemon.consumer_count; i++) {
        supervisor->watches[i + 1] = pinsight_process_watch(&supervisor->daemon.consumers[i]);
    }
    supervisor->watch_count = supervisor->daemon.consumer_count + 1;
}

void pinsight_supervisor_unwatch(struct pinsight_supervisor *supervisor) {
    for (size_t i = 0; i < supervisor->watch_count; i++) {
        if (supervisor->watches[i] >= 0) {
            close(supervisor->watches[i]);
        }
    }
    supervisor->watch_count = 0;
}

/* Returns whether the daemon is ending, because it was asked to while the session was being
 * made. */
static bool is_daemon_ending(const struct pinsight_supervisor *supervisor) {
    int64_t until = pinsight_now_ms() + ENDING_DAEMON_MS;

    if (pinsight_daemon_process_alive(&supervisor->daemon) &&
        !pinsight_daemon_is_ending(&supervisor->daemon)) {
        return false;
    }
    while (pinsight_daemon_process_alive(&supervisor->daemon) && pinsight_now_ms() < until) {
        pinsight_sleep_ms(10);
    }
    return true;
}

static void report_silent(const struct pinsight_supervisor *supervisor, const char *text, char *why,
                          size_t room) {
    int pid = (int)supervisor->daemon.process.pid;

    if (supervisor->daemon.ours || pid == 0) {
        snprintf(why, room, "%s; it ends when no run uses it any more: try again then", text);
    } else {
        snprintf(why, room,
                 "%s; if `lttng list` does not answer either, end it (kill -KILL %d) and try again",
                 text, pid);
    }
}

static bool set_up_once(struct pinsight_supervisor *supervisor, char *why, size_t room) {
    struct pinsight_session *session = &supervisor->session;
    struct pinsight_session_result result;

    pinsight_locks_init(&supervisor->locks);
    if (!pinsight_supervisor_begin(supervisor, why, room)) {
        return false;
    }
    if (pinsight_trace_disk_is_full(session->output)) {
        snprintf(why, room,
                 "the disk with %s is full; free some space, or name a folder elsewhere with -o",
                 session->output);
        return false;
    }
    if (!pinsight_daemon_get(&supervisor->daemon, &supervisor->locks, why, room)) {
        return false;
    }
    if (!pinsight_daemon_wait_unstopped(&supervisor->daemon, STOPPED_MS)) {
        snprintf(why, room,
                 "LTTng's session daemon (process %d) is stopped; let it go on with: kill -CONT %d",
                 (int)supervisor->daemon.process.pid, (int)supervisor->daemon.process.pid);
        return false;
    }
    session->file_limit = pinsight_daemon_file_limit(&supervisor->daemon);
    pinsight_session_make_name(session->name, supervisor->config.wanted.program, getpid());
    pinsight_supervisor_send_name(supervisor);
    if (supervisor->run < 0) {
        return false; /* `pinsight run` was killed during the wait for the turn */
    }
    pinsight_session_create(session, &result);
    if (result.error < 0) {
        pinsight_supervisor_note_silence(supervisor);
        report_silent(supervisor, result.text, why, room);
        return false;
    }
    if (result.error != 0) {
        snprintf(
            why, room, "%s%s", result.text,
            result.error == LTTNG_ERR_NOMEM || supervisor->daemon.child
                ? ""
                : "; restart the session daemon, or stop it so that `pinsight run` starts one");
        return false;
    }
    session->tracked =
        session->tracked &&
        pinsight_tracker_start(&supervisor->tracker, session->name, session->output) == 0;
    pinsight_supervisor_watch(supervisor);
    return true;
}

/* Undoes a failed attempt: the session, an own daemon, and an incomplete trace. */
static void undo_set_up(struct pinsight_supervisor *supervisor, bool broken) {
    struct pinsight_session_result result;
    char folder[PATH_MAX];

    pinsight_supervisor_unwatch(supervisor);
    pinsight_tracker_stop(&supervisor->tracker);
    if (supervisor->daemon.child && broken) {
        pinsight_daemon_stop(&supervisor->daemon, PINSIGHT_DAEMON_PATIENCE_MS);
    } else if (supervisor->daemon.process.pid != 0 && !broken && !supervisor->hung &&
               supervisor->session.name[0] != '\0') {
        pinsight_session_destroy(&supervisor->session, NULL, NULL, &result);
    }
    pinsight_locks_close(&supervisor->locks);
    if (pinsight_path_join(folder, supervisor->session.output, "ust")) {
        pinsight_path_remove(folder);
    }
}

/* Returns whether there is a daemon and it is useless, for example because it has no consumer. */
static bool is_broken(struct pinsight_supervisor *supervisor, bool done) {
    struct pinsight_daemon *daemon = &supervisor->daemon;

    if (daemon->process.pid == 0) {
        return false;
    }
    if (is_daemon_ending(supervisor)) {
        return true;
    }
    if (!done && !daemon->child) {
        return false;
    }
    if (daemon->consumer_count == 0) {
        pinsight_daemon_find_consumers(daemon);
    }
    return daemon->consumer_count == 0 || !pinsight_daemon_consumers_alive(daemon);
}

/*
 * Sets up the session. Tries once more if the daemon has ended meanwhile: it was asked to end or
 * was killed, or its last other run has ended it.
 */
bool pinsight_supervisor_set_up(struct pinsight_supervisor *supervisor, char *why, size_t room) {
    bool tracked = supervisor->session.tracked;

    for (int attempt = 0;; attempt++) {
        bool done = set_up_once(supervisor, why, room);
        bool broken = is_broken(supervisor, done);
        if (done && !broken) {
            pinsight_locks_end_turn(&supervisor->locks);
            return true;
        }
        if (done) {
            snprintf(why, room, "LTTng's daemons ended while the session was set up; try again");
        }
        undo_set_up(supervisor, broken);
        if (!broken || attempt > 0 || supervisor->run < 0) {
            return false;
        }
        supervisor->session.tracked = tracked;
        supervisor->session.name[0] = '\0';
    }
}
