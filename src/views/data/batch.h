/* Collects the rows of a table in batches, and sends them. Not thread-safe. */
#ifndef PINSIGHT_VIEWS_DATA_BATCH_H
#define PINSIGHT_VIEWS_DATA_BATCH_H

#include "base/strings.h"
#include "views/data/wire.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pinsight_data_batch {
    const struct pinsight_data_table *table;
    int socket;
    bool ended;       /* the receiver is gone, or memory could not be had: nothing more is sent */
    uint32_t number;  /* of the batch, from 1 */
    uint32_t rows;    /* in it so far */
    uint32_t column;  /* the next one of pinsight_data_add_*() */
    uint32_t ahead;   /* batches that the receiver's consumer has not taken yet */
    size_t text_size; /* bytes of all dictionaries */
    int memory;       /* descriptor; -1 before the first row */
    char *begin;
    size_t size; /* of the values */
    void *values[PINSIGHT_DATA_MOST_COLUMNS];
    struct pinsight_strings words[PINSIGHT_DATA_MOST_COLUMNS];
};

void pinsight_data_batch_make(struct pinsight_data_batch *batch,
                              const struct pinsight_data_table *table, int socket);
void pinsight_data_batch_clear(struct pinsight_data_batch *batch);

/* Begins a row. Returns false if nothing more is wanted. */
bool pinsight_data_row(struct pinsight_data_batch *batch);

/* Returns the number of a text in the dictionary of a column, in this batch. Writes invalid UTF-8
 * as \xNN. */
uint32_t pinsight_data_word(struct pinsight_data_batch *batch, uint32_t column, const char *text);

/* Set a value of the row, by the type of the column: a number, a bool, or the number of a word. */
void pinsight_data_set(struct pinsight_data_batch *batch, uint32_t column, int64_t value);

/* Set the value of the next column of the row. */
void pinsight_data_add(struct pinsight_data_batch *batch, int64_t value);
void pinsight_data_add_text(struct pinsight_data_batch *batch, const char *text);

/* Ends the row, and sends the batch if it is full. */
void pinsight_data_row_end(struct pinsight_data_batch *batch);

/* Sends the last batch, and the end of the table; or in its place an error. */
void pinsight_data_end(struct pinsight_data_batch *batch, const char *error);

/* Returns whether the receiver has closed the socket. */
bool pinsight_data_is_unread(const struct pinsight_data_batch *batch);

#endif
