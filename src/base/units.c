/* Formatting of times, counts, sizes and shares. */
#include "base/units.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

__attribute__((format(printf, 1, 2))) static struct pinsight_units text(const char *format, ...) {
    struct pinsight_units units;
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(units.text, sizeof(units.text), format, arguments);
    va_end(arguments);
    return units;
}

/* Formats value / scale with three significant digits and a unit. */
static struct pinsight_units scaled(uint64_t value, uint64_t scale, const char *unit) {
    double x = (double)value / (double)scale;

    return text("%.*f %s", x < 9.995 ? 2 : x < 99.95 ? 1 : 0, x, unit);
}

struct pinsight_units pinsight_units_time(uint64_t ns) {
    uint64_t seconds = ns / 1000000000u + (ns % 1000000000u >= 500000000u);

    if (ns < 1000)
        return text("%" PRIu64 " ns", ns);
    if (ns < 999500)
        return scaled(ns, 1000, "µs");
    if (ns < UINT64_C(999500000))
        return scaled(ns, 1000000, "ms");
    if (ns < UINT64_C(99950000000))
        return scaled(ns, 1000000000, "s");
    if (seconds < 6000)
        return text("%" PRIu64 " min %02" PRIu64 " s", seconds / 60, seconds % 60);
    return text("%" PRIu64 " h %02" PRIu64 " min", seconds / 3600, seconds % 3600 / 60);
}

/* Counts of a damaged trace are cut off here. No program reaches this number. */
#define LARGEST_COUNT UINT64_C(1000000000000000)

struct pinsight_units pinsight_units_count(uint64_t count) {
    char digits[24];
    size_t length = (size_t)snprintf(digits, sizeof(digits), "%" PRIu64, count);
    struct pinsight_units units;
    char *to = units.text;

    if (count >= LARGEST_COUNT)
        return text("%.3g", (double)count);
    for (size_t i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            *to++ = ',';
        *to++ = digits[i];
    }
    *to = '\0';
    return units;
}

struct pinsight_units pinsight_units_size(uint64_t bytes) {
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    uint64_t scale = 1024;
    size_t unit = 0;

    if (bytes < 1024)
        return text("%" PRIu64 " %s", bytes, bytes == 1 ? "byte" : "bytes");
    while (unit < 5 && (double)bytes / (double)scale >= 999.5) {
        scale *= 1024;
        unit++;
    }
    return scaled(bytes, scale, units[unit]);
}

struct pinsight_units pinsight_units_percent(uint64_t part, uint64_t whole) {
    double percent = whole ? (double)part * 100 / (double)whole : 0;

    if (part == 0 || !whole)
        return text("0");
    if (percent < 0.1)
        return text("<0.1");
    return text("%.*f", percent < 99.95 ? 1 : 0, percent);
}
