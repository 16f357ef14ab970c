/* The name of a process, wherever it is shown. */
#ifndef PINSIGHT_VIEWS_PROCESS_NAME_H
#define PINSIGHT_VIEWS_PROCESS_NAME_H

#include "reader/model.h"

/* Returns the name of a process, safe for a terminal. The caller frees it. A rank is "rank 2". A
 * worker is "worker 3", with " of rank 2" if several processes have workers. Workers are forked by
 * another process, or started by Python's multiprocessing, concurrent.futures, joblib or a
 * DataLoader. Other processes have a name such as "heat.py (4711)". */
char *view_process_name(const struct pinsight_process *process);

/* Like view_process_name(), but without the process id: "heat.py". */
char *view_process_short_name(const struct pinsight_process *process);

/* Returns the name with the program: "rank 2 (heat.py)", "worker 3 (heat.py)", "heat.py (4711)".
 * The name may have any bytes, and the caller frees it. */
char *view_process_full_name(const struct pinsight_process *process);

/* Returns the process that a worker works for, or NULL for other processes. */
const struct pinsight_process *view_process_works_for(const struct pinsight_process *process);

/* Returns whether a report has several processes, so that it has to name them. */
bool view_processes_are_named(const struct pinsight_model *model);

#endif
