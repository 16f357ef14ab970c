/* PINSIGHT_PLAIN=1 in the traced process; see plain.h. */
#include "core/plain.h"

#include "core/log.h"
#include "core/variables.h"

#include <errno.h>
#include <stdlib.h>

__attribute__((constructor)) static void look(void) {
    pinsight_process.plain = pinsight_plain_is_asked(getenv(PINSIGHT_PLAIN_VARIABLE));
}

void pinsight_plain_lost(enum pinsight_plain_loss loss) {
    static atomic_bool lost[PINSIGHT_PLAIN_LOSSES];
    static struct pinsight_log_once once[PINSIGHT_PLAIN_LOSSES];
    int kept = errno;
    if (!atomic_exchange(&lost[loss], true) &&
        !pinsight_plain_write(pinsight_variables_own("PINSIGHT_OUTPUT"), loss))
        pinsight_log_once(&once[loss],
                          "process %d does not record, because of PINSIGHT_PLAIN=1: %s",
                          (int)pinsight_process.pid, pinsight_plain_missing[loss]);
    errno = kept;
}
