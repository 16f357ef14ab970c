/* One thread of another process; see thread.h. */
#include "attach/thread.h"

#include "base/clock.h"

#include <errno.h>
#include <stdint.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

bool pinsight_thread_stop(int tid) {
    int status;

    if (ptrace(PTRACE_SEIZE, tid, NULL, NULL) != 0)
        return false;
    int64_t until = pinsight_now_ms() + PINSIGHT_THREAD_STOPS_S * 1000;
    if (ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) != 0)
        return false;
    while (pinsight_now_ms() < until) {
        pid_t got = waitpid(tid, &status, __WALL | WNOHANG);
        if (got == tid)
            return WIFSTOPPED(status) != 0;
        if (got < 0 && errno != EINTR)
            return false;
        pinsight_sleep_ms(1);
    }
    errno = ETIMEDOUT;
    return false;
}

void pinsight_thread_let_go(int tid) {
    ptrace(PTRACE_DETACH, tid, NULL, NULL);
}
