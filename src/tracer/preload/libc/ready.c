/* Functions that the rest of the shim calls; see libc.h. */
#include "environ.h"
#include "libc.h"

void pinsight_libc_ready(void) {
    pinsight_forward_ready();
    pinsight_waits_ready();
    pinsight_environ_keep();
}

void pinsight_libc_python_starts(void) {
    pinsight_environ_hide();
}

void pinsight_libc_python_runs(void) {
    pinsight_environ_show();
}
