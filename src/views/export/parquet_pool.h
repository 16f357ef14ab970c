/*
 * Writes groups of rows into files of Parquet in other threads, while the caller gathers more rows.
 * A group is encoded and written by one thread. The groups of a file go to the same thread, in
 * their order, so the files are the same whatever the number of threads. With one processor, the
 * caller writes.
 */
#ifndef PINSIGHT_VIEWS_PARQUET_POOL_H
#define PINSIGHT_VIEWS_PARQUET_POOL_H

#include "views/export/parquet_writer.h"

/* A file, which is open only while a group is written. The caller sets `rows` and `path`, and adds
 * to `rows`. The other members are the pool's. */
struct pinsight_parquet_file {
    struct pinsight_parquet rows; /* the group in memory */
    char *path;                   /* owned */
    struct pinsight_parquet written, spare;
};

void pinsight_parquet_file_clear(struct pinsight_parquet_file *file);

struct pinsight_parquet_pool;

/* Starts the threads. The caller ends them with pinsight_parquet_pool_end(). */
struct pinsight_parquet_pool *pinsight_parquet_pool_new(void);

/* Takes the rows of a file, and writes them at its end; with `end` also the end of the file.
 * `number` selects the thread, and all groups of the file have it. Waits while too many
 * rows are waiting. Returns an errno, or 0. Sets *path to the file that could not be written, this
 * one or an earlier one. For one thread. */
int pinsight_parquet_pool_write(struct pinsight_parquet_pool *pool,
                                struct pinsight_parquet_file *file, size_t number, bool end,
                                const char **path);

/* Waits until all groups are written, and frees the pool (or NULL). Returns an errno, or 0, and
 * sets *path, as above. */
int pinsight_parquet_pool_end(struct pinsight_parquet_pool *pool, const char **path);

#endif
