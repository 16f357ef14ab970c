/*
 * Writes Parquet as a dataset: a folder with a file for each process, in folders for its host and
 * its rank (host=NAME/rank=N/process-N.parquet). Dask, Spark, DuckDB, Polars and PyArrow read such
 * a folder as one table, and open only the files of the ranks that a query needs.
 *
 * The columns are those of the table `slices` (views/data), but the rank, which the folder's name
 * has. A process may learn its rank late, so its file moves to its place at the end. A file is open
 * only while a group is written: a job may have more ranks than a process may open files. Groups
 * are written by other threads (parquet_pool.h). Their rows are decided here, so the files do not
 * depend on the number of processors.
 */
#include "views/data/data.h"
#include "views/export/folder.h"
#include "views/export/formats.h"
#include "views/export/parquet_pool.h"

#include "base/memory.h"
#include "base/safe_files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The most rows in memory, of all processes together. The fullest group is written before. */
#define MOST_ROWS 524288u

struct dataset {
    struct pinsight_export_folder folder;
    struct pinsight_parquet_column columns[PINSIGHT_DATA_MOST_COLUMNS];
    uint8_t fields[PINSIGHT_DATA_MOST_COLUMNS]; /* enum pinsight_data_field */
    unsigned count;                             /* of columns */
    struct pinsight_parquet_file **files;       /* by the number of the process; or NULL */
    size_t file_count;
    uint64_t rows; /* in memory, and not on their way to a file */
    struct pinsight_parquet_pool *pool;
};

static int cannot(struct pinsight_export *export, const char *path) {
    return pinsight_export_cannot(export, path, strerror(errno));
}

/* The name of a process's file until its host and its rank are known. The caller frees it. */
static char *name_of(const struct dataset *dataset, size_t process) {
    return pinsight_format("%s/process-%zu.parquet", dataset->folder.path, process);
}

/* Writes the rows in memory to a process's file, and with `end` the end of the file. */
static void write_rows(struct pinsight_export *export, size_t process, bool end) {
    struct dataset *dataset = export->own;
    struct pinsight_parquet_file *file = dataset->files[process];
    const char *path;
    int error;

    dataset->rows -= file->rows.rows;
    error = pinsight_parquet_pool_write(dataset->pool, file, process, end, &path);
    if (error) {
        pinsight_export_cannot(export, path, strerror(error));
        export->stop = true;
    }
}

/* Ends the writing. Returns 0, or -1 with the export's error set. */
static int end_writing(struct pinsight_export *export) {
    struct dataset *dataset = export->own;
    const char *path;
    int error = pinsight_parquet_pool_end(dataset->pool, &path);

    dataset->pool = NULL;
    return error ? pinsight_export_cannot(export, path, strerror(error)) : 0;
}

static size_t fullest(const struct dataset *dataset) {
    uint32_t most = 0;
    size_t found = 0;

    for (size_t i = 0; i < dataset->file_count; i++)
        if (dataset->files[i] && dataset->files[i]->rows.rows > most) {
            most = dataset->files[i]->rows.rows;
            found = i;
        }
    return found;
}

static const char *text_of(const struct pinsight_slice_text *text, enum pinsight_data_field field) {
    return field == PINSIGHT_FIELD_CATEGORY ? text->category
           : field == PINSIGHT_FIELD_NAME   ? text->name
           : field == PINSIGHT_FIELD_MODULE ? text->module
                                            : text->file;
}

static void on_end(void *data, struct pinsight_track *track, const struct pinsight_slice *slice,
                   uint64_t ns) {
    struct pinsight_export *export = data;
    struct dataset *dataset = export->own;
    const struct pinsight_process *process = pinsight_track_process(track);
    const struct pinsight_row_place place = pinsight_row_place_of(track);
    struct pinsight_parquet_file **file;
    struct pinsight_parquet *parquet;
    struct pinsight_slice_text text;

    if (export->stop)
        return;
    pinsight_slice_text(&export->texts, slice, &text);
    export->slices++;
    dataset->files = pinsight_reach(dataset->files, process->index, &dataset->file_count,
                                    sizeof(*dataset->files));
    file = &dataset->files[process->index];
    if (!*file) {
        *file = pinsight_calloc(1, sizeof(**file));
        (*file)->path = name_of(dataset, process->index);
        pinsight_parquet_make(&(*file)->rows, dataset->columns, dataset->count);
    }
    parquet = &(*file)->rows;
    for (unsigned i = 0; i < dataset->count; i++) {
        enum pinsight_data_field field = dataset->fields[i];

        if (dataset->columns[i].type == PINSIGHT_DATA_TEXT)
            pinsight_parquet_text(parquet, i, text_of(&text, field));
        else if (field == PINSIGHT_FIELD_LINE)
            pinsight_parquet_number(parquet, i, text.line);
        else
            pinsight_parquet_number(parquet, i,
                                    pinsight_data_number(field, track, &place, slice, ns));
    }
    dataset->rows++;
    if (pinsight_parquet_row_end(parquet) == PINSIGHT_PARQUET_GROUP)
        write_rows(export, process->index, false);
    else if (dataset->rows > MOST_ROWS)
        write_rows(export, fullest(dataset), false);
}

static int begin(struct pinsight_export *export) {
    const struct pinsight_data_table *table = &pinsight_data_tables[PINSIGHT_DATA_SLICES];
    struct dataset *dataset = export->own;

    for (uint32_t i = 0; i < table->column_count; i++) {
        const struct pinsight_data_column *column = &table->columns[i];

        if (column->field == PINSIGHT_FIELD_RANK)
            continue;
        dataset->fields[dataset->count] = column->field;
        dataset->columns[dataset->count++] =
            (struct pinsight_parquet_column){.name = column->name,
                                             .type = column->type,
                                             .plain = column->field == PINSIGHT_FIELD_BEGIN ||
                                                      column->field == PINSIGHT_FIELD_DURATION ||
                                                      column->field == PINSIGHT_FIELD_SELF};
    }
    if (pinsight_export_folder_make(&dataset->folder, export) != 0)
        return -1;
    dataset->pool = pinsight_parquet_pool_new();
    return 0;
}

/* Returns a value in the name of a folder, as Hive writes it. The caller frees it. */
static char *partition_of(const char *value) {
    char *name, *at;

    if (!*value)
        return pinsight_strdup("__HIVE_DEFAULT_PARTITION__");
    at = name = pinsight_calloc(strlen(value) + 1, 3);
    for (; *value; value++)
        if ((*value >= '0' && *value <= '9') || (*value >= 'a' && *value <= 'z') ||
            (*value >= 'A' && *value <= 'Z') || strchr("-_.", *value))
            *at++ = *value;
        else
            at += sprintf(at, "%%%02X", (unsigned char)*value);
    return name;
}

/* Makes a folder, unless it is there. Returns 0, or -1 with the export's error set. */
static int make_folder(struct pinsight_export *export, const char *path) {
    int error = pinsight_make_folder(AT_FDCWD, path, 0700);

    return error == 0 || error == EEXIST ? 0
                                         : pinsight_export_cannot(export, path, strerror(error));
}

/* Moves the file of a process to the folders of its host and its rank. */
static int place_file(struct pinsight_export *export, size_t number) {
    const struct dataset *dataset = export->own;
    const struct pinsight_process *process = export->model->processes[number];
    char *host = partition_of(pinsight_strings_text(&export->model->strings, process->hostname));
    char *path = name_of(dataset, number);
    char *outer = pinsight_format("%s/host=%s", dataset->folder.path, host);
    char *inner = pinsight_format("%s/rank=%" PRId32, outer, process->rank);
    char *target = pinsight_format("%s/process-%zu.parquet", inner, number);
    int rc = make_folder(export, outer) != 0 || make_folder(export, inner) != 0 ? -1 : 0;

    if (rc == 0 && rename(path, target) != 0)
        rc = cannot(export, target);
    PINSIGHT_FREE(host, path, outer, inner, target);
    return rc;
}

static int finish(struct pinsight_export *export) {
    struct dataset *dataset = export->own;

    for (size_t i = 0; i < dataset->file_count; i++)
        if (dataset->files[i])
            write_rows(export, i, true);
    if (end_writing(export) != 0)
        return -1;
    for (size_t i = 0; i < dataset->file_count; i++)
        if (dataset->files[i] && place_file(export, i) != 0)
            return -1;
    return pinsight_export_folder_keep(&dataset->folder, export);
}

static void clear(struct pinsight_export *export) {
    struct dataset *dataset = export->own;

    end_writing(export); /* of an export that was stopped */
    for (size_t i = 0; i < dataset->file_count; i++) {
        if (dataset->files[i])
            pinsight_parquet_file_clear(dataset->files[i]);
        free(dataset->files[i]);
    }
    free(dataset->files);
    pinsight_export_folder_clear(&dataset->folder);
}

const struct pinsight_export_format pinsight_export_parquet_dataset = {
    PINSIGHT_EXPORT_FORM("parquet-dataset", ".dataset",
                         "a folder by host and rank: Dask, Spark, DuckDB, PyArrow", struct dataset),
    .folder = true,
    .entries = "host=*",
    .timeline = {.streams = true, .ranges = true, .end = on_end},
};
