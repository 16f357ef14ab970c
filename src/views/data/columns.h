/* The tables of a trace as data: their columns with types, units and meanings. The reading process
 * fills them (data.h), the library passes them on (src/datalib), and docs/data-tables.md describes
 * them. Constant; any thread may read them. The Python package reads the same structures. */
#ifndef PINSIGHT_VIEWS_DATA_COLUMNS_H
#define PINSIGHT_VIEWS_DATA_COLUMNS_H

#include <stdint.h>

enum pinsight_data_type {
    PINSIGHT_DATA_I64,
    PINSIGHT_DATA_I32,
    PINSIGHT_DATA_BOOL, /* a bit */
    PINSIGHT_DATA_TEXT, /* an index in a dictionary of UTF-8, for each batch */
};

/* The parts of a slice that a column can have. */
enum pinsight_data_field {
    PINSIGHT_FIELD_NONE, /* the column belongs to a table that has no slices */
    PINSIGHT_FIELD_PROCESS,
    PINSIGHT_FIELD_RANK,
    PINSIGHT_FIELD_PID,
    PINSIGHT_FIELD_TID,
    PINSIGHT_FIELD_PYTHON_THREAD,
    PINSIGHT_FIELD_DEPTH,
    PINSIGHT_FIELD_CATEGORY,
    PINSIGHT_FIELD_NAME,
    PINSIGHT_FIELD_MODULE,
    PINSIGHT_FIELD_FILE,
    PINSIGHT_FIELD_LINE,
    PINSIGHT_FIELD_BEGIN,
    PINSIGHT_FIELD_DURATION,
    PINSIGHT_FIELD_SELF,
    PINSIGHT_FIELD_RESUMED,
    PINSIGHT_FIELD_CUT,
    PINSIGHT_FIELD_BYTES,
    PINSIGHT_FIELD_PEER,
    PINSIGHT_FIELD_TAG,
    PINSIGHT_FIELD_DEVICE,
    PINSIGHT_FIELD_CONTEXT,
    PINSIGHT_FIELD_STREAM,
    PINSIGHT_FIELD_CORRELATION,
    PINSIGHT_FIELD_GENERATOR,
    PINSIGHT_FIELD_GRID_X,
    PINSIGHT_FIELD_GRID_Y,
    PINSIGHT_FIELD_GRID_Z,
    PINSIGHT_FIELD_BLOCK_X,
    PINSIGHT_FIELD_BLOCK_Y,
    PINSIGHT_FIELD_BLOCK_Z,
    PINSIGHT_FIELD_TASK, /* number and name of a task of an event loop */
    PINSIGHT_FIELD_TASK_NAME,
    PINSIGHT_FIELDS,
};

struct pinsight_data_column {
    const char *name;
    const char *unit;  /* "ns", "bytes", or "" for a column without a unit */
    const char *about; /* in Markdown */
    uint8_t type;      /* enum pinsight_data_type */
    uint8_t field;     /* enum pinsight_data_field */
};

/* The filters that a table takes, as bits. */
enum {
    PINSIGHT_DATA_BY_TIME = 1,
    PINSIGHT_DATA_BY_RANK = 2,
    PINSIGHT_DATA_BY_THREAD = 4,
    PINSIGHT_DATA_BY_FUNCTION = 8,
};

/* The number of a table. */
enum pinsight_data_table_number {
    PINSIGHT_DATA_FUNCTIONS,
    PINSIGHT_DATA_CALLS,
    PINSIGHT_DATA_THREADS,
    PINSIGHT_DATA_PROCESSES,
    PINSIGHT_DATA_MESSAGES,
    PINSIGHT_DATA_CONTEXT_TREE,
    PINSIGHT_DATA_SLICES,
    PINSIGHT_DATA_LINES,
    PINSIGHT_DATA_REGIONS,
    PINSIGHT_DATA_WAITS,
    PINSIGHT_DATA_TASKS,
    PINSIGHT_DATA_KERNELS,
    PINSIGHT_DATA_MARKS,
    PINSIGHT_DATA_MEMORY,
    PINSIGHT_DATA_TABLES,
};

/* The most columns of a table. */
#define PINSIGHT_DATA_MOST_COLUMNS 24u

struct pinsight_data_table {
    const char *name;
    const char *about; /* in Markdown */
    const struct pinsight_data_column *columns;
    uint32_t column_count;
    uint32_t filters; /* bits of filters */
};

extern const struct pinsight_data_table pinsight_data_tables[PINSIGHT_DATA_TABLES];

#endif
