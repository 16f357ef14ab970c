/* The plain form; see without.c. */
#ifndef PINSIGHT_PYTHON_WITHOUT_H
#define PINSIGHT_PYTHON_WITHOUT_H

#include "tracer/python/versions.h"

/* Reports the reason if this Python is observed in the plain form although the user did not ask for
 * it. Does nothing in the full form. Holds the GIL. */
#if PINSIGHT_IS_PLAIN
void pinsight_plain_say_why(void);
#else
static inline void pinsight_plain_say_why(void) {
}
#endif

#endif
