/* Dumps of the flight recorder; see dump.h. The events to copy are in files. Another process copies
 * them, so that the program is not disturbed. */
#include "tracer/core/dump.h"

#include "format/introspect_protocol.h"
#include "tracer/core/control.h"
#include "tracer/core/helper.h"
#include "tracer/core/introspect_cycle.h"
#include "tracer/core/log.h"
#include "tracer/core/process.h"
#include "tracer/core/variables.h"
#include "tracer/record/recorder.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* The helper continues after this time. */
#define PATIENCE_MS 10000

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool wanted;
static char folder[PATH_MAX]; /* of the last request; "" if it named none */

enum pinsight_dump_answer pinsight_dump_request(const char *output) {
    if (!pinsight_recorder->is_ring || !pinsight_recorder->is_ring() || pinsight_process.silent)
        return PINSIGHT_DUMP_NO_RING;
    pthread_mutex_lock(&lock);
    bool pending = wanted;
    wanted = true;
    if (*output)
        snprintf(folder, sizeof folder, "%s", output);
    pthread_mutex_unlock(&lock);
    if (pending)
        return PINSIGHT_DUMP_PENDING;
    pinsight_control_start();
    pinsight_control_wake();
    return PINSIGHT_DUMP_REQUESTED;
}

bool pinsight_dump_wanted(void) {
    pthread_mutex_lock(&lock);
    bool was = wanted;
    wanted = false;
    pthread_mutex_unlock(&lock);
    return was;
}

void pinsight_dump_fork_child(void) {
    lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    wanted = false;
}

void pinsight_dump(void) {
    static struct pinsight_log_once no_helper = PINSIGHT_LOG_ONCE_INIT;
    struct pinsight_helper helper = PINSIGHT_HELPER_NONE;
    const char *quiet = pinsight_variables_own("PINSIGHT_QUIET");
    char path[PATH_MAX], named[PATH_MAX], packet[PINSIGHT_INTROSPECT_PACKET_MAX];

    pthread_mutex_lock(&lock);
    memcpy(named, folder, sizeof named);
    pthread_mutex_unlock(&lock);
    const char *begun = pinsight_variables_own("PINSIGHT_OUTPUT");
    const char *output = *begun ? begun : named;
    char *words[] = {path, PINSIGHT_INTROSPECT_DUMP, (char *)output, strcmp(quiet, "1") ? "" : "-q",
                     NULL};

    if (!*output || !pinsight_cycle_find_helper(path) || !pinsight_variables_clean()) {
        pinsight_log_once(&no_helper,
                          "the flight recorder of process %d cannot be dumped from within: %s; use "
                          "`pinsight ctl %d dump`",
                          (int)pinsight_process.pid,
                          *output ? "the folder of libpinsight.so cannot be found"
                                  : "PINSIGHT_OUTPUT was not set when it began",
                          (int)pinsight_process.pid);
        return;
    }
    int error = pinsight_helper_start(&helper, words, pinsight_variables_clean());
    if (error) {
        pinsight_log_once(&no_helper, "the flight recorder of process %d is not dumped: %s: %s",
                          (int)pinsight_process.pid, path, strerror(error));
        return;
    }
    pinsight_helper_receive(&helper, packet, sizeof packet, PATIENCE_MS);
    pinsight_helper_end(&helper);
}
