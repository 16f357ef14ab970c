/* Identifies the process of a stream; see instance.h. */
#include "reader/ctf/instance.h"

#include <string.h>

size_t pinsight_instance_length(const char *file_name) {
    const char *last = strrchr(file_name, '-');

    return last ? (size_t)(last - file_name) : 0;
}

static uint64_t hash(uint64_t hash, const void *bytes, size_t count) {
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * UINT64_C(1099511628211);
    return hash;
}

uint32_t pinsight_instance_of(const unsigned char *uuid, const char *file_name, bool is_ours,
                              bool is_of_one) {
    uint64_t number = UINT64_C(14695981039346656037); /* FNV-1a */

    if (!is_ours && !(is_of_one && uuid))
        return 0;
    if (uuid)
        number = hash(number, uuid, 16);
    if (is_ours)
        number = hash(number, file_name, pinsight_instance_length(file_name));
    number ^= number >> 32;
    return (uint32_t)number ? (uint32_t)number : 1;
}
