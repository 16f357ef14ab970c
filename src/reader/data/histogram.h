/*
 * The distribution of the times of one function's calls.
 *
 * The first few times are kept singly. Then they are counted in bins, 32 to each doubling, so that
 * a bin is 2 to 3 % wide. Each bin has the sum of its times. The memory is therefore limited for
 * any number of calls: at most 30 kB. If the slowest call takes a hundred times as long as the
 * fastest, the memory is some 4 kB. NULL is a histogram without times. Not thread-safe.
 */
#ifndef PINSIGHT_READER_DATA_HISTOGRAM_H
#define PINSIGHT_READER_DATA_HISTOGRAM_H

#include <stdint.h>

struct pinsight_histogram;

/* Adds a time in ns to *histogram. Makes the histogram if it is NULL. */
void pinsight_histogram_add(struct pinsight_histogram **histogram, uint64_t ns);

/* Adds all times of `from`, which may be NULL, to *to. */
void pinsight_histogram_merge(struct pinsight_histogram **to,
                              const struct pinsight_histogram *from);

/* Frees a histogram, which may be NULL. */
void pinsight_histogram_free(struct pinsight_histogram *histogram);

/* Returns the number of times. */
uint64_t pinsight_histogram_count(const struct pinsight_histogram *histogram);

/* Returns the mean of some of the times, in order from the shortest. `from` and `to` are shares of
 * their number: 0 and 0.5 select the faster half. If a limit divides a bin, its parts have the
 * bin's mean. Returns 0 without times, or if not 0 <= from < to <= 1. */
double pinsight_histogram_mean(const struct pinsight_histogram *histogram, double from, double to);

/* Returns the standard error of the mean of the fastest `share` of the times. Much slower times
 * just beyond the share count, if the share could include them by chance. */
double pinsight_histogram_error(const struct pinsight_histogram *histogram, double share);

#endif
