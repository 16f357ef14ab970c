/* Numbers with units for people. Use `pinsight_units_time(ns).text` as an argument of printf, or
 * keep the result in a variable. Thread-safe. */
#ifndef PINSIGHT_BASE_UNITS_H
#define PINSIGHT_BASE_UNITS_H

#include <stdint.h>

struct pinsight_units {
    char text[32];
};

/* A time with three significant digits: 1.23 s, 45.6 ms, 789 µs, 12 ns. From 100 s on: 2 min 03
 * s. */
struct pinsight_units pinsight_units_time(uint64_t ns);

/* A count with separators of thousands: 1,234,567. */
struct pinsight_units pinsight_units_count(uint64_t count);

/* A size: 512 bytes, 1.5 KiB, 38.2 MiB. */
struct pinsight_units pinsight_units_size(uint64_t bytes);

/* A share in percent: 29.2, 0.1, <0.1, 0. */
struct pinsight_units pinsight_units_percent(uint64_t part, uint64_t whole);

#endif
