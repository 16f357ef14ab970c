/* Cures for libraries that cannot be opened. */
#include "preload.h"

#include "tracer/record/recorder.h"

#include <string.h>

/* glibc reserves some memory of each thread for libraries that are opened late. */
const char *pinsight_load_cure(const char *error) {
    return error && strstr(error, "static TLS")
               ? "other libraries have used that up: set "
                 "GLIBC_TUNABLES=glibc.rtld.optional_static_tls=4096"
               : pinsight_recorder_shim.is_installed;
}
