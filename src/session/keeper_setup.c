/* The keeper's beginning: a daemon, a session in it. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <lttng/lttng-error.h>

#include "base/clock.h"
#include "base/paths.h"
#include "base/process.h"
#include "session/keeper.h"

enum { ENDING_DAEMON_MS = 3000, STOPPED_MS = 2000 };

void pinsight_keeping_watch(struct pinsight_keeping *keeping) {
    pinsight_daemon_find_consumers(&keeping->daemon);
    keeping->watches[0] =
        keeping->daemon.process.pid != 0 ? pinsight_process_watch(&keeping->daemon.process) : -1;
    for (size_t i = 0; i < keeping->daemon.consumer_count; i++) {
        keeping->watches[i + 1] = pinsight_process_watch(&keeping->daemon.consumers[i]);
    }
    keeping->watch_count = keeping->daemon.consumer_count + 1;
}

void pinsight_keeping_unwatch(struct pinsight_keeping *keeping) {
    for (size_t i = 0; i < keeping->watch_count; i++) {
        if (keeping->watches[i] >= 0) {
            close(keeping->watches[i]);
        }
    }
    keeping->watch_count = 0;
}

/* A daemon may be told to end while we set up our session in it. */
static bool is_daemon_ending(const struct pinsight_keeping *keeping) {
    int64_t until = pinsight_now_ms() + ENDING_DAEMON_MS;

    if (pinsight_daemon_process_alive(&keeping->daemon) &&
        !pinsight_daemon_is_ending(&keeping->daemon)) {
        return false;
    }
    while (pinsight_daemon_process_alive(&keeping->daemon) && pinsight_now_ms() < until) {
        pinsight_sleep_ms(10);
    }
    return true;
}

static void say_silent(const struct pinsight_keeping *keeping, const char *text, char *why,
                       size_t room) {
    int pid = (int)keeping->daemon.process.pid;

    if (keeping->daemon.ours || pid == 0) {
        snprintf(why, room, "%s; it ends when no run uses it any more: try again then", text);
    } else {
        snprintf(why, room,
                 "%s; if `lttng list` does not answer either, end it (kill -KILL %d) and try again",
                 text, pid);
    }
}

static bool set_up_once(struct pinsight_keeping *keeping, char *why, size_t room) {
    struct pinsight_session *session = &keeping->config.session;
    struct pinsight_session_result result;

    pinsight_locks_init(&keeping->locks);
    if (!pinsight_keeping_begin(keeping, why, room)) {
        return false;
    }
    if (pinsight_session_disk_is_full(session->output)) {
        snprintf(why, room,
                 "the disk with %s is full; free some space, or name a folder elsewhere with -o",
                 session->output);
        return false;
    }
    if (!pinsight_daemon_get(&keeping->daemon, &keeping->locks, why, room)) {
        return false;
    }
    if (!pinsight_daemon_wait_unstopped(&keeping->daemon, STOPPED_MS)) {
        snprintf(why, room,
                 "LTTng's session daemon (process %d) is stopped; let it go on with: kill -CONT %d",
                 (int)keeping->daemon.process.pid, (int)keeping->daemon.process.pid);
        return false;
    }
    session->file_limit = pinsight_daemon_file_limit(&keeping->daemon);
    pinsight_session_make_name(session->name, keeping->config.program, getpid());
    pinsight_keeping_tell_name(keeping);
    if (keeping->run < 0) {
        return false; /* `pinsight run` was killed while we waited for our turn */
    }
    pinsight_session_create(session, &result);
    if (result.error < 0) {
        pinsight_keeping_note_silence(keeping);
        say_silent(keeping, result.text, why, room);
        return false;
    }
    if (result.error != 0) {
        snprintf(
            why, room, "%s%s", result.text,
            result.error == LTTNG_ERR_NOMEM || keeping->daemon.child
                ? ""
                : "; restart the session daemon, or stop it so that `pinsight run` starts one");
        return false;
    }
    session->tracked = session->tracked &&
                       pinsight_joiner_start(&keeping->joiner, session->name, session->output) == 0;
    pinsight_keeping_watch(keeping);
    return true;
}

/* Of an attempt that failed nothing stays: no session, no daemon of ours, no half of a trace. */
static void undo_set_up(struct pinsight_keeping *keeping, bool broken) {
    struct pinsight_session_result result;
    char folder[PATH_MAX];

    pinsight_keeping_unwatch(keeping);
    pinsight_joiner_stop(&keeping->joiner);
    if (keeping->daemon.child && broken) {
        pinsight_daemon_stop(&keeping->daemon, PINSIGHT_DAEMON_PATIENCE_MS);
    } else if (keeping->daemon.process.pid != 0 && !broken && !keeping->hung &&
               keeping->config.session.name[0] != '\0') {
        pinsight_session_destroy(&keeping->config.session, NULL, NULL, &result);
    }
    pinsight_locks_close(&keeping->locks);
    if (pinsight_path_join(folder, keeping->config.session.output, "ust")) {
        pinsight_path_remove(folder);
    }
}

/* Have we found or started a daemon, and is it of no use? One without a consumer is not. */
static bool is_broken(struct pinsight_keeping *keeping, bool done) {
    struct pinsight_daemon *daemon = &keeping->daemon;

    if (daemon->process.pid == 0) {
        return false;
    }
    if (is_daemon_ending(keeping)) {
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
 * Tries again, once, where a daemon has ended meanwhile: somebody told it to, or killed it, or
 * another run that started it was the last one.
 */
bool pinsight_keeping_set_up(struct pinsight_keeping *keeping, char *why, size_t room) {
    bool tracked = keeping->config.session.tracked;

    for (int attempt = 0;; attempt++) {
        bool done = set_up_once(keeping, why, room);
        bool broken = is_broken(keeping, done);
        if (done && !broken) {
            pinsight_locks_end_turn(&keeping->locks);
            return true;
        }
        if (done) {
            snprintf(why, room, "LTTng's daemons ended while the session was set up; try again");
        }
        undo_set_up(keeping, broken);
        if (!broken || attempt > 0 || keeping->run < 0) {
            return false;
        }
        keeping->config.session.tracked = tracked;
        keeping->config.session.name[0] = '\0';
    }
}
