/* What a process is called, wherever one is shown. */
#ifndef PINSIGHT_VIEWS_REPORT_PROCESS_NAME_H
#define PINSIGHT_VIEWS_REPORT_PROCESS_NAME_H

#include "reader/model.h"

/* "rank 2"; "worker 3" for the third process that another one forked, or that Python's
 * multiprocessing, concurrent.futures, joblib or a DataLoader started for it, with " of rank 2"
 * where several have workers; else "heat.py (4711)". Clean, to be freed. */
char *view_process_name(const struct pinsight_process *process);

/* The same without the number of a process that is neither: "heat.py". */
char *view_process_short_name(const struct pinsight_process *process);

/* With the program: "rank 2 (heat.py)", "worker 3 (heat.py)", "heat.py (4711)". Any bytes, to
 * be freed. */
char *view_process_full_name(const struct pinsight_process *process);

/* The process that a worker works for; NULL for what is no worker. */
const struct pinsight_process *view_process_works_for(const struct pinsight_process *process);

/* Whether a report has more than one process, so that it has to say which. */
bool view_processes_are_named(const struct pinsight_model *model);

#endif
