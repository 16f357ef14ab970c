/*
 * The floating-point peak of a processor, which `pinsight doctor --peak` measures and keeps in the
 * user's cache: $XDG_CACHE_HOME/pinsight, or else ~/.cache/pinsight. A file belongs to one model of
 * processor, because machines can share a home.
 */
#ifndef PINSIGHT_BASE_PEAK_H
#define PINSIGHT_BASE_PEAK_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pinsight_precision { PINSIGHT_DOUBLE, PINSIGHT_SINGLE, PINSIGHT_PRECISIONS };

struct pinsight_peak {
    char processor[128];                      /* its model */
    uint64_t processors;                      /* number that was measured for `all` */
    uint64_t one_mflops[PINSIGHT_PRECISIONS]; /* million operations in a second, of one */
    uint64_t all_mflops[PINSIGHT_PRECISIONS]; /* and of all processors together */
};

/* Writes the model of this machine's processor, "" if it is not known. Any thread. */
void pinsight_processor_model(char *text, size_t room);

/* Writes the path of the file for a model. Returns false if the user has no folder for caches. */
bool pinsight_peak_path(const char *processor, char path[PATH_MAX]);

/* Keeps a peak in its file, in place of an older one. Returns 0 or an errno. */
int pinsight_peak_keep(const struct pinsight_peak *peak);

/* Reads the peak of a model. Returns false if none is kept. */
bool pinsight_peak_find(const char *processor, struct pinsight_peak *peak);

/* Returns the peak of a number of threads in GFLOP/s. 0 threads are all processors. */
double pinsight_peak_of(const struct pinsight_peak *peak, enum pinsight_precision precision,
                        uint64_t threads);

#endif
