/* Counts times in bins whose width is relative to the times. */
#include "reader/data/histogram.h"

#include "base/memory.h"
#include "base/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The number of times that are kept singly. More times are counted in bins. */
#define FEW 32
/* Bins of an octave, from one power of two to the next. The first octave has one bin for each time
 * below SUB. */
#define SUB_BITS 5
#define SUB (1u << SUB_BITS)
#define OCTAVES (64 - SUB_BITS + 1)

struct bin {
    uint64_t count, sum_ns;
};

struct pinsight_histogram {
    uint64_t count;
    size_t capacity;      /* of `few` */
    uint64_t *few;        /* the times, unordered; NULL after the change to bins */
    struct bin **octaves; /* NULL, or OCTAVES of them, each NULL or SUB bins */
};

static void count_times(struct pinsight_histogram *histogram, uint64_t ns, uint64_t count,
                        uint64_t sum_ns) {
    unsigned octave = 0, sub = (unsigned)ns;
    struct bin *bin;

    if (ns >= SUB) {
        unsigned exponent = 63 - (unsigned)__builtin_clzll(ns);

        octave = exponent - SUB_BITS + 1;
        sub = (unsigned)(ns >> (exponent - SUB_BITS)) & (SUB - 1);
    }
    if (!histogram->octaves[octave])
        histogram->octaves[octave] = pinsight_calloc(SUB, sizeof(struct bin));
    bin = &histogram->octaves[octave][sub];
    bin->count += count;
    bin->sum_ns += sum_ns;
}

static void make_bins(struct pinsight_histogram *histogram) {
    size_t count = histogram->count;

    histogram->octaves = pinsight_calloc(OCTAVES, sizeof(*histogram->octaves));
    for (size_t i = 0; i < count; i++)
        count_times(histogram, histogram->few[i], 1, histogram->few[i]);
    free(histogram->few);
    histogram->few = NULL;
}

void pinsight_histogram_add(struct pinsight_histogram **histogram, uint64_t ns) {
    struct pinsight_histogram *to = *histogram;

    if (!to)
        to = *histogram = pinsight_calloc(1, sizeof(*to));
    if (!to->octaves && to->count == FEW)
        make_bins(to);
    if (to->octaves) {
        count_times(to, ns, 1, ns);
    } else {
        to->few = pinsight_grow(to->few, to->count, &to->capacity, sizeof(*to->few));
        to->few[to->count] = ns;
    }
    to->count++;
}

void pinsight_histogram_merge(struct pinsight_histogram **to,
                              const struct pinsight_histogram *from) {
    if (!from)
        return;
    if (!from->octaves) {
        for (size_t i = 0; i < from->count; i++)
            pinsight_histogram_add(to, from->few[i]);
        return;
    }
    if (!*to)
        *to = pinsight_calloc(1, sizeof(**to));
    if (!(*to)->octaves)
        make_bins(*to);
    for (size_t octave = 0; octave < OCTAVES; octave++)
        for (size_t sub = 0; from->octaves[octave] && sub < SUB; sub++) {
            const struct bin *bin = &from->octaves[octave][sub];

            /* The mean of the times in a bin belongs to the same bin. */
            if (bin->count)
                count_times(*to, bin->sum_ns / bin->count, bin->count, bin->sum_ns);
        }
    (*to)->count += from->count;
}

void pinsight_histogram_free(struct pinsight_histogram *histogram) {
    if (!histogram)
        return;
    for (size_t octave = 0; histogram->octaves && octave < OCTAVES; octave++)
        free(histogram->octaves[octave]);
    PINSIGHT_FREE(histogram->octaves, histogram->few, histogram);
}

uint64_t pinsight_histogram_count(const struct pinsight_histogram *histogram) {
    return histogram ? histogram->count : 0;
}

ORDER(ascending, uint64_t, BY(*a, *b))

/* Calls `pass` for groups of times, from the shortest on, with their number and mean. */
static void walk(const struct pinsight_histogram *histogram,
                 void (*pass)(void *data, double count, double mean_ns), void *data) {
    uint64_t few[FEW];

    for (size_t octave = 0; histogram->octaves && octave < OCTAVES; octave++)
        for (size_t sub = 0; histogram->octaves[octave] && sub < SUB; sub++) {
            const struct bin *bin = &histogram->octaves[octave][sub];

            if (bin->count)
                pass(data, (double)bin->count, (double)bin->sum_ns / (double)bin->count);
        }
    if (histogram->octaves || !histogram->count)
        return;
    memcpy(few, histogram->few, histogram->count * sizeof(*few));
    PINSIGHT_SORT(few, histogram->count, ascending);
    for (size_t i = 0; i < histogram->count; i++)
        pass(data, 1, (double)few[i]);
}

/* A range of ranks, and the sum of the times in it. */
struct histogram_part {
    double from, to, rank, sum;
};

static void add_part(void *data, double count, double mean_ns) {
    struct histogram_part *part = data;
    double begin = part->rank > part->from ? part->rank : part->from;
    double end = part->rank + count < part->to ? part->rank + count : part->to;

    if (end > begin)
        part->sum += (end - begin) * mean_ns;
    part->rank += count;
}

double pinsight_histogram_mean(const struct pinsight_histogram *histogram, double from, double to) {
    double all = (double)pinsight_histogram_count(histogram);
    struct histogram_part part = {.from = from * all, .to = to * all};

    if (all == 0 || !(from >= 0 && from < to && to <= 1))
        return 0;
    walk(histogram, add_part, &part);
    return part.sum / (part.to - part.from);
}

/* The time at a rank, and the sums of all times and of their squares. Longer times count as that
 * time. */
struct cut {
    double at, rank, limit_ns, sum, squares;
};

static void find_limit(void *data, double count, double mean_ns) {
    struct cut *cut = data;

    if (cut->rank < cut->at)
        cut->limit_ns = mean_ns;
    cut->rank += count;
}

static void add_cut(void *data, double count, double mean_ns) {
    struct cut *cut = data;
    double ns = mean_ns < cut->limit_ns ? mean_ns : cut->limit_ns;

    cut->sum += count * ns;
    cut->squares += count * ns * ns;
}

/* Let q be the quantile for the share p. The influence of a time x on the mean of the times below q
 * is (min(x, q) - mean of min(x, q)) / p. The rank of q has a standard error of its own. The
 * function takes a q that is larger by three times that error. */
double pinsight_histogram_error(const struct pinsight_histogram *histogram, double share) {
    double all = (double)pinsight_histogram_count(histogram), mean, variance;
    struct cut cut = {0};

    if (all == 0 || !(share > 0 && share <= 1))
        return 0;
    cut.at = all * share + 3 * sqrt(all * share * (1 - share));
    walk(histogram, find_limit, &cut);
    walk(histogram, add_cut, &cut);
    mean = cut.sum / all;
    variance = cut.squares / all - mean * mean;
    return variance > 0 ? sqrt(variance / all) / share : 0;
}
