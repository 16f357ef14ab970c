/* The shim of PINSIGHT_PLAIN=1, which does not change libc's behaviour; see libc.h. */
#include "libc.h"

void pinsight_libc_ready(void) {
}

void pinsight_libc_python_starts(void) {
}

void pinsight_libc_python_runs(void) {
}

/* Forks are not followed. */
int pinsight_preload_opened(void) {
    return -1;
}
