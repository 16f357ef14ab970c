/* The ends of tasks' waits: asyncio's futures get a result or an exception, or are cancelled. */
#ifndef PINSIGHT_PYTHON_TASK_WAKES_H
#define PINSIGHT_PYTHON_TASK_WAKES_H

/* Redirects the functions of futures, if their type is known. Repeated calls do nothing. Holds the
 * GIL. */
void pinsight_task_wakes_redirect(void);

/* Called when trio's function that schedules a task runs. Keeps a pending exception. Holds the GIL.
 */
void pinsight_task_scheduled(void);

#endif
