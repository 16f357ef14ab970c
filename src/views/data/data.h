/* A trace as tables: reads the trace, and sends the rows of one table in batches (wire.h). Runs in
 * a process of its own, so that damage and missing memory end that process alone. */
#ifndef PINSIGHT_VIEWS_DATA_H
#define PINSIGHT_VIEWS_DATA_H

#include "views/data/columns.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The selected rows. PINSIGHT_DATA_WHOLE selects all. */
struct pinsight_data_options {
    const char *trace; /* path of its folder */
    enum pinsight_data_table_number table;
    int socket;      /* see wire.h */
    int64_t from_ns; /* only what lies at least partly in this time of the trace's clock */
    int64_t to_ns;
    const char *ranks;      /* see base/ranks.h; NULL: all processes */
    int64_t thread;         /* Python thread number or OS thread id; -1: all */
    int64_t process;        /* process id; -1: all */
    const char **functions; /* patterns of fnmatch(3) for names; a name has to match one of them */
    size_t function_count;  /* 0: all */
};

#define PINSIGHT_DATA_WHOLE .to_ns = INT64_MAX, .thread = -1, .process = -1

/* Reads the trace and sends the rows, and at the end the error, if there is one. Returns an exit
 * status. */
int pinsight_data_write(const struct pinsight_data_options *options);

/* ---- for the parts ---- */

struct pinsight_data_batch;
struct pinsight_model;
struct pinsight_row_place;
struct pinsight_slice;
struct pinsight_track;

/* Returns whether a name matches the functions of the options. */
int pinsight_data_has_function(const struct pinsight_data_options *options, const char *name);

/* Returns the value of a field that is a number of a slice that ends at `ns`, without its line and
 * its rank. `place` is that of its track. */
int64_t pinsight_data_number(enum pinsight_data_field field, const struct pinsight_track *track,
                             const struct pinsight_row_place *place,
                             const struct pinsight_slice *slice, uint64_t ns);

/* Reads the trace into a model, and warns of damage on stderr. Ends early if the receiver is gone.
 * Also ends early if `is_past`, which is called from time to time with `data`, returns true. NULL
 * reads to the end. Returns NULL, or an error that the caller frees. */
char *pinsight_data_read(const struct pinsight_data_options *options, struct pinsight_model *model,
                         struct pinsight_data_batch *batch, bool (*is_past)(void *data),
                         void *data);

/* Read the trace for one kind of table, and add its rows. Return NULL, or an error that the caller
 * frees. */
char *pinsight_data_slices(const struct pinsight_data_options *options,
                           struct pinsight_data_batch *batch);
char *pinsight_data_sums(const struct pinsight_data_options *options,
                         struct pinsight_data_batch *batch);
char *pinsight_data_contexts(const struct pinsight_data_options *options,
                             struct pinsight_data_batch *batch);

#endif
