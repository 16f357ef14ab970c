/* Finds packages by folders and modules. */
#include "reader/kit/packages.h"

#include "base/memory.h"
#include "base/text.h"

#include <string.h>

#define FROZEN "<frozen "

char *pinsight_package_of(const char *file, const char *module) {
    const char *rest = pinsight_text_in_packages(file);
    size_t length;

    if (!rest)
        rest = pinsight_text_in_library(file);
    if (!rest && !strncmp(file, FROZEN, strlen(FROZEN)))
        rest = file + strlen(FROZEN);
    if (!rest)
        rest = module;
    length = strcspn(rest, "/.>");
    return length ? pinsight_memdup(rest, length) : NULL;
}
