/* Whether the program has forbidden itself to open files. */
#ifndef PINSIGHT_BASE_FORBIDDEN_H
#define PINSIGHT_BASE_FORBIDDEN_H

#include <stdatomic.h>
#include <stdbool.h>

/* The program's threads, or one of them, would end by it (seccomp(2)): nothing of PInsight opens a
 * file in them. Kept in forked children. */
extern _Atomic bool pinsight_opens_are_forbidden;

#endif
