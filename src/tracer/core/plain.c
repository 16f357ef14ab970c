/* The plain form in the traced process; see plain.h. */
#include "tracer/core/plain.h"

#include "tracer/core/log.h"
#include "tracer/core/variables.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((constructor)) static void look(void) {
    pinsight_process.plain = pinsight_plain_is_asked(getenv(PINSIGHT_PLAIN_VARIABLE));
}

static char because[256] = "because of " PINSIGHT_PLAIN_VARIABLE "=1";

const char *pinsight_plain_because(void) {
    return because;
}

void pinsight_plain_is_all(const char *why, const char *cure) {
    static struct pinsight_log_once once = PINSIGHT_LOG_ONCE_INIT;
    bool first;
    int kept = errno;
    snprintf(because, sizeof because, "as %s", why);
    if (!pinsight_plain_write_why(pinsight_variables_own("PINSIGHT_OUTPUT"), why, &first) || first)
        pinsight_log_once(&once, "%s, and is recorded by public interfaces alone, without %s; %s",
                          why, PINSIGHT_PLAIN_LACKS, cure);
    errno = kept;
}

void pinsight_plain_lost(enum pinsight_plain_loss loss) {
    static atomic_bool lost[PINSIGHT_PLAIN_LOSSES];
    static struct pinsight_log_once once[PINSIGHT_PLAIN_LOSSES];
    int kept = errno;
    if (!atomic_exchange(&lost[loss], true) &&
        !pinsight_plain_write(pinsight_variables_own("PINSIGHT_OUTPUT"), loss))
        pinsight_log_once(&once[loss], "process %d does not record, %s: %s",
                          (int)pinsight_process.pid, because, pinsight_plain_missing[loss]);
    errno = kept;
}
