/* Writes Parquet, for DuckDB, pandas and Polars, with the columns of the form CSV. */
#include "views/export/formats.h"
#include "views/export/parquet_writer.h"

enum column {
    PID,
    TID,
    PYTHON_THREAD,
    DEPTH,
    CATEGORY,
    NAME,
    FILE_,
    LINE,
    BEGIN,
    DURATION,
    BYTES,
    DEVICE,
    CONTEXT,
    STREAM,
    CORRELATION,
    GENERATOR,
    COLUMNS
};

static const struct pinsight_parquet_column columns[COLUMNS] = {
    [PID] = {.name = "pid"},
    [TID] = {.name = "tid"},
    [PYTHON_THREAD] = {.name = "python_thread"},
    [DEPTH] = {.name = "depth"},
    [CATEGORY] = {.name = "category", .type = PINSIGHT_DATA_TEXT},
    [NAME] = {.name = "name", .type = PINSIGHT_DATA_TEXT},
    [FILE_] = {.name = "file", .type = PINSIGHT_DATA_TEXT},
    [LINE] = {.name = "line"},
    [BEGIN] = {.name = "begin_ns", .plain = true},
    [DURATION] = {.name = "duration_ns", .plain = true},
    [BYTES] = {.name = "bytes"},
    [DEVICE] = {.name = "device"},
    [CONTEXT] = {.name = "context"},
    [STREAM] = {.name = "stream"},
    [CORRELATION] = {.name = "correlation"},
    [GENERATOR] = {.name = "generator"},
};

static void on_end(void *data, struct pinsight_track *track, const struct pinsight_slice *slice,
                   uint64_t ns) {
    struct pinsight_export *export = data;
    struct pinsight_parquet *parquet = export->own;
    struct pinsight_row_place place = pinsight_row_place_of(track);
    struct pinsight_slice_text text;

    pinsight_slice_text(&export->texts, slice, &text);
    export->slices++;
    pinsight_parquet_number(parquet, PID, place.pid);
    pinsight_parquet_number(parquet, TID, place.tid);
    pinsight_parquet_number(parquet, PYTHON_THREAD, place.python_thread);
    pinsight_parquet_number(parquet, DEPTH, (int64_t)track->depth - 1);
    pinsight_parquet_text(parquet, CATEGORY, text.category);
    pinsight_parquet_text(parquet, NAME, text.name);
    pinsight_parquet_text(parquet, FILE_, text.file);
    pinsight_parquet_number(parquet, LINE, text.line);
    pinsight_parquet_number(parquet, BEGIN, (int64_t)slice->begin_ns);
    pinsight_parquet_number(parquet, DURATION, (int64_t)(ns - slice->begin_ns));
    pinsight_parquet_number(parquet, BYTES, (int64_t)slice->bytes);
    pinsight_parquet_number(parquet, DEVICE, place.device);
    pinsight_parquet_number(parquet, CONTEXT, place.context);
    pinsight_parquet_number(parquet, STREAM, place.stream);
    pinsight_parquet_number(parquet, CORRELATION, slice->correlation);
    pinsight_parquet_number(parquet, GENERATOR, slice->generator);
    if (pinsight_parquet_row_end(parquet) == PINSIGHT_PARQUET_GROUP)
        pinsight_parquet_group(parquet, export->out);
}

static int begin(struct pinsight_export *export) {
    pinsight_parquet_make(export->own, columns, COLUMNS);
    pinsight_parquet_begin(export->own, export->out);
    return 0;
}

static int finish(struct pinsight_export *export) {
    pinsight_parquet_finish(export->own, export->out);
    return 0;
}

static void clear(struct pinsight_export *export) {
    pinsight_parquet_clear(export->own);
}

const struct pinsight_export_format pinsight_export_parquet = {
    PINSIGHT_EXPORT_FORM("parquet", ".parquet",
                         "the rows of csv, in less space: DuckDB, pandas, Polars",
                         struct pinsight_parquet),
    .timeline = {.streams = true, .ranges = true, .end = on_end},
};
