/* Changes to a process that has a recorder from now on. */
#include "libc.h"

#include "tracer/record/recorder.h"

#include <stdatomic.h>

int pinsight_preload_opened(void) {
    static atomic_bool opened;
    struct pinsight_recorder_guards guards = {0};
    if (atomic_exchange(&opened, true)) {
        return 0;
    }
    if (pinsight_recorder_shim.guard && !pinsight_recorder_shim.guard(&guards)) {
        return -1;
    }
    pinsight_creates_wait(true);
    pinsight_leader_ready();
    pinsight_forks_follow();
    if (guards.fds) {
        pinsight_fds_guard(&guards);
    }
    if (guards.forks) {
        pinsight_forks_guard(&guards);
    }
    return 0;
}
