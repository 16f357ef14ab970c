/*
 * libpinsight-data, which the Python package opens: tables of a trace as streams of Arrow.
 *
 * A stream starts the command `pinsight --rows`, which reads the trace in a process of its own. The
 * columns of a batch are memory that both processes map, so nothing is copied. An error, and also
 * missing memory or a crash of that process, is an error of the stream. The library never ends the
 * process that uses it. Streams are independent of each other. One stream belongs to one thread at
 * a time.
 */
#ifndef PINSIGHT_DATALIB_H
#define PINSIGHT_DATALIB_H

#include "datalib/arrow.h"
#include "views/data/wire.h"

#include <stddef.h>

#define PINSIGHT_DATA_API __attribute__((visibility("default")))

/* Returns a table by its number, or NULL past the last one. */
PINSIGHT_DATA_API const struct pinsight_data_table *pinsight_data_table_at(uint32_t number);

/* Starts the reading. `arguments` is the command with its arguments, ended by NULL, and without the
 * table, the socket and what precedes them: {"/usr/bin/pinsight", "trace", "thread=1", NULL}.
 * Returns a stream, which pinsight_data_free_stream() releases and frees. Returns NULL with a
 * text in `error` if it fails. */
PINSIGHT_DATA_API struct ArrowArrayStream *
pinsight_data_open(uint32_t table, const char *const *arguments, char *error, size_t size);
PINSIGHT_DATA_API void pinsight_data_free_stream(struct ArrowArrayStream *stream);

/* Returns the schema of a table, which pinsight_data_free_schema() releases and frees; or NULL. */
PINSIGHT_DATA_API struct ArrowSchema *pinsight_data_schema(uint32_t table);
PINSIGHT_DATA_API void pinsight_data_free_schema(struct ArrowSchema *schema);

/* Destructors of capsules that hold a stream and a schema. Before their first use, the library has
 * to get Python's PyCapsule_GetPointer. */
PINSIGHT_DATA_API void pinsight_data_use_python(void *get_pointer);
PINSIGHT_DATA_API void pinsight_data_end_stream_capsule(void *capsule);
PINSIGHT_DATA_API void pinsight_data_end_schema_capsule(void *capsule);

/* ---- between the files of the library ---- */

/* Fills in the schema of a table. Returns 0 or an errno. */
int pinsight_data_make_schema(const struct pinsight_data_table *table, struct ArrowSchema *schema);

/* Fills in an array with the batch of a message, whose memory is a descriptor. The descriptor stays
 * the caller's. Returns 0 or an errno. */
int pinsight_data_make_array(const struct pinsight_data_table *table,
                             const struct pinsight_data_message *message, int memory,
                             struct ArrowArray *array);

#endif
