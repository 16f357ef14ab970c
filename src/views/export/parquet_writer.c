/* Writes a file of Parquet; see parquet_writer.h. The description is that of Apache Parquet. */
#include "views/export/parquet_writer.h"

#include "base/escape.h"
#include "base/memory.h"
#include "views/export/thrift.h"

#include <stdlib.h>
#include <string.h>

/* Constants of the format. */
enum { TYPE_BOOLEAN = 0, TYPE_INT32 = 1, TYPE_INT64 = 2, TYPE_BYTE_ARRAY = 6 };
enum { REQUIRED = 0, CONVERTED_UTF8 = 0, UNCOMPRESSED = 0 };
enum { PAGE_DATA = 0, PAGE_DICTIONARY = 2 };
enum { ENCODING_PLAIN = 0, ENCODING_RLE = 3, ENCODING_RLE_DICTIONARY = 8 };

/* The first rows that there is room for. A trace may have 10,000 files with few rows each. */
#define FIRST_ROOM 8u
/* The longest text that is a least or greatest value. Without these values, nothing is skipped. */
#define LONGEST_BOUND 256u

static int type_of(const struct pinsight_parquet_column *column) {
    static const int types[] = {[PINSIGHT_DATA_I64] = TYPE_INT64,
                                [PINSIGHT_DATA_I32] = TYPE_INT32,
                                [PINSIGHT_DATA_BOOL] = TYPE_BOOLEAN,
                                [PINSIGHT_DATA_TEXT] = TYPE_BYTE_ARRAY};

    return types[column->type];
}

/* Returns the bytes of a number in a page. */
static size_t width_of(const struct pinsight_parquet_column *column) {
    return column->type == PINSIGHT_DATA_I64 ? 8 : column->type == PINSIGHT_DATA_I32 ? 4 : 1;
}

static bool is_coded(const struct pinsight_parquet_column *column) {
    return !column->plain && column->type != PINSIGHT_DATA_BOOL;
}

/* ---- rows ---- */

static void make_room(struct pinsight_parquet *parquet) {
    parquet->capacity = parquet->capacity ? 2 * parquet->capacity : FIRST_ROOM;
    for (unsigned i = 0; i < parquet->count; i++)
        parquet->pieces[i].values =
            pinsight_realloc(parquet->pieces[i].values, parquet->capacity, sizeof(int64_t));
}

void pinsight_parquet_make(struct pinsight_parquet *parquet,
                           const struct pinsight_parquet_column *columns, unsigned count) {
    *parquet = (struct pinsight_parquet){.columns = columns, .count = count};
    parquet->pieces = pinsight_calloc(count, sizeof(*parquet->pieces));
    make_room(parquet);
}

void pinsight_parquet_clear(struct pinsight_parquet *parquet) {
    for (unsigned i = 0; parquet->pieces && i < parquet->count; i++) {
        free(parquet->pieces[i].values);
        pinsight_strings_clear(&parquet->pieces[i].words);
    }
    free(parquet->pieces);
    pinsight_bytes_clear(&parquet->about);
    pinsight_bytes_clear(&parquet->page);
}

void pinsight_parquet_swap_rows(struct pinsight_parquet *a, struct pinsight_parquet *b) {
    struct pinsight_parquet_piece *pieces = a->pieces;
    uint32_t rows = a->rows, capacity = a->capacity;

    a->pieces = b->pieces;
    a->rows = b->rows;
    a->capacity = b->capacity;
    b->pieces = pieces;
    b->rows = rows;
    b->capacity = capacity;
}

/* Writes a number in a page's byte order. Returns its size. */
static size_t to_bytes(const struct pinsight_parquet_column *column, int64_t number,
                       unsigned char bytes[8]) {
    size_t width = width_of(column);

    for (size_t i = 0; i < width; i++)
        bytes[i] = (unsigned char)((uint64_t)number >> (8 * i));
    return width;
}

void pinsight_parquet_number(struct pinsight_parquet *parquet, unsigned column, int64_t number) {
    struct pinsight_parquet_piece *piece = &parquet->pieces[column];
    unsigned char bytes[8];

    if (!is_coded(&parquet->columns[column])) {
        piece->values[parquet->rows] = number;
        return;
    }
    if (!parquet->rows || number != piece->last) {
        size_t width = to_bytes(&parquet->columns[column], number, bytes);

        piece->last_place = pinsight_strings_add(&piece->words, (const char *)bytes, width);
        piece->last = number;
    }
    piece->values[parquet->rows] = piece->last_place;
}

void pinsight_parquet_text(struct pinsight_parquet *parquet, unsigned column, const char *text) {
    struct pinsight_parquet_piece *piece = &parquet->pieces[column];
    char *valid = pinsight_escape_if(text, NULL);

    piece->values[parquet->rows] = pinsight_strings_add(&piece->words, valid, strlen(valid));
    free(valid);
}

uint32_t pinsight_parquet_row_end(struct pinsight_parquet *parquet) {
    if (++parquet->rows == parquet->capacity && parquet->rows < PINSIGHT_PARQUET_GROUP)
        make_room(parquet);
    return parquet->rows;
}

/* ---- pages ---- */

static void put(struct pinsight_parquet *parquet, FILE *out, const void *data, size_t size) {
    fwrite(data, 1, size, out);
    parquet->written += size;
}

/* Writes the page in parquet->page, after its header. */
static void put_page(struct pinsight_parquet *parquet, FILE *out, int type, uint32_t count,
                     int encoding) {
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
    put(parquet, out, head.bytes, head.size);
    put(parquet, out, parquet->page.bytes, parquet->page.size);
    pinsight_bytes_clear(&head);
    parquet->page.size = 0;
}

static void add_little_endian(struct pinsight_bytes *bytes, uint64_t value, size_t size) {
    unsigned char coded[8];

    for (size_t i = 0; i < size; i++)
        coded[i] = (unsigned char)(value >> (8 * i));
    pinsight_bytes_add(bytes, coded, size);
}

static void put_dictionary(struct pinsight_parquet *parquet, FILE *out, unsigned column) {
    const struct pinsight_strings *words = &parquet->pieces[column].words;
    bool texts = parquet->columns[column].type == PINSIGHT_DATA_TEXT;

    for (size_t i = 0; i < words->count; i++) {
        if (texts)
            add_little_endian(&parquet->page, words->items[i].length, 4);
        else if (!words->items[i].length) /* the first word of all strings is the empty one */
            add_little_endian(&parquet->page, 0, width_of(&parquet->columns[column]));
        pinsight_bytes_add(&parquet->page, words->items[i].text, words->items[i].length);
    }
    put_page(parquet, out, PAGE_DICTIONARY, (uint32_t)words->count, ENCODING_PLAIN);
}

/* Adds numbers to the page, each with so many bits, in whole groups of eight numbers. */
static void add_packed(struct pinsight_parquet *parquet, const int64_t *values, unsigned width) {
    uint64_t bits = 0;
    unsigned filled = 0;

    for (uint32_t i = 0; i < (parquet->rows + 7) / 8 * 8; i++) {
        bits |= (i < parquet->rows ? (uint64_t)values[i] : 0) << filled;
        for (filled += width; filled >= 8; filled -= 8, bits >>= 8)
            add_little_endian(&parquet->page, bits, 1);
    }
}

/* Writes indices in a dictionary, each with the bits that the largest one needs, as one run of
 * groups of eight. */
static void put_places(struct pinsight_parquet *parquet, FILE *out, unsigned column) {
    unsigned char width = 1;

    while (parquet->pieces[column].words.count > (size_t)1 << width)
        width++;
    pinsight_bytes_add(&parquet->page, &width, 1);
    pinsight_bytes_varint(&parquet->page, (uint64_t)(parquet->rows + 7) / 8 << 1 | 1);
    add_packed(parquet, parquet->pieces[column].values, width);
    put_page(parquet, out, PAGE_DATA, parquet->rows, ENCODING_RLE_DICTIONARY);
}

static void put_plain(struct pinsight_parquet *parquet, FILE *out, unsigned column) {
    const int64_t *values = parquet->pieces[column].values;
    size_t width = width_of(&parquet->columns[column]);

    if (parquet->columns[column].type == PINSIGHT_DATA_BOOL)
        add_packed(parquet, values, 1);
    else
        for (uint32_t i = 0; i < parquet->rows; i++)
            add_little_endian(&parquet->page, (uint64_t)values[i], width);
    put_page(parquet, out, PAGE_DATA, parquet->rows, ENCODING_PLAIN);
}

/* ---- the least and the greatest value ---- */

/* Returns a dictionary's number. */
static int64_t number_of(const struct pinsight_parquet_column *column,
                         const struct pinsight_string *word) {
    uint64_t number = 0;

    for (size_t i = 0; i < word->length; i++)
        number |= (uint64_t)(unsigned char)word->text[i] << (8 * i);
    return column->type == PINSIGHT_DATA_I32 ? (int32_t)(uint32_t)number : (int64_t)number;
}

static void write_bounds(struct pinsight_thrift *thrift, const void *least, size_t least_size,
                         const void *greatest, size_t greatest_size) {
    pinsight_thrift_begin(thrift, 12);
    pinsight_thrift_int(thrift, 3, PINSIGHT_THRIFT_I64, 0); /* values that are null */
    pinsight_thrift_bytes(thrift, 5, greatest, greatest_size);
    pinsight_thrift_bytes(thrift, 6, least, least_size);
    pinsight_thrift_end(thrift);
}

/* Writes the bounds of numbers. Those of a dictionary are read through it. */
static void bound_numbers(const struct pinsight_parquet *parquet, unsigned column,
                          struct pinsight_thrift *thrift) {
    const struct pinsight_parquet_column *kind = &parquet->columns[column];
    const struct pinsight_parquet_piece *piece = &parquet->pieces[column];
    int64_t least = INT64_MAX, greatest = INT64_MIN;
    unsigned char bytes[2][8];
    size_t width;

    for (uint32_t i = 0; i < parquet->rows; i++) {
        int64_t value = is_coded(kind) ? number_of(kind, &piece->words.items[piece->values[i]])
                                       : piece->values[i];

        least = value < least ? value : least;
        greatest = value > greatest ? value : greatest;
    }
    width = to_bytes(kind, least, bytes[0]);
    to_bytes(kind, greatest, bytes[1]);
    write_bounds(thrift, bytes[0], width, bytes[1], width);
}

/* Writes the bounds of texts, by the order of their bytes. */
static void bound_texts(const struct pinsight_parquet *parquet, unsigned column,
                        struct pinsight_thrift *thrift) {
    const struct pinsight_parquet_piece *piece = &parquet->pieces[column];
    const struct pinsight_string *least = NULL, *greatest = NULL;

    for (uint32_t i = 0; i < parquet->rows; i++) {
        const struct pinsight_string *word = &piece->words.items[piece->values[i]];

        if (!least || (word != least && strcmp(word->text, least->text) < 0))
            least = word;
        if (!greatest || (word != greatest && strcmp(word->text, greatest->text) > 0))
            greatest = word;
    }
    if (least && least->length <= LONGEST_BOUND && greatest->length <= LONGEST_BOUND)
        write_bounds(thrift, least->text, least->length, greatest->text, greatest->length);
}

/* ---- groups ---- */

/* Writes a piece of a column, and its metadata to `thrift`. Returns its size in bytes. */
static uint64_t put_column(struct pinsight_parquet *parquet, FILE *out, unsigned column,
                           struct pinsight_thrift *thrift) {
    const struct pinsight_parquet_column *kind = &parquet->columns[column];
    uint64_t first = parquet->written, data = first, size;
    bool coded = is_coded(kind);

    if (coded) {
        put_dictionary(parquet, out, column);
        data = parquet->written;
        put_places(parquet, out, column);
    } else {
        put_plain(parquet, out, column);
    }
    size = parquet->written - first;
    pinsight_thrift_begin(thrift, 0);
    pinsight_thrift_int(thrift, 2, PINSIGHT_THRIFT_I64, (int64_t)first);
    pinsight_thrift_begin(thrift, 3);
    pinsight_thrift_int(thrift, 1, PINSIGHT_THRIFT_I32, type_of(kind));
    pinsight_thrift_list(thrift, 2, PINSIGHT_THRIFT_I32, coded ? 2 : 1);
    pinsight_thrift_int_element(thrift, ENCODING_PLAIN);
    if (coded)
        pinsight_thrift_int_element(thrift, ENCODING_RLE_DICTIONARY);
    pinsight_thrift_list(thrift, 3, PINSIGHT_THRIFT_BINARY, 1);
    pinsight_thrift_text_element(thrift, kind->name);
    pinsight_thrift_int(thrift, 4, PINSIGHT_THRIFT_I32, UNCOMPRESSED);
    pinsight_thrift_int(thrift, 5, PINSIGHT_THRIFT_I64, parquet->rows);
    pinsight_thrift_int(thrift, 6, PINSIGHT_THRIFT_I64, (int64_t)size);
    pinsight_thrift_int(thrift, 7, PINSIGHT_THRIFT_I64, (int64_t)size);
    pinsight_thrift_int(thrift, 9, PINSIGHT_THRIFT_I64, (int64_t)data);
    if (coded)
        pinsight_thrift_int(thrift, 11, PINSIGHT_THRIFT_I64, (int64_t)first);
    if (kind->type == PINSIGHT_DATA_TEXT)
        bound_texts(parquet, column, thrift);
    else
        bound_numbers(parquet, column, thrift);
    pinsight_thrift_end(thrift);
    pinsight_thrift_end(thrift);
    return size;
}

void pinsight_parquet_begin(struct pinsight_parquet *parquet, FILE *out) {
    put(parquet, out, "PAR1", 4);
}

void pinsight_parquet_group(struct pinsight_parquet *parquet, FILE *out) {
    struct pinsight_thrift thrift = {.out = &parquet->about};
    uint64_t size = 0;

    if (!parquet->rows)
        return;
    pinsight_thrift_begin(&thrift, 0);
    pinsight_thrift_list(&thrift, 1, PINSIGHT_THRIFT_STRUCT, parquet->count);
    for (unsigned column = 0; column < parquet->count; column++) {
        size += put_column(parquet, out, column, &thrift);
        pinsight_strings_clear(&parquet->pieces[column].words);
    }
    pinsight_thrift_int(&thrift, 2, PINSIGHT_THRIFT_I64, (int64_t)size);
    pinsight_thrift_int(&thrift, 3, PINSIGHT_THRIFT_I64, parquet->rows);
    pinsight_thrift_end(&thrift);
    parquet->groups++;
    parquet->all_rows += parquet->rows;
    parquet->rows = 0;
}

static void write_columns(const struct pinsight_parquet *parquet, struct pinsight_thrift *thrift) {
    pinsight_thrift_list(thrift, 2, PINSIGHT_THRIFT_STRUCT, parquet->count + 1);
    pinsight_thrift_begin(thrift, 0);
    pinsight_thrift_text(thrift, 4, "slice");
    pinsight_thrift_int(thrift, 5, PINSIGHT_THRIFT_I32, parquet->count);
    pinsight_thrift_end(thrift);
    for (unsigned column = 0; column < parquet->count; column++) {
        pinsight_thrift_begin(thrift, 0);
        pinsight_thrift_int(thrift, 1, PINSIGHT_THRIFT_I32, type_of(&parquet->columns[column]));
        pinsight_thrift_int(thrift, 3, PINSIGHT_THRIFT_I32, REQUIRED);
        pinsight_thrift_text(thrift, 4, parquet->columns[column].name);
        if (parquet->columns[column].type == PINSIGHT_DATA_TEXT)
            pinsight_thrift_int(thrift, 6, PINSIGHT_THRIFT_I32, CONVERTED_UTF8);
        pinsight_thrift_end(thrift);
    }
}

/* Writes that the bounds are in the usual order of each type. Readers ignore them without it. */
static void write_orders(const struct pinsight_parquet *parquet, struct pinsight_thrift *thrift) {
    pinsight_thrift_list(thrift, 7, PINSIGHT_THRIFT_STRUCT, parquet->count);
    for (unsigned column = 0; column < parquet->count; column++) {
        pinsight_thrift_begin(thrift, 0);
        pinsight_thrift_begin(thrift, 1);
        pinsight_thrift_end(thrift);
        pinsight_thrift_end(thrift);
    }
}

void pinsight_parquet_finish(struct pinsight_parquet *parquet, FILE *out) {
    struct pinsight_thrift thrift = {.out = &parquet->page};
    size_t size;

    pinsight_parquet_group(parquet, out);
    pinsight_thrift_begin(&thrift, 0);
    pinsight_thrift_int(&thrift, 1, PINSIGHT_THRIFT_I32, 1);
    write_columns(parquet, &thrift);
    pinsight_thrift_int(&thrift, 3, PINSIGHT_THRIFT_I64, (int64_t)parquet->all_rows);
    pinsight_thrift_list(&thrift, 4, PINSIGHT_THRIFT_STRUCT, parquet->groups);
    pinsight_bytes_add(&parquet->page, parquet->about.bytes, parquet->about.size);
    pinsight_thrift_text(&thrift, 6, "PInsight");
    write_orders(parquet, &thrift);
    pinsight_thrift_end(&thrift);
    size = parquet->page.size;
    add_little_endian(&parquet->page, size, 4);
    pinsight_bytes_add(&parquet->page, "PAR1", 4);
    put(parquet, out, parquet->page.bytes, parquet->page.size);
    parquet->page.size = 0;
}
