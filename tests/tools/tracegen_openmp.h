/* What tracegen records of OpenMP, by real threads. */
#ifndef PINSIGHT_TEST_TRACEGEN_OPENMP_H
#define PINSIGHT_TEST_TRACEGEN_OPENMP_H

#include <stdbool.h>

/* Records the event of a line whose first word is "@N", in thread N; waits until that is done.
 * Returns false where the line has no such first word. */
bool tracegen_openmp(char **words);

#endif
