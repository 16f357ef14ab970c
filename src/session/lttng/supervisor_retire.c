/* The supervisor's last duty: the daemon that it started. */
#include <unistd.h>

#include "base/clock.h"
#include "session/lttng/supervisor_parts.h"

enum { LINGER_MS = 1000 /* a daemon of ours waits so long for another run */ };

/* Waits until nobody uses the daemon that we started, and ends it. */
void pinsight_supervisor_retire(struct pinsight_supervisor *supervisor) {
    int64_t alone_since = 0;

    while (supervisor->daemon.child) {
        pinsight_supervisor_reap(supervisor);
        if (!pinsight_daemon_process_alive(&supervisor->daemon)) {
            pinsight_daemon_end_consumers(&supervisor->daemon, PINSIGHT_ORPHAN_PATIENCE_MS);
            break;
        }
        /* What still runs in others' sessions is recorded as long as it lives, whatever it owed us.
         * Without consumers nothing is. */
        bool useless = !pinsight_daemon_consumers_alive(&supervisor->daemon);
        if (pinsight_locks_enter(&supervisor->locks, 0)) {
            bool alone = pinsight_locks_alone(&supervisor->locks);
            int64_t now = pinsight_now_ms();
            alone_since = !alone ? 0 : alone_since == 0 ? now : alone_since;
            /* Somebody else may have made a session in it by hand: it is not ours to end then. */
            bool idle = alone && now - alone_since >= LINGER_MS;
            if (useless || (alone && supervisor->hung) ||
                (idle && pinsight_session_count_foreign() <= 0)) {
                pinsight_daemon_stop(&supervisor->daemon, PINSIGHT_DAEMON_PATIENCE_MS);
                pinsight_locks_remove(&supervisor->locks);
            }
            pinsight_locks_unuse(&supervisor->locks);
            pinsight_locks_leave(&supervisor->locks);
        }
        pinsight_sleep_ms(50);
    }
    pinsight_supervisor_reap(supervisor);
}
