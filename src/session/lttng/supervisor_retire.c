/* The end of the supervisor: it ends the daemon that it started. */
#include <unistd.h>

#include "base/clock.h"
#include "session/lttng/supervisor_parts.h"

enum { LINGER_MS = 1000 /* an own daemon waits so long for another run */ };

void pinsight_supervisor_retire(struct pinsight_supervisor *supervisor) {
    int64_t alone_since = 0;

    while (supervisor->daemon.child) {
        pinsight_supervisor_reap(supervisor);
        if (!pinsight_daemon_process_alive(&supervisor->daemon)) {
            pinsight_daemon_end_consumers(&supervisor->daemon, PINSIGHT_ORPHAN_PATIENCE_MS);
            break;
        }
        /* Programs in other runs' sessions are recorded as long as the daemon runs, even if this
         * run's session failed. Without consumers, nothing is recorded. */
        bool useless = !pinsight_daemon_consumers_alive(&supervisor->daemon);
        if (pinsight_locks_enter(&supervisor->locks, 0)) {
            bool alone = pinsight_locks_alone(&supervisor->locks);
            int64_t now = pinsight_now_ms();
            alone_since = !alone ? 0 : alone_since == 0 ? now : alone_since;
            /* A user may have made a session in the daemon by hand. The daemon then continues. */
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
