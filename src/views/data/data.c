/* Sends one table of a trace; see data.h. */
#include "views/data/data.h"

#include "base/memory.h"
#include "base/message.h"
#include "reader/trace.h"
#include "views/data/batch.h"

#include <fnmatch.h>
#include <stdlib.h>

int pinsight_data_has_function(const struct pinsight_data_options *options, const char *name) {
    for (size_t i = 0; i < options->function_count; i++)
        if (fnmatch(options->functions[i], name, 0) == 0)
            return 1;
    return !options->function_count;
}

/* A reading, which ends early if no rows are wanted any more. */
struct limited_reading {
    struct pinsight_data_batch *batch;
    bool (*is_past)(void *data);
    void *data;
    bool ended;
};

static void on_turn(void *data) {
    struct limited_reading *reading = data;

    reading->batch->ended = pinsight_data_is_unread(reading->batch);
    reading->ended = reading->batch->ended || (reading->is_past && reading->is_past(reading->data));
}

char *pinsight_data_read(const struct pinsight_data_options *options, struct pinsight_model *model,
                         struct pinsight_data_batch *batch, bool (*is_past)(void *data),
                         void *data) {
    struct limited_reading reading = {.batch = batch, .is_past = is_past, .data = data};
    const struct trace_observers observers = {
        .on_turn = on_turn, .data = &reading, .ended = &reading.ended};
    struct pinsight_source_result source = {0};
    char *error = NULL;

    if (trace_read(options->trace, model, &observers, &source) != 0)
        error = pinsight_strdup(source.error);
    for (size_t i = 0; i < source.warning_count; i++)
        pinsight_warning("%s", source.warnings[i]);
    pinsight_source_result_clear(&source);
    return error;
}

int pinsight_data_write(const struct pinsight_data_options *options) {
    struct pinsight_data_batch batch;
    char *error;

    pinsight_data_batch_make(&batch, &pinsight_data_tables[options->table], options->socket);
    switch (options->table) {
    case PINSIGHT_DATA_FUNCTIONS:
    case PINSIGHT_DATA_THREADS:
    case PINSIGHT_DATA_PROCESSES:
    case PINSIGHT_DATA_LINES:
        error = pinsight_data_sums(options, &batch);
        break;
    case PINSIGHT_DATA_CONTEXT_TREE:
        error = pinsight_data_contexts(options, &batch);
        break;
    default:
        error = pinsight_data_slices(options, &batch);
    }
    pinsight_data_end(&batch, error);
    pinsight_data_batch_clear(&batch);
    free(error);
    return error != NULL;
}
