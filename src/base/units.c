/* Formatting of times, counts, sizes and shares. */
#include "base/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* value / scale with three digits that count, and a unit. */
static char *scaled(char *buffer, uint64_t value, uint64_t scale, const char *unit) {
    double x = (double)value / (double)scale;
    int decimals = x < 9.995 ? 2 : x < 99.95 ? 1 : 0;

    snprintf(buffer, PINSIGHT_UNITS_SIZE, "%.*f %s", decimals, x, unit);
    return buffer;
}

char *pinsight_units_time(char *buffer, uint64_t ns) {
    uint64_t seconds = ns / 1000000000u + (ns % 1000000000u >= 500000000u);

    if (ns < 1000)
        snprintf(buffer, PINSIGHT_UNITS_SIZE, "%" PRIu64 " ns", ns);
    else if (ns < 999500)
        return scaled(buffer, ns, 1000, "µs");
    else if (ns < UINT64_C(999500000))
        return scaled(buffer, ns, 1000000, "ms");
    else if (ns < UINT64_C(99950000000))
        return scaled(buffer, ns, 1000000000, "s");
    else if (seconds < 6000)
        snprintf(buffer, PINSIGHT_UNITS_SIZE, "%" PRIu64 " min %02" PRIu64 " s", seconds / 60,
                 seconds % 60);
    else
        snprintf(buffer, PINSIGHT_UNITS_SIZE, "%" PRIu64 " h %02" PRIu64 " min", seconds / 3600,
                 seconds % 3600 / 60);
    return buffer;
}

char *pinsight_units_count(char *buffer, uint64_t count) {
    char digits[24];
    size_t length = (size_t)snprintf(digits, sizeof(digits), "%" PRIu64, count);
    char *to = buffer;

    for (size_t i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            *to++ = ',';
        *to++ = digits[i];
    }
    *to = '\0';
    return buffer;
}

char *pinsight_units_size(char *buffer, uint64_t bytes) {
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    uint64_t scale = 1024;
    size_t unit = 0;

    if (bytes < 1024) {
        snprintf(buffer, PINSIGHT_UNITS_SIZE, "%" PRIu64 " %s", bytes,
                 bytes == 1 ? "byte" : "bytes");
        return buffer;
    }
    while (unit < 5 && (double)bytes / (double)scale >= 999.5) {
        scale *= 1024;
        unit++;
    }
    return scaled(buffer, bytes, scale, units[unit]);
}

char *pinsight_units_percent(char *buffer, uint64_t part, uint64_t whole) {
    double percent = whole ? (double)part * 100 / (double)whole : 0;

    if (part == 0 || !whole)
        strcpy(buffer, "0");
    else if (percent < 0.1)
        strcpy(buffer, "<0.1");
    else
        snprintf(buffer, PINSIGHT_UNITS_SIZE, "%.*f", percent < 99.95 ? 1 : 0, percent);
    return buffer;
}
