/* The library that links LTTng's; see library.h. */
#include "session/lttng/library.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/paths.h"
#include "pinsight_version.h"
#include "session/counts.h"
#include "session/lttng/channels.h"
#include "session/lttng/daemon.h"
#include "session/lttng/home.h"
#include "session/lttng/session.h"
#include "session/lttng/supervisor_parts.h"

enum { DAEMON_MS = 3000 };

/*
 * The kernel ends a daemon whose supervisor was killed. A daemon that was just starting may not get
 * the signal. Its data is on disk when it is gone.
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

/* An own daemon ended with its supervisor. In a foreign daemon, the session still exists. */
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

static void look(struct pinsight_lttng_found *found) {
    struct pinsight_daemon daemon;

    memset(found, 0, sizeof(*found));
    found->process = -1;
    if (!pinsight_daemon_find_program(found->program, found->missing, sizeof(found->missing))) {
        found->program[0] = '\0';
    }
    if (pinsight_lttng_prepare_home(found->homeless, sizeof(found->homeless))) {
        found->homeless[0] = '\0';
        if (pinsight_daemon_look(&daemon)) {
            found->process = (int)daemon.process.pid;
            snprintf(found->rundir, sizeof(found->rundir), "%s", daemon.rundir);
        }
    }
}

static void supervise(int fd, void *config) {
    pinsight_supervisor_main(fd, config);
}

__attribute__((
    visibility("default"))) extern const struct pinsight_lttng_library pinsight_lttng_library;

const struct pinsight_lttng_library pinsight_lttng_library = {
    .version = PINSIGHT_VERSION,
    .prepare = pinsight_lttng_prepare_home,
    .supervise = supervise,
    .see_off = see_off,
    .drop = drop,
    .discard = pinsight_lttng_discard,
    .look_at_needs = look_at_needs,
    .look = look,
    .rotate = pinsight_lttng_rotate,
    .ask = pinsight_lttng_ask,
};
