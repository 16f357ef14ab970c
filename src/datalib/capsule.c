/* Ends the capsules of Python that hold streams and schemas; see datalib.h. */
#include "datalib/datalib.h"

#define STREAM "arrow_array_stream"
#define SCHEMA "arrow_schema"

static void *(*get_pointer)(void *capsule, const char *name);

void pinsight_data_use_python(void *of_python) {
    get_pointer = (void *(*)(void *, const char *))of_python;
}

void pinsight_data_end_stream_capsule(void *capsule) {
    struct ArrowArrayStream *stream = get_pointer(capsule, STREAM);

    if (stream != NULL)
        pinsight_data_free_stream(stream);
}

void pinsight_data_end_schema_capsule(void *capsule) {
    struct ArrowSchema *schema = get_pointer(capsule, SCHEMA);

    if (schema != NULL)
        pinsight_data_free_schema(schema);
}
