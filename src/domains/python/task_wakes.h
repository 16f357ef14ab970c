/* What a task waits for has come: asyncio's futures get a result or an exception, or are cancelled.
 */
#ifndef PINSIGHT_PYTHON_TASK_WAKES_H
#define PINSIGHT_PYTHON_TASK_WAKES_H

/* Stand before the functions of futures, once their type is known; again does nothing. Holds the
 * GIL. */
void pinsight_task_wakes_redirect(void);

/* The function of trio runs that schedules a task. Keeps a pending exception. Holds the GIL. */
void pinsight_task_scheduled(void);

#endif
