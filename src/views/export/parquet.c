/* Writes Parquet, for DuckDB, pandas and Polars, with the columns of the form CSV. The description
 * is that of Apache Parquet, file format 2. A file consists of groups of rows. Each group has a
 * piece of every column: numbers in plain form, texts with a dictionary. The end of the file has
 * the places of all pieces. */
#include "base/escape.h"
#include "base/memory.h"
#include "base/strings.h"
#include "views/export/formats.h"
#include "views/export/thrift.h"

#include <stdlib.h>
#include <string.h>

/* The number of rows in a group, which stay in memory until they are written. */
#define GROUP 65536u

/* Constants of the format. */
enum { TYPE_INT64 = 2, TYPE_BYTE_ARRAY = 6, REQUIRED = 0, CONVERTED_UTF8 = 0, UNCOMPRESSED = 0 };
enum { PAGE_DATA = 0, PAGE_DICTIONARY = 2 };
enum { ENCODING_PLAIN = 0, ENCODING_RLE = 3, ENCODING_RLE_DICTIONARY = 8 };

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

enum content {
    NUMBERS, /* in plain form */
    FEW,     /* numbers with a dictionary */
    TEXTS,   /* texts with a dictionary */
};

static const struct {
    const char *name;
    enum content content;
} columns[COLUMNS] = {
    [PID] = {"pid", FEW},
    [TID] = {"tid", FEW},
    [PYTHON_THREAD] = {"python_thread", FEW},
    [DEPTH] = {"depth", FEW},
    [CATEGORY] = {"category", TEXTS},
    [NAME] = {"name", TEXTS},
    [FILE_] = {"file", TEXTS},
    [LINE] = {"line", FEW},
    [BEGIN] = {"begin_ns", NUMBERS},
    [DURATION] = {"duration_ns", NUMBERS},
    [BYTES] = {"bytes", FEW},
    [DEVICE] = {"device", FEW},
    [CONTEXT] = {"context", FEW},
    [STREAM] = {"stream", FEW},
    [CORRELATION] = {"correlation", FEW},
    [GENERATOR] = {"generator", FEW},
};

struct parquet {
    int64_t *values[COLUMNS];               /* of the group: numbers, or indices in a dictionary */
    struct pinsight_strings words[COLUMNS]; /* dictionaries of the group; a number has 8 bytes */
    int64_t last[COLUMNS];                  /* the last number that was added, and its index */
    int64_t last_place[COLUMNS];
    uint32_t rows;    /* of the group */
    uint64_t written; /* bytes so far */
    uint64_t groups;
    struct pinsight_bytes about; /* metadata of the groups, for the end */
    struct pinsight_bytes page;
};

static void put(struct pinsight_export *export, const void *data, size_t size) {
    struct parquet *parquet = export->own;

    fwrite(data, 1, size, export->out);
    parquet->written += size;
}

/* Writes the page in parquet->page, after its header. */
static void put_page(struct pinsight_export *export, int type, uint32_t count, int encoding) {
    struct parquet *parquet = export->own;
    struct pinsight_bytes head = {0};
    struct pinsight_thrift thrift = {.out = &head};

    pinsight_thrift_begin(&thrift, 0);
    pinsight_thrift_int(&thrift, 1, PINSIGHT_THRIFT_I32, type);
    pinsight_thrift_int(&thrift, 2, PINSIGHT_THRIFT_I32, (int64_t)parquet->page.size);
    pinsight_thrift_int(&thrift, 3, PINSIGHT_THRIFT_I32, (int64_t)parquet->page.size);
    pinsight_thrift_begin(&thrift, type == PAGE_DATA ? 5 : 7);
    pinsight_thrift_int(&thrift, 1, PINSIGHT_THRIFT_I32, count);
    pinsight_thrift_int(&thrift, 2, PINSIGHT_THRIFT_I32, encoding);
    if (type == PAGE_DATA) {
        pinsight_thrift_int(&thrift, 3, PINSIGHT_THRIFT_I32, ENCODING_RLE);
        pinsight_thrift_int(&thrift, 4, PINSIGHT_THRIFT_I32, ENCODING_RLE);
    }
    pinsight_thrift_end(&thrift);
    pinsight_thrift_end(&thrift);
    put(export, head.bytes, head.size);
    put(export, parquet->page.bytes, parquet->page.size);
    pinsight_bytes_clear(&head);
    parquet->page.size = 0;
}

static void add_little_endian(struct pinsight_bytes *bytes, uint64_t value, size_t size) {
    unsigned char coded[8];

    for (size_t i = 0; i < size; i++)
        coded[i] = (unsigned char)(value >> (8 * i));
    pinsight_bytes_add(bytes, coded, size);
}

static void put_dictionary(struct pinsight_export *export, const struct pinsight_strings *words,
                           bool texts) {
    struct parquet *parquet = export->own;

    for (size_t i = 0; i < words->count; i++) {
        if (texts)
            add_little_endian(&parquet->page, words->items[i].length, 4);
        else if (!words->items[i].length) /* the first word of all strings is the empty one */
            add_little_endian(&parquet->page, 0, 8);
        pinsight_bytes_add(&parquet->page, words->items[i].text, words->items[i].length);
    }
    put_page(export, PAGE_DICTIONARY, (uint32_t)words->count, ENCODING_PLAIN);
}

/* Writes indices in a dictionary, each with the bits that the largest one needs, as one run of
 * groups of eight. */
static void put_places(struct pinsight_export *export, const int64_t *values, size_t words) {
    struct parquet *parquet = export->own;
    unsigned char width = 1;
    uint64_t bits = 0;
    unsigned filled = 0;

    while (words > (size_t)1 << width)
        width++;
    pinsight_bytes_add(&parquet->page, &width, 1);
    pinsight_bytes_varint(&parquet->page, (uint64_t)(parquet->rows + 7) / 8 << 1 | 1);
    for (uint32_t i = 0; i < (parquet->rows + 7) / 8 * 8; i++) {
        bits |= (i < parquet->rows ? (uint64_t)values[i] : 0) << filled;
        for (filled += width; filled >= 8; filled -= 8, bits >>= 8)
            add_little_endian(&parquet->page, bits, 1);
    }
    put_page(export, PAGE_DATA, parquet->rows, ENCODING_RLE_DICTIONARY);
}

static int type_of(enum column column) {
    return columns[column].content == TEXTS ? TYPE_BYTE_ARRAY : TYPE_INT64;
}

/* Writes a piece of a column, and its metadata to `thrift`. Returns its size in bytes. */
static uint64_t put_column(struct pinsight_export *export, enum column column,
                           struct pinsight_thrift *thrift) {
    struct parquet *parquet = export->own;
    uint64_t first = parquet->written, data = first, size;
    bool coded = columns[column].content != NUMBERS;

    if (coded) {
        put_dictionary(export, &parquet->words[column], columns[column].content == TEXTS);
        data = parquet->written;
        put_places(export, parquet->values[column], parquet->words[column].count);
    } else {
        for (uint32_t i = 0; i < parquet->rows; i++)
            add_little_endian(&parquet->page, (uint64_t)parquet->values[column][i], 8);
        put_page(export, PAGE_DATA, parquet->rows, ENCODING_PLAIN);
    }
    size = parquet->written - first;
    pinsight_thrift_begin(thrift, 0);
    pinsight_thrift_int(thrift, 2, PINSIGHT_THRIFT_I64, (int64_t)first);
    pinsight_thrift_begin(thrift, 3);
    pinsight_thrift_int(thrift, 1, PINSIGHT_THRIFT_I32, type_of(column));
    pinsight_thrift_list(thrift, 2, PINSIGHT_THRIFT_I32, coded ? 2 : 1);
    pinsight_thrift_int_element(thrift, ENCODING_PLAIN);
    if (coded)
        pinsight_thrift_int_element(thrift, ENCODING_RLE_DICTIONARY);
    pinsight_thrift_list(thrift, 3, PINSIGHT_THRIFT_BINARY, 1);
    pinsight_thrift_text_element(thrift, columns[column].name);
    pinsight_thrift_int(thrift, 4, PINSIGHT_THRIFT_I32, UNCOMPRESSED);
    pinsight_thrift_int(thrift, 5, PINSIGHT_THRIFT_I64, parquet->rows);
    pinsight_thrift_int(thrift, 6, PINSIGHT_THRIFT_I64, (int64_t)size);
    pinsight_thrift_int(thrift, 7, PINSIGHT_THRIFT_I64, (int64_t)size);
    pinsight_thrift_int(thrift, 9, PINSIGHT_THRIFT_I64, (int64_t)data);
    if (coded)
        pinsight_thrift_int(thrift, 11, PINSIGHT_THRIFT_I64, (int64_t)first);
    pinsight_thrift_end(thrift);
    pinsight_thrift_end(thrift);
    return size;
}

/* Writes the rows in memory as a group. */
static void put_group(struct pinsight_export *export) {
    struct parquet *parquet = export->own;
    struct pinsight_thrift thrift = {.out = &parquet->about};
    uint64_t size = 0;

    if (!parquet->rows)
        return;
    pinsight_thrift_begin(&thrift, 0);
    pinsight_thrift_list(&thrift, 1, PINSIGHT_THRIFT_STRUCT, COLUMNS);
    for (enum column column = 0; column < COLUMNS; column++) {
        size += put_column(export, column, &thrift);
        pinsight_strings_clear(&parquet->words[column]);
    }
    pinsight_thrift_int(&thrift, 2, PINSIGHT_THRIFT_I64, (int64_t)size);
    pinsight_thrift_int(&thrift, 3, PINSIGHT_THRIFT_I64, parquet->rows);
    pinsight_thrift_end(&thrift);
    parquet->groups++;
    parquet->rows = 0;
}

static void set_text(struct parquet *parquet, enum column column, const char *text) {
    char *valid = pinsight_escape_if(text, NULL);

    parquet->values[column][parquet->rows] =
        pinsight_strings_add(&parquet->words[column], valid, strlen(valid));
    free(valid);
}

static void set_number(struct parquet *parquet, enum column column, int64_t number) {
    unsigned char bytes[8];

    if (columns[column].content == NUMBERS) {
        parquet->values[column][parquet->rows] = number;
        return;
    }
    if (!parquet->rows || number != parquet->last[column]) {
        for (unsigned i = 0; i < 8; i++) /* in the page's byte order */
            bytes[i] = (unsigned char)((uint64_t)number >> (8 * i));
        parquet->last_place[column] =
            pinsight_strings_add(&parquet->words[column], (const char *)bytes, sizeof(bytes));
        parquet->last[column] = number;
    }
    parquet->values[column][parquet->rows] = parquet->last_place[column];
}

static void on_end(void *data, struct pinsight_track *track, const struct pinsight_slice *slice,
                   uint64_t ns) {
    struct pinsight_export *export = data;
    struct parquet *parquet = export->own;
    struct pinsight_row_place place = pinsight_row_place_of(track);
    struct pinsight_slice_text text;

    pinsight_slice_text(&export->texts, slice, &text);
    export->slices++;
    set_number(parquet, PID, place.pid);
    set_number(parquet, TID, place.tid);
    set_number(parquet, PYTHON_THREAD, place.python_thread);
    set_number(parquet, DEPTH, (int64_t)track->depth - 1);
    set_text(parquet, CATEGORY, text.category);
    set_text(parquet, NAME, text.name);
    set_text(parquet, FILE_, text.file);
    set_number(parquet, LINE, text.line);
    set_number(parquet, BEGIN, (int64_t)slice->begin_ns);
    set_number(parquet, DURATION, (int64_t)(ns - slice->begin_ns));
    set_number(parquet, BYTES, (int64_t)slice->bytes);
    set_number(parquet, DEVICE, place.device);
    set_number(parquet, CONTEXT, place.context);
    set_number(parquet, STREAM, place.stream);
    set_number(parquet, CORRELATION, slice->correlation);
    set_number(parquet, GENERATOR, slice->generator);
    if (++parquet->rows == GROUP)
        put_group(export);
}

static int begin(struct pinsight_export *export) {
    struct parquet *parquet = export->own;

    for (enum column column = 0; column < COLUMNS; column++)
        parquet->values[column] = pinsight_calloc(GROUP, sizeof(int64_t));
    put(export, "PAR1", 4);
    return 0;
}

static void write_columns(struct pinsight_thrift *thrift) {
    pinsight_thrift_list(thrift, 2, PINSIGHT_THRIFT_STRUCT, COLUMNS + 1);
    pinsight_thrift_begin(thrift, 0);
    pinsight_thrift_text(thrift, 4, "slice");
    pinsight_thrift_int(thrift, 5, PINSIGHT_THRIFT_I32, COLUMNS);
    pinsight_thrift_end(thrift);
    for (enum column column = 0; column < COLUMNS; column++) {
        pinsight_thrift_begin(thrift, 0);
        pinsight_thrift_int(thrift, 1, PINSIGHT_THRIFT_I32, type_of(column));
        pinsight_thrift_int(thrift, 3, PINSIGHT_THRIFT_I32, REQUIRED);
        pinsight_thrift_text(thrift, 4, columns[column].name);
        if (columns[column].content == TEXTS)
            pinsight_thrift_int(thrift, 6, PINSIGHT_THRIFT_I32, CONVERTED_UTF8);
        pinsight_thrift_end(thrift);
    }
}

static int finish(struct pinsight_export *export) {
    struct parquet *parquet = export->own;
    struct pinsight_thrift thrift = {.out = &parquet->page};
    size_t size;

    put_group(export);
    pinsight_thrift_begin(&thrift, 0);
    pinsight_thrift_int(&thrift, 1, PINSIGHT_THRIFT_I32, 1);
    write_columns(&thrift);
    pinsight_thrift_int(&thrift, 3, PINSIGHT_THRIFT_I64, (int64_t) export->slices);
    pinsight_thrift_list(&thrift, 4, PINSIGHT_THRIFT_STRUCT, parquet->groups);
    pinsight_bytes_add(&parquet->page, parquet->about.bytes, parquet->about.size);
    pinsight_thrift_text(&thrift, 6, "PInsight");
    pinsight_thrift_end(&thrift);
    size = parquet->page.size;
    add_little_endian(&parquet->page, size, 4);
    pinsight_bytes_add(&parquet->page, "PAR1", 4);
    put(export, parquet->page.bytes, parquet->page.size);
    return 0;
}

static void clear(struct pinsight_export *export) {
    struct parquet *parquet = export->own;

    for (enum column column = 0; column < COLUMNS; column++) {
        free(parquet->values[column]);
        pinsight_strings_clear(&parquet->words[column]);
    }
    pinsight_bytes_clear(&parquet->about);
    pinsight_bytes_clear(&parquet->page);
}

const struct pinsight_export_format pinsight_export_parquet = {
    PINSIGHT_EXPORT_FORM("parquet", ".parquet",
                         "the rows of csv, in less space: DuckDB, pandas, Polars", struct parquet),
    .timeline = {.streams = true, .ranges = true, .end = on_end},
};
