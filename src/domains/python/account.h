/* What the Python domain recorded in this process, and what it did not: bytes, executions that lost
 * their ends or begins, executions outside their windows. */
#ifndef PINSIGHT_PYTHON_ACCOUNT_H
#define PINSIGHT_PYTHON_ACCOUNT_H

#include <stdbool.h>

struct pinsight_python_thread;

/* Add what this thread recorded to the process's account; at the size limit the domain goes on in
 * MONITORING. Holds the GIL. */
void pinsight_python_account(struct pinsight_python_thread *thread);

/* Add a thread's counts of what was lost and dropped to the process's. Any thread. */
void pinsight_python_add_totals(struct pinsight_python_thread *thread);

/* Write what was counted and the totals: at the end, and before a mode change. Holds the GIL. */
void pinsight_python_write_accounts(void);

/* The program calls what does not come back (os._exit, os.exec*): write the accounts while there is
 * time. Holds the GIL. */
void pinsight_python_leaving(void);

/* Is the trace of this process as large as --max-size lets it be? */
bool pinsight_python_is_full(void);

/* In a forked child. */
void pinsight_python_account_fork_child(void);

#endif
