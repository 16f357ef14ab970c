/* What the parts of a comparison share. */
#ifndef PINSIGHT_VIEWS_DIFF_STATE_H
#define PINSIGHT_VIEWS_DIFF_STATE_H

#include "base/map.h"
#include "base/strings.h"
#include "views/diff/diff.h"

#define PINSIGHT_DIFF_NONE UINT32_MAX

/* A source file, wherever it lies. */
struct pinsight_diff_file {
    uint32_t key;      /* string: what of its path is the same everywhere */
    uint32_t module;   /* string: of its functions; PINSIGHT_DIFF_NONE where not known */
    bool users;        /* may lie in another folder on the other side */
    uint32_t paths[2]; /* string: as each side has it first, or PINSIGHT_DIFF_NONE */
    uint32_t taken;    /* number of the run that has it, + 1 */
};

/* A row of one side, before it has found that of the other. */
struct pinsight_diff_item {
    enum pinsight_diff_kind kind;
    uint32_t owner, name; /* index of owners; string */
    int32_t line;
    bool waits;
    uint32_t seen, last_run;
    uint64_t *values;                     /* metric * capacity of runs + run */
    struct pinsight_histogram *histogram; /* of the run that is being added; owned, NULL without */
    bool counted; /* in that run, not of all calls the times are known singly */
};

/* A function, or a native place: what lines are in. */
struct pinsight_diff_owner {
    uint32_t file, name;   /* index of files or PINSIGHT_DIFF_NONE; string */
    int32_t first_line[2]; /* 0 where not known */
    bool python;
};

/* By how many times the medians have to be further apart than runs of one side, see judge.c;
 * 0 where noise is not known. */
struct pinsight_diff_factors {
    double range; /* the larger range of a side */
    double low;   /* from the fastest run to the median */
};

/* What a difference has to be larger than, by what the runs of a side differ by in most rows: a
 * row's own runs may be alike by chance. Logarithms of ratios; 0 where there are few rows. */
struct pinsight_diff_floor {
    double range; /* by the slowest run to the fastest */
    double low;   /* by the median to the fastest */
};

/* How differences are judged: of totals, or of steady times. */
struct pinsight_diff_rule {
    struct pinsight_diff_factors factors;
    struct pinsight_diff_floor floor;
    uint64_t least_ns; /* below this a difference is not shown */
};

struct pinsight_diff {
    struct pinsight_diff_options options;
    struct pinsight_strings strings;
    struct pinsight_diff_run *runs[2];
    size_t run_count[2], run_capacity[2];
    uint32_t added; /* runs of both sides */
    struct pinsight_diff_file *files;
    size_t file_count, file_capacity;
    struct pinsight_map file_paths; /* string of a path, to a file */
    struct pinsight_map file_keys;  /* string of a key, to a file; of those that are not users' */
    struct pinsight_diff_owner *owners;
    size_t owner_count, owner_capacity;
    struct pinsight_map owner_map; /* file, name, python */
    struct pinsight_diff_item *items[2];
    size_t item_count[2], item_capacity[2];
    struct pinsight_map item_map[2]; /* owner, name and kind, line */
    struct pinsight_diff_row *rows;
    size_t row_count;
    bool noise_known;               /* each side has two runs or more */
    struct pinsight_diff_rule rule; /* for totals */
    uint64_t run_ns[2];             /* medians: the time that shares are of */
    /* For steady times, as they are, and with what slows whole runs down taken out. */
    struct pinsight_diff_rule steady_rule, relative_rule;
    size_t steady_rows; /* that are large enough to be judged by steady times */
    bool all_changed;   /* all of B is slower than A, or faster, by more than the noise */
    double throughout;  /* by how much calls were slower in B, throughout; 0 where not known */
    double apart;       /* by how much runs of a side were, of that where it is more; a logarithm */
};

/* A path of one run, and the module of its functions: strings, or PINSIGHT_DIFF_NONE. */
struct pinsight_diff_path {
    uint32_t path, module;
    uint32_t file; /* index of files, to be found */
};

/* Finds the files of the paths of one run; they are made where they are new. shared(data, i, file)
 * says how many functions of path i there are in a file of other runs, too. */
void pinsight_diff_files_find(struct pinsight_diff *diff, unsigned side,
                              struct pinsight_diff_path *paths, size_t count,
                              size_t (*shared)(const void *data, size_t path, uint32_t file),
                              const void *data);

/* Pairs up the items of both sides that are the same: partner[i] is the item of B that belongs to
 * item i of A, or PINSIGHT_DIFF_NONE. */
void pinsight_diff_match(const struct pinsight_diff *diff, uint32_t *partner);

/* Fills the statistics of a row, and row->steady. */
void pinsight_diff_count(const struct pinsight_diff *diff, struct pinsight_diff_row *row);

/* Judges a row that has its statistics. */
void pinsight_diff_judge(const struct pinsight_diff *diff, struct pinsight_diff_row *row);

/* What the steady times of all rows tell: the rules for them, and which runs were slow. */
void pinsight_diff_steady_prepare(struct pinsight_diff *diff);

/* Whether the steady time of a row has changed: row->basis, row->beyond. */
void pinsight_diff_steady_judge(const struct pinsight_diff *diff, struct pinsight_diff_row *row);

/* Whether a difference is larger than the noise. */
bool pinsight_diff_is_beyond(const struct pinsight_diff_rule *rule,
                             const struct pinsight_diff_stat *a,
                             const struct pinsight_diff_stat *b);

/* Whether it is large enough to be worth a look, noise or not. */
bool pinsight_diff_is_large(const struct pinsight_diff *diff, const struct pinsight_diff_rule *rule,
                            uint64_t a, uint64_t b);

/* Collects what runs of rows differ by; the floor is the median of them. */
struct pinsight_diff_floors {
    double *ranges, *lows; /* owned */
    size_t count, range_capacity, low_capacity;
};

void pinsight_diff_floors_add(struct pinsight_diff_floors *floors,
                              const struct pinsight_diff_stat *a,
                              const struct pinsight_diff_stat *b);

/* The floor: times the median of the ranges, and twice times that of the lows. The lists are freed.
 */
struct pinsight_diff_floor pinsight_diff_floors_end(struct pinsight_diff_floors *floors,
                                                    double times);

/* Two runs differ by less than three of the same kind do: by how much the floor is higher for it.
 */
static inline double pinsight_diff_few_runs(const struct pinsight_diff *diff) {
    return diff->run_count[0] > 2 && diff->run_count[1] > 2 ? 1 : 2;
}

/* The middle of count numbers, which are reordered; of an even count the lower one. */
double pinsight_diff_middle(double *numbers, size_t count);

/* What a row's verdict on self time is on, of a side. */
const struct pinsight_diff_stat *pinsight_diff_judged(const struct pinsight_diff_row *row,
                                                      size_t side);

/* b - a of the medians of that. */
int64_t pinsight_diff_judged_change(const struct pinsight_diff_row *row);

/* Median and range of count values, which are reordered. */
struct pinsight_diff_stat pinsight_diff_stat(uint64_t *values, size_t count);

/* Those for so many runs of each side, and rows that are compared. */
struct pinsight_diff_factors pinsight_diff_factors(size_t a_runs, size_t b_runs, size_t rows);

/* From the fastest run to the median, of the side where that is more. */
uint64_t pinsight_diff_low_noise(const struct pinsight_diff_stat *a,
                                 const struct pinsight_diff_stat *b);

/* What a reader has to know beside the numbers: calls say(data, sentence) for each. */
void pinsight_diff_notes(const struct pinsight_diff *diff,
                         void (*write)(void *data, const char *sentence), void *data);

/* Whether a row is shown as a change of work, and as a change of waiting. */
bool pinsight_diff_is_work(const struct pinsight_diff_row *row);
bool pinsight_diff_is_wait(const struct pinsight_diff_row *row);

/* b - a of the medians. */
int64_t pinsight_diff_change(const struct pinsight_diff_row *row, enum pinsight_diff_metric metric);

const char *pinsight_diff_kind_word(enum pinsight_diff_kind kind);
const char *pinsight_diff_verdict_word(enum pinsight_diff_verdict verdict);

#endif
