/* Tasks of a free-threaded build; see no_gil.h. */
#include "tracer/core/no_gil.h"

#include "base/no_gil.h"
#include "tracer/core/log.h"
#include "tracer/core/variables.h"

#include <errno.h>

void pinsight_no_gil_tasks(void) {
    static struct pinsight_log_once once = PINSIGHT_LOG_ONCE_INIT;
    int kept = errno;
    if (!pinsight_no_gil_write(pinsight_variables_own("PINSIGHT_OUTPUT")))
        pinsight_log_once(&once, "tasks of asyncio are not recorded in a free-threaded Python; use "
                                 "the usual build to see them");
    errno = kept;
}
