/* The messages of the process that reads a trace to the library that passes tables on. Each is a
 * packet on a socket between the two. The columns of a batch are in memory without a name
 * (memfd_create), whose descriptor comes with the message. The receiver answers each batch with one
 * byte when its consumer takes the batch, and the sender is at most PINSIGHT_DATA_AHEAD batches
 * ahead. Both are of one build. */
#ifndef PINSIGHT_VIEWS_DATA_WIRE_H
#define PINSIGHT_VIEWS_DATA_WIRE_H

#include "views/data/columns.h"

#define PINSIGHT_DATA_ROWS 65536u /* the most rows of a batch */
#define PINSIGHT_DATA_AHEAD 2u
#define PINSIGHT_DATA_ALIGNED 64u /* alignment of all parts in the memory */

enum pinsight_data_message_kind {
    PINSIGHT_DATA_BATCH,
    PINSIGHT_DATA_END,   /* the table is complete */
    PINSIGHT_DATA_ERROR, /* nothing more comes; `text` says why */
};

/* The places of a column in the memory, in bytes from its begin. */
struct pinsight_data_place {
    uint64_t values;
    uint64_t offsets, bytes; /* of the dictionary of a text */
    uint64_t words;          /* number of its texts */
};

struct pinsight_data_message {
    uint32_t kind; /* enum pinsight_data_message_kind */
    uint32_t rows;
    uint64_t size; /* of the memory */
    union {
        struct pinsight_data_place places[PINSIGHT_DATA_MOST_COLUMNS];
        char text[1024]; /* ends with a zero */
    };
};

#endif
