/* Programs that forbid themselves system calls (seccomp(2)). */
#ifndef PINSIGHT_BASE_FORBIDDEN_H
#define PINSIGHT_BASE_FORBIDDEN_H

#include <stdatomic.h>
#include <stdbool.h>

/* True if opening a file would end the program or one of its threads. PInsight then opens no file
 * in the program's threads. Forked children inherit the value. */
extern _Atomic bool pinsight_opens_are_forbidden;

/* True if a thread of the program has a filter of any kind. Its new threads, and its forked
 * children, have the filter, too. PInsight then starts no thread in the program's threads. */
extern _Atomic bool pinsight_threads_are_filtered;

/* True if blocking signals would end the program or one of its threads. */
extern _Atomic bool pinsight_signals_are_forbidden;

/* True if reading a clock that takes a system call would end a thread. */
extern _Atomic bool pinsight_clocks_are_forbidden;

#endif
