/*
 * Threads that wait: while an introspection looks at the program, each stops at its next callback,
 * with the GIL released.
 */
#ifndef PINSIGHT_PYTHON_PAUSE_H
#define PINSIGHT_PYTHON_PAUSE_H

#include "core/domain.h"

/* Let threads stop, and wait for them for at most 50 ms. The control thread's. */
void pinsight_pause(struct pinsight_domain *domain, uint32_t *stopped, uint32_t *running);

/* Let them go on. */
void pinsight_pause_over(struct pinsight_domain *domain);

/* In a callback: wait while threads are to wait. Holds the GIL before and after. */
void pinsight_pause_wait(void);

/* In a forked child: nobody is to wait. */
void pinsight_pause_fork_child(void);

#endif
