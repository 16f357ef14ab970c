/* Parsing and printing of sizes. */
#include "base/size.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char size_suffixes[] = "KMGT";

bool pinsight_size_parse(const char *text, uint64_t *size) {
    if (!isdigit((unsigned char)text[0])) {
        return false;
    }
    char *end = NULL;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    if (errno != 0) {
        return false;
    }
    unsigned shift = 0;
    if (*end != '\0') {
        const char *suffix = strchr(size_suffixes, toupper((unsigned char)*end));
        if (suffix == NULL) {
            return false;
        }
        shift = 10u * (unsigned)(suffix - size_suffixes + 1);
        end++;
        if (*end != '\0' && strcasecmp(end, "B") != 0 && strcasecmp(end, "iB") != 0) {
            return false;
        }
    }
    if (number > (UINT64_MAX >> shift)) {
        return false;
    }
    *size = (uint64_t)number << shift;
    return true;
}

uint64_t pinsight_size_power_of_two(uint64_t size) {
    uint64_t power = 1;

    while (power < size && power < (UINT64_C(1) << 63)) {
        power <<= 1;
    }
    return power;
}

const char *pinsight_size_format(uint64_t size, char *text, size_t room) {
    unsigned steps = 0;

    while (size != 0 && size % 1024 == 0 && steps < sizeof(size_suffixes) - 1) {
        size /= 1024;
        steps++;
    }
    if (steps == 0) {
        snprintf(text, room, "%" PRIu64, size);
    } else {
        snprintf(text, room, "%" PRIu64 "%c", size, size_suffixes[steps - 1]);
    }
    return text;
}
