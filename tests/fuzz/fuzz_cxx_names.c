/* Names of C++, as a trace may have them: any bytes, mangled and not. What is shown is short. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "reader/kit/cxx_name.h"

static void check_short(const char *name) {
    char *shown = pinsight_cxx_short(name);

    if (strlen(shown) > strlen(name) + 1024)
        abort();
    free(shown);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *name = malloc(size + 3), *full;
    uint64_t left = 1 << 30;

    if (!name)
        abort();
    memcpy(name, "_Z", 2);
    memcpy(name + 2, data, size);
    name[size + 2] = '\0';
    check_short(name);
    check_short(name + 2);
    full = pinsight_cxx_demangle(name, &left);
    if (full) {
        if (strlen(full) > (UINT64_C(64) << 20))
            abort();
        check_short(full);
    }
    free(full);
    free(name);
    return 0;
}
