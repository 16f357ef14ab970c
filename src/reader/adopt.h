/* Threads whose events come before the thread_info that says whose they are: at the start of a
 * chunk that was begun while the program ran on. Until then such a thread is an orphan, in a
 * process of its own; then it goes to its process with what it has on its stack. */
#ifndef PINSIGHT_READER_ADOPT_H
#define PINSIGHT_READER_ADOPT_H

#include "reader/model.h"

/* Gives a process the orphan as its thread with this number. Returns false where the process has
 * such a thread already, with events; then the orphan stays what it is. */
bool pinsight_adopt(struct pinsight_process *process, int64_t number,
                    struct pinsight_thread *orphan);

#endif
