/*
 * The wait of threads during an introspection. Each thread stops at its next callback, without the
 * GIL.
 */
#ifndef PINSIGHT_PYTHON_PAUSE_H
#define PINSIGHT_PYTHON_PAUSE_H

/* Waits in a callback while threads are paused. Holds the GIL before and after. */
void pinsight_pause_wait(void);

#endif
