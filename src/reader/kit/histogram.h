/* How the times of the calls of one function are spread: how many took how long.
 *
 * The first few times are kept as they are. Then they are counted in bins, 32 to each doubling, so
 * that a bin is 2 to 3 % wide; each knows the sum of its times. So the memory is bounded, whatever
 * the number of calls: at most 30 kB, and some 4 kB where the slowest call takes a hundred times as
 * long as the fastest. NULL is a histogram without times. Not thread-safe. */
#ifndef PINSIGHT_READER_KIT_HISTOGRAM_H
#define PINSIGHT_READER_KIT_HISTOGRAM_H

#include <stdint.h>

struct pinsight_histogram;

/* Adds a time in nanoseconds to *histogram, which is made where it is NULL. */
void pinsight_histogram_add(struct pinsight_histogram **histogram, uint64_t ns);

/* Adds all times of from, which may be NULL, to *to. */
void pinsight_histogram_merge(struct pinsight_histogram **to,
                              const struct pinsight_histogram *from);

void pinsight_histogram_free(struct pinsight_histogram *histogram);

/* How many times were added. */
uint64_t pinsight_histogram_count(const struct pinsight_histogram *histogram);

/* The mean of the times, in order from the shortest, from one share of their number to another: 0
 * and 0.5 is the mean of the faster half. What a cut leaves of a bin is taken to have the bin's
 * mean. 0 without times, or with shares that are not 0 <= from < to <= 1. */
double pinsight_histogram_mean(const struct pinsight_histogram *histogram, double from, double to);

/* By how much the mean of the fastest share of the times, as above, is off by chance: its standard
 * error, were the times drawn anew. Where much slower times begin beyond the share by no more than
 * chance would reach, they count. */
double pinsight_histogram_error(const struct pinsight_histogram *histogram, double share);

#endif
