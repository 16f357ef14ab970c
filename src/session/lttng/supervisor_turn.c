/* The supervisor's turn among the runs of its user, and daemons that gave another run no answer. */
#include <stdio.h>

#include "base/clock.h"
#include "base/process.h"
#include "session/lttng/supervisor_parts.h"

enum {
    SET_UP_MS = 600000, /* making a session takes a third of a second on an idle machine */
    END_MS = 120000,    /* after that, the session is ended without a turn */
    PROBE_MS = 3000,    /* for a daemon that gave no answer before */
    GONE_MS = 15000,    /* for its supervisor to end it */
};

/*
 * Returns whether there is no daemon that gave no answer, or it is gone. An own daemon ends when it
 * has no users, and another one is started. A silent daemon may answer later, so its present users
 * keep it.
 */
static bool is_rid_of_silent(struct pinsight_supervisor *supervisor, int patience_ms,
                             struct pinsight_proc *silent) {
    *silent = pinsight_locks_read_silent(&supervisor->locks);
    if (silent->pid == 0 || pinsight_session_daemon_answers(PROBE_MS)) {
        pinsight_locks_write_silent(&supervisor->locks, NULL);
        return true;
    }
    int64_t until = pinsight_now_ms() + patience_ms;
    while (pinsight_process_alive(silent) && pinsight_now_ms() < until) {
        pinsight_sleep_ms(20);
    }
    return !pinsight_process_alive(silent);
}

bool pinsight_supervisor_begin(struct pinsight_supervisor *supervisor, char *why, size_t room) {
    struct pinsight_proc silent;
    int64_t began = pinsight_now_ms();

    if (!pinsight_locks_take_turn(&supervisor->locks, SET_UP_MS)) {
        if (pinsight_now_ms() - began < SET_UP_MS) {
            /* There is no lock. The start lock will report the reason if it is needed. */
            return true;
        }
        snprintf(why, room,
                 "sessions of other runs were made and ended for %d s, one after the other, and "
                 "this one's turn did not come; start fewer runs at once",
                 SET_UP_MS / 1000);
        return false;
    }
    if (!is_rid_of_silent(supervisor, GONE_MS, &silent)) {
        snprintf(why, room,
                 "LTTng's session daemon (process %d) gave another run no answer, and gives none "
                 "now; try again when the runs that use it have ended, or end it: kill -KILL %d",
                 (int)silent.pid, (int)silent.pid);
        return false;
    }
    return true;
}

bool pinsight_supervisor_begin_end(struct pinsight_supervisor *supervisor) {
    struct pinsight_proc silent;

    pinsight_locks_take_turn(&supervisor->locks, END_MS);
    return is_rid_of_silent(supervisor, 0, &silent) ||
           silent.pid != supervisor->daemon.process.pid; /* another daemon's */
}

void pinsight_supervisor_note_silence(struct pinsight_supervisor *supervisor) {
    supervisor->hung = true;
    if (supervisor->daemon.process.pid != 0) {
        pinsight_locks_write_silent(&supervisor->locks, &supervisor->daemon.process);
    }
}
