/* Numbers with units for people. Each function writes into a buffer of at least 32 bytes and
 * returns it. */
#ifndef PINSIGHT_BASE_UNITS_H
#define PINSIGHT_BASE_UNITS_H

#include <stdint.h>

#define PINSIGHT_UNITS_SIZE 32

/* A time with three significant digits: 1.23 s, 45.6 ms, 789 µs, 12 ns; from 100 s on 2 min 03 s.
 */
char *pinsight_units_time(char *buffer, uint64_t ns);

/* A count with separators of thousands: 1,234,567. */
char *pinsight_units_count(char *buffer, uint64_t count);

/* A size: 512 bytes, 1.5 KiB, 38.2 MiB. */
char *pinsight_units_size(char *buffer, uint64_t bytes);

/* A share in percent: 29.2, 0.1, <0.1, 0. */
char *pinsight_units_percent(char *buffer, uint64_t part, uint64_t whole);

#endif
