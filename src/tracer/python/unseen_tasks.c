/* Tasks that are not recorded; see unseen_tasks.h. */
#include "tracer/python/unseen_tasks.h"

#if !PINSIGHT_HAS_GIL

#include "describe/python.h"
#include "tracer/core/no_gil.h"
#include "tracer/python/domain.h"
#include "tracer/python/tasks_made.h"

static bool were_wanted;

void pinsight_unseen_tasks_watch(bool tracing) {
    were_wanted = were_wanted || (tracing && pinsight_kind_is_on(&pinsight_python.engine,
                                                                 PINSIGHT_PYTHON_KIND_TASK));
}

void pinsight_unseen_tasks_report(void) {
    if (were_wanted && pinsight_tasks_were_made())
        pinsight_no_gil_tasks();
}

#endif
