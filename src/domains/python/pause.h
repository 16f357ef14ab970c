/*
 * Threads that wait: while an introspection looks at the program, each stops at its next callback,
 * with the GIL released.
 */
#ifndef PINSIGHT_PYTHON_PAUSE_H
#define PINSIGHT_PYTHON_PAUSE_H

/* In a callback: wait while threads are to wait. Holds the GIL before and after. */
void pinsight_pause_wait(void);

#endif
