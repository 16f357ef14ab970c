/* Data that the parts of a comparison share. */
#ifndef PINSIGHT_VIEWS_DIFF_STATE_H
#define PINSIGHT_VIEWS_DIFF_STATE_H

#include "base/map.h"
#include "base/strings.h"
#include "views/diff/diff.h"

#define PINSIGHT_DIFF_NONE UINT32_MAX

/* A source file, which may lie in several folders. */
struct pinsight_diff_file {
    uint32_t key;      /* string: the part of its path that is equal on all machines */
    uint32_t module;   /* string: module of its functions, or PINSIGHT_DIFF_NONE */
    bool users;        /* the user's file, which may lie in another folder on the other side */
    uint32_t paths[2]; /* string: its first path on each side, or PINSIGHT_DIFF_NONE */
    uint32_t taken;    /* number of the last run that has the file, plus 1 */
};

/* A row of one side, before the sides are matched. */
struct pinsight_diff_item {
    enum pinsight_diff_kind kind;
    uint32_t owner, name; /* index of owners; string */
    int32_t line;
    bool waits;
    uint32_t seen, last_run;
    uint64_t *values;                     /* at metric * capacity of runs + run */
    struct pinsight_histogram *histogram; /* of the run that is being added; owned; or NULL */
    bool counted; /* in this run, the times of some calls are not known singly */
};

/* A function or a native place, which contains lines. */
struct pinsight_diff_owner {
    uint32_t file, name;   /* index of files, or PINSIGHT_DIFF_NONE; string */
    int32_t first_line[2]; /* on each side; 0 if unknown */
    bool python;
};

/* Factors of the noise. The medians have to be further apart than a factor times the differences
 * between runs of one side, see judge.c. A factor is 0 if the noise is unknown. */
struct pinsight_diff_factors {
    double range; /* of the larger range of a side */
    double low;   /* of the distance from the fastest run to the median */
};

/* The least difference that may be a change. The floor comes from the differences between a side's
 * runs in most rows. A row's own runs may be equal by chance. Logarithms of ratios; 0 if there are
 * few rows. */
struct pinsight_diff_floor {
    double range; /* of the slowest run to the fastest */
    double low;   /* of the median to the fastest run */
};

/* The rule that judges differences: of totals, or of steady times. */
struct pinsight_diff_rule {
    struct pinsight_diff_factors factors;
    struct pinsight_diff_floor floor;
    uint64_t least_ns; /* smaller differences are not shown */
};

struct pinsight_diff {
    struct pinsight_diff_options options;
    struct pinsight_strings strings;
    struct pinsight_diff_run *runs[2];
    size_t run_count[2], run_capacity[2];
    uint32_t added; /* number of runs of both sides */
    struct pinsight_diff_file *files;
    size_t file_count, file_capacity;
    struct pinsight_map file_paths; /* file, by the string of its path */
    struct pinsight_map file_keys;  /* file, by the string of its key; without the user's files */
    struct pinsight_diff_owner *owners;
    size_t owner_count, owner_capacity;
    struct pinsight_map owner_map; /* owner, by file, name and python */
    struct pinsight_diff_item *items[2];
    size_t item_count[2], item_capacity[2];
    struct pinsight_map item_map[2]; /* item, by owner, name with kind, and line */
    struct pinsight_diff_row *rows;
    size_t row_count;
    bool noise_known;               /* each side has two or more runs */
    struct pinsight_diff_rule rule; /* for totals */
    uint64_t run_ns[2];             /* medians of the time that shares refer to */
    /* The rules for steady times: as they are, and divided by the slowness of the runs. */
    struct pinsight_diff_rule steady_rule, relative_rule;
    size_t steady_rows; /* number of rows that are large enough to be judged by steady times */
    bool all_changed;   /* all of B is slower or faster than A, beyond the noise */
    double throughout;  /* slowness of B's calls against A's, as a ratio; 0 if unknown */
    double apart;       /* largest slowness between runs of one side, as a logarithm */
};

/* A path of one run, and the module of its functions: strings, or PINSIGHT_DIFF_NONE. */
struct pinsight_diff_path {
    uint32_t path, module;
    uint32_t file; /* index of files, the result of the search */
};

/* Finds the files of one run's paths, and makes new ones. The callback shared(data, i, file)
 * returns how many functions of path i are in a file of other runs. */
void pinsight_diff_files_find(struct pinsight_diff *diff, unsigned side,
                              struct pinsight_diff_path *paths, size_t count,
                              size_t (*shared)(const void *data, size_t path, uint32_t file),
                              const void *data);

/* Matches the items of both sides. Sets partner[i] to the item of B for item i of A, or to
 * PINSIGHT_DIFF_NONE. */
void pinsight_diff_match(const struct pinsight_diff *diff, uint32_t *partner);

/* Fills the statistics of a row, and row->steady. */
void pinsight_diff_count(const struct pinsight_diff *diff, struct pinsight_diff_row *row);

/* Judges a row after its statistics were filled. */
void pinsight_diff_judge(const struct pinsight_diff *diff, struct pinsight_diff_row *row);

/* Derives the rules for steady times, and the slowness of each run, from the steady times of all
 * rows. */
void pinsight_diff_steady_prepare(struct pinsight_diff *diff);

/* Judges whether the steady time of a row changed. Sets row->basis and row->beyond. */
void pinsight_diff_steady_judge(const struct pinsight_diff *diff, struct pinsight_diff_row *row);

/* Returns whether a difference exceeds the noise. */
bool pinsight_diff_is_beyond(const struct pinsight_diff_rule *rule,
                             const struct pinsight_diff_stat *a,
                             const struct pinsight_diff_stat *b);

/* Returns whether a difference reaches the user's limits, noise or not. */
bool pinsight_diff_is_large(const struct pinsight_diff *diff, const struct pinsight_diff_rule *rule,
                            uint64_t a, uint64_t b);

/* Collects the differences between runs of rows. The floor is their median. */
struct pinsight_diff_floors {
    double *ranges, *lows; /* owned */
    size_t count, range_capacity, low_capacity;
};

void pinsight_diff_floors_add(struct pinsight_diff_floors *floors,
                              const struct pinsight_diff_stat *a,
                              const struct pinsight_diff_stat *b);

/* Returns the floor: `times` the median of the ranges, and 2 * `times` the median of the lows.
 * Frees the lists. */
struct pinsight_diff_floor pinsight_diff_floors_end(struct pinsight_diff_floors *floors,
                                                    double times);

/* Returns the factor by which the floor rises for few runs. Two runs differ by less than three runs
 * of the same kind do. */
static inline double pinsight_diff_few_runs(const struct pinsight_diff *diff) {
    return diff->run_count[0] > 2 && diff->run_count[1] > 2 ? 1 : 2;
}

/* Returns the median of numbers, or the lower middle one if their count is even. Reorders the
 * numbers. */
double pinsight_diff_middle(double *numbers, size_t count);

/* Returns the statistics of a side that a row's verdict on self time is based on. */
const struct pinsight_diff_stat *pinsight_diff_judged(const struct pinsight_diff_row *row,
                                                      size_t side);

/* Returns B's median minus A's, of these statistics. */
int64_t pinsight_diff_judged_change(const struct pinsight_diff_row *row);

/* Returns the median and the range of values. Reorders the values. */
struct pinsight_diff_stat pinsight_diff_stat(uint64_t *values, size_t count);

/* Returns the factors for numbers of runs on each side, and of compared rows. */
struct pinsight_diff_factors pinsight_diff_factors(size_t a_runs, size_t b_runs, size_t rows);

/* Returns the larger of both sides' distances from the fastest run to the median. */
uint64_t pinsight_diff_low_noise(const struct pinsight_diff_stat *a,
                                 const struct pinsight_diff_stat *b);

/* Passes sentences about the comparability of the sides to write(data, sentence). */
void pinsight_diff_notes(const struct pinsight_diff *diff,
                         void (*write)(void *data, const char *sentence), void *data);

/* Return whether a row is shown as a change of work, and as a change of waiting. */
bool pinsight_diff_is_work(const struct pinsight_diff_row *row);
bool pinsight_diff_is_wait(const struct pinsight_diff_row *row);

/* Returns B's median minus A's. */
int64_t pinsight_diff_change(const struct pinsight_diff_row *row, enum pinsight_diff_metric metric);

const char *pinsight_diff_kind_word(enum pinsight_diff_kind kind);
const char *pinsight_diff_verdict_word(enum pinsight_diff_verdict verdict);

#endif
