/* LTTng as the recorder of `pinsight run`; see session/recorder.h. */
#include "session/recorder.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/paths.h"
#include "session/counts.h"
#include "session/lttng/channels.h"
#include "session/lttng/home.h"
#include "session/lttng/session.h"
#include "session/lttng/supervisor_parts.h"

enum { DAEMON_MS = 3000 };

/*
 * A daemon whose supervisor was killed is told to end by the kernel; one that was just starting may
 * miss it. What it has recorded is on disk when it is gone.
 */
static void see_off(const struct pinsight_session_left *left) {
    int64_t until = pinsight_now_ms() + DAEMON_MS;

    while (pinsight_process_alive(&left->daemon) && pinsight_now_ms() < until) {
        pinsight_sleep_ms(10);
    }
    if (pinsight_process_alive(&left->daemon)) {
        kill(left->daemon.pid, SIGKILL);
    }
}

/* The supervisor's own daemon died with it; in another's, the session is still there. */
static void drop(const struct pinsight_session_left *left, const char *output) {
    struct pinsight_session session;
    struct pinsight_session_result result = {0};

    if (!left->foreign_daemon || left->session[0] == '\0') {
        return;
    }
    memset(&session, 0, sizeof(session));
    snprintf(session.name, sizeof(session.name), "%s", left->session);
    if (output != NULL) {
        snprintf(session.output, sizeof(session.output), "%s", output);
        pinsight_session_stop(&session, &result);
    }
    if (result.error >= 0) {
        pinsight_session_destroy(&session, NULL, NULL, &result);
    }
}

void pinsight_lttng_discard(const char *output) {
    char folder[PATH_MAX];

    if (pinsight_path_join(folder, output, "ust")) {
        pinsight_path_remove(folder);
    }
    pinsight_counts_remove(output);
}

/* LTTng-UST opens two files for each channel and processor in every traced process. */
static void look_at_needs(struct pinsight_session_needs *needs) {
    enum { CHANNELS = 3, OTHERS = 64 };
    struct pinsight_machine machine, roomy;

    pinsight_machine_look(&machine);
    struct pinsight_channel_sizes sizes = pinsight_channel_choose_sizes(&machine, true, 0);
    roomy = machine;
    roomy.shared_memory = UINT64_MAX;
    needs->memory = pinsight_channel_memory(&machine, &sizes);
    needs->memory_left = machine.shared_memory;
    needs->is_scarce = sizes.registry < pinsight_channel_choose_sizes(&roomy, true, 0).registry;
    needs->open_files = (uint64_t)machine.processors * CHANNELS * 2 + OTHERS;
}

const struct pinsight_session_recorder pinsight_session_recorder = {
    .title = "LTTng",
    .prepare = pinsight_lttng_prepare_home,
    .supervise = pinsight_supervisor_main,
    .see_off = see_off,
    .drop = drop,
    .discard = pinsight_lttng_discard,
    .look_at_needs = look_at_needs,
    .slow = "waiting: LTTng makes one session after another, and has much to do",
    .incomplete = "LTTng's consumer daemon",
    .remove = "lttng destroy ",
    .libraries = "LTTng-UST and liburcu (Debian: apt install liblttng-ust1 liburcu8)",
};
