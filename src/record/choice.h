/* Which recorder a run has: by name, in the environment. Header only: the command, the library that
 * is preloaded and the one that records use it. */
#ifndef PINSIGHT_RECORD_CHOICE_H
#define PINSIGHT_RECORD_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define PINSIGHT_RECORDER_VARIABLE "PINSIGHT_RECORDER"

/* The one of a run that does not ask for another. */
#define PINSIGHT_RECORDER_DEFAULT "file"

static inline const char *pinsight_recorder_name(void) {
    const char *name = getenv(PINSIGHT_RECORDER_VARIABLE);
    return name && *name ? name : PINSIGHT_RECORDER_DEFAULT;
}

static inline bool pinsight_recorder_is(const char *name) {
    return strcmp(pinsight_recorder_name(), name) == 0;
}

#endif
