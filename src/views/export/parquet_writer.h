/*
 * Writes a file of Apache Parquet (file format 2), group by group of rows. Each group has a piece
 * of every column: numbers in plain form, or texts and repeated numbers with a dictionary. Each
 * piece has its least and its greatest value, so that readers skip groups. The end of the file has
 * the places of all pieces.
 *
 * The rows of a group stay in memory until they are written. Between groups, the file may be
 * closed. The caller looks for errors of writing. Not thread-safe.
 */
#ifndef PINSIGHT_VIEWS_PARQUET_WRITER_H
#define PINSIGHT_VIEWS_PARQUET_WRITER_H

#include "base/strings.h"
#include "views/data/columns.h"
#include "views/export/bytes.h"

#include <stdbool.h>
#include <stdio.h>

/* The most rows of a group. */
#define PINSIGHT_PARQUET_GROUP 65536u

struct pinsight_parquet_column {
    const char *name;
    uint8_t type; /* enum pinsight_data_type */
    bool plain;   /* numbers without a dictionary, because few are equal */
};

/* A column of the group in memory. */
struct pinsight_parquet_piece {
    int64_t *values;               /* numbers, or indices in the dictionary */
    struct pinsight_strings words; /* the dictionary; a number has the bytes of its type */
    int64_t last, last_place;      /* the last number that was added, and its index */
};

struct pinsight_parquet {
    const struct pinsight_parquet_column *columns; /* the caller's */
    struct pinsight_parquet_piece *pieces;
    unsigned count;          /* of columns */
    uint32_t rows, capacity; /* of the group */
    uint64_t written;        /* bytes so far */
    uint64_t all_rows, groups;
    struct pinsight_bytes about; /* metadata of the groups, for the end */
    struct pinsight_bytes page;
};

void pinsight_parquet_make(struct pinsight_parquet *parquet,
                           const struct pinsight_parquet_column *columns, unsigned count);
void pinsight_parquet_clear(struct pinsight_parquet *parquet);

/* Swaps the rows in memory, with their room, of two writers with equal columns. */
void pinsight_parquet_swap_rows(struct pinsight_parquet *a, struct pinsight_parquet *b);

/* Set a value of the row. Text that is no UTF-8 is written as \xNN. */
void pinsight_parquet_number(struct pinsight_parquet *parquet, unsigned column, int64_t number);
void pinsight_parquet_text(struct pinsight_parquet *parquet, unsigned column, const char *text);

/* Ends the row. All its columns must have been set. Returns the number of rows in memory, of which
 * the group may have PINSIGHT_PARQUET_GROUP. */
uint32_t pinsight_parquet_row_end(struct pinsight_parquet *parquet);

/* Write to the end of a file: its head, the rows in memory as a group, and the end of the file with
 * these rows. */
void pinsight_parquet_begin(struct pinsight_parquet *parquet, FILE *out);
void pinsight_parquet_group(struct pinsight_parquet *parquet, FILE *out);
void pinsight_parquet_finish(struct pinsight_parquet *parquet, FILE *out);

#endif
