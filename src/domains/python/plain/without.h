/* The plain form; see without.c. */
#ifndef PINSIGHT_PYTHON_WITHOUT_H
#define PINSIGHT_PYTHON_WITHOUT_H

#include "domains/python/versions.h"

/* Say why this Python is observed in the plain form where nobody asked for it. Says nothing in the
 * usual form. Holds the GIL. */
#if PINSIGHT_IS_PLAIN
void pinsight_plain_say_why(void);
#else
static inline void pinsight_plain_say_why(void) {
}
#endif

#endif
