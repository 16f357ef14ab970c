/* The recorder of a run, named by an environment variable. Header only: the command, the preloaded
 * library and the recording library share it. */
#ifndef PINSIGHT_FORMAT_CHOICE_H
#define PINSIGHT_FORMAT_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define PINSIGHT_RECORDER_VARIABLE "PINSIGHT_RECORDER"

/* The recorder of a run that does not name another. */
#define PINSIGHT_RECORDER_DEFAULT "file"

static inline const char *pinsight_recorder_name(void) {
    const char *name = getenv(PINSIGHT_RECORDER_VARIABLE);
    return name && *name ? name : PINSIGHT_RECORDER_DEFAULT;
}

static inline bool pinsight_recorder_is(const char *name) {
    return strcmp(pinsight_recorder_name(), name) == 0;
}

#endif
