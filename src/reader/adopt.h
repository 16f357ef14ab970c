/* Threads whose events precede the thread_info with their process. Such threads occur at the start
 * of a chunk that was begun while the program ran. Until the thread_info comes, such a thread is an
 * orphan, in a process of its own. Then it moves to its process, with the frames on its stack. */
#ifndef PINSIGHT_READER_ADOPT_H
#define PINSIGHT_READER_ADOPT_H

#include "reader/model.h"

/* Moves the orphan into a process, as the thread with this number. Returns false if the process has
 * such a thread with events; the orphan then stays as it is. */
bool pinsight_adopt(struct pinsight_process *process, int64_t number,
                    struct pinsight_thread *orphan);

#endif
