/* Dumps on a signal; see dump.h. The events to copy are in files. Another process copies them, so
 * that the program is not disturbed. */
#include "tracer/core/dump.h"

#include "format/introspect_protocol.h"
#include "tracer/core/helper.h"
#include "tracer/core/introspect_cycle.h"
#include "tracer/core/log.h"
#include "tracer/core/process.h"
#include "tracer/core/variables.h"

#include <limits.h>
#include <string.h>

/* The helper continues after this time. */
#define PATIENCE_MS 10000

void pinsight_dump_by_signal(void) {
    static struct pinsight_log_once no_helper = PINSIGHT_LOG_ONCE_INIT;
    struct pinsight_helper helper = PINSIGHT_HELPER_NONE;
    const char *output = pinsight_variables_own("PINSIGHT_OUTPUT");
    const char *quiet = pinsight_variables_own("PINSIGHT_QUIET");
    char path[PATH_MAX], packet[PINSIGHT_INTROSPECT_PACKET_MAX];
    char *words[] = {path, PINSIGHT_INTROSPECT_DUMP, (char *)output, strcmp(quiet, "1") ? "" : "-q",
                     NULL};

    if (!*output || !pinsight_cycle_find_helper(path) || !pinsight_variables_clean()) {
        pinsight_log_once(&no_helper,
                          "the flight recorder of process %d cannot be dumped by a signal: %s; use "
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
