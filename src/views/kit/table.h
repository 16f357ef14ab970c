/* Tables as data. A column is described once: its key, its unit, where its value is in a row, and
 * how it stands on a screen. The three printers below make a table on a screen, a list in JSON or
 * CSV (RFC 4180) of the same columns. None of the functions is thread-safe. */
#ifndef PINSIGHT_VIEWS_KIT_TABLE_H
#define PINSIGHT_VIEWS_KIT_TABLE_H

#include "base/grid.h"
#include "base/json.h"
#include "base/strings.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* What a value is: how it is stored in the row, and how each printer writes it. */
enum pinsight_unit {
    PINSIGHT_UNIT_COUNT,  /* unsigned; on a screen with its thousands apart */
    PINSIGHT_UNIT_NS,     /* unsigned, nanoseconds */
    PINSIGHT_UNIT_BYTES,  /* unsigned */
    PINSIGHT_UNIT_ID,     /* unsigned; the same digits everywhere */
    PINSIGHT_UNIT_SIGNED, /* likewise, signed */
    PINSIGHT_UNIT_REAL,
    PINSIGHT_UNIT_BOOL,
    PINSIGHT_UNIT_SHARE,  /* of a getter, on a screen: a part of a whole, in percent */
    PINSIGHT_UNIT_TEXT,   /* const char *; in JSON null where it is empty */
    PINSIGHT_UNIT_STRING, /* const char *; in JSON a string even where it is empty */
    PINSIGHT_UNIT_WORD, /* likewise, one of this program's words: CSV has no quotes around it. With
                           pinsight_column.word a number that stands for one */
    /* uint32_t, the number of a string of the trace: as a text, and as a string. */
    PINSIGHT_UNIT_TEXT_NUMBER,
    PINSIGHT_UNIT_STRING_NUMBER,
};

/* Where a member is in a structure. A size of 0 is no member. */
struct pinsight_member {
    uint16_t offset, size;
};

#define MEMBER(type, member)                                                                       \
    { offsetof(type, member), sizeof(((type *)NULL)->member) }

struct pinsight_value {
    bool none; /* there is no value: null in JSON, nothing in CSV */
    union {
        uint64_t number;
        int64_t whole;
        double real;
        const char *text;
    };
    uint64_t of; /* of a share: what number is a part of */
    char *owned; /* the text where it was made for this value: clean, and freed by the printer */
};

/* What the rows of a table are printed with. */
struct pinsight_printing {
    const void *view;                       /* passed to getters, such as a report */
    const struct pinsight_strings *strings; /* the trace's, for units that are numbers of them */
    bool colour;
    unsigned width; /* columns of the screen */
};

/* The printers, as bits of pinsight_column.only. */
enum pinsight_form {
    PINSIGHT_FORM_SCREEN = 1,
    PINSIGHT_FORM_JSON = 2,
    PINSIGHT_FORM_CSV = 4,
};

struct pinsight_column {
    const char *key;  /* its name in the lists of a table; the key in JSON, the head in CSV */
    const char *head; /* over the column on a screen */
    enum pinsight_unit unit;
    struct pinsight_member at;    /* the value, in the row */
    struct pinsight_member needs; /* there is no value where this number, in the row, is 0 */
    /* `at` is another structure, or where `pointer` is set a pointer to one, which may be NULL. Its
     * columns are columns of this table too. With a key they are an object in JSON as well. */
    const struct pinsight_table *inner;
    bool pointer;
    struct pinsight_member optional; /* in JSON excluded where this number, in the row, is 0 */
    /* The value, instead of `at`. */
    struct pinsight_value (*get)(const void *view, const void *row);
    /* Writes the member of a JSON object, key included, where it is an object or a list. */
    void (*write)(struct pinsight_json *json, const struct pinsight_printing *printing,
                  const void *row);
    /* What the number at `at` means, where the unit is a word. Or `at` is an array of `parts`
     * numbers, nanoseconds, with a word for each index: in JSON an object of them, in CSV a column
     * each, whose head is part_prefix, the word and "_ns". */
    const char *(*word)(unsigned number);
    unsigned parts, stride; /* from one number to the next, in bytes; 0: they are an array */
    const char *part_prefix;
    /* Parts on a screen: the head of each, and whether it is there. */
    const char *(*part_head)(unsigned index);
    bool (*part_shown)(const void *view, unsigned index);
    unsigned only; /* printers that it is for; 0: all that name it */
    /* On a screen. */
    bool (*shown)(const void *view); /* the column is there; NULL: always */
    unsigned width;                  /* it is excluded where the screen has fewer columns */
    enum pinsight_align align;
    enum pinsight_style style;
    const char *none; /* in the place of no value; NULL: "-" of a number, else nothing */
};

/* Short names, because tables are lists of these. An element of an array of columns: what follows
 * the four is .name = value. */
#define COLUMN(name, over, of_unit, member, ...)                                                   \
    { .key = name, .head = over, .unit = PINSIGHT_UNIT_##of_unit, .at = member, __VA_ARGS__ }
#define GETTER(name, over, of_unit, function, ...)                                                 \
    { .key = name, .head = over, .unit = PINSIGHT_UNIT_##of_unit, .get = function, __VA_ARGS__ }
/* What only other programs are given: a member under its own name; and up to six members of one
 * unit. `of` is a macro like MEMBER that knows the type. */
#define FIELD(of_unit, of, name)                                                                   \
    { .key = #name, .unit = PINSIGHT_UNIT_##of_unit, .at = of(name) }
#define FIELDS(of_unit, of, ...)                                                                   \
    FIELDS_OF(__VA_ARGS__, FIELDS_6, FIELDS_5, FIELDS_4, FIELDS_3, FIELDS_2, )                     \
    (of_unit, of, __VA_ARGS__)
#define FIELDS_OF(a, b, c, d, e, f, fields, ...) fields
#define FIELDS_2(unit, of, a, b) FIELD(unit, of, a), FIELD(unit, of, b)
#define FIELDS_3(unit, of, a, ...) FIELD(unit, of, a), FIELDS_2(unit, of, __VA_ARGS__)
#define FIELDS_4(unit, of, a, ...) FIELD(unit, of, a), FIELDS_3(unit, of, __VA_ARGS__)
#define FIELDS_5(unit, of, a, ...) FIELD(unit, of, a), FIELDS_4(unit, of, __VA_ARGS__)
#define FIELDS_6(unit, of, a, ...) FIELD(unit, of, a), FIELDS_5(unit, of, __VA_ARGS__)
/* A column of names or places, which is shortened where the screen ends, in a style. */
#define NAMES_IN(of_style) .align = PINSIGHT_FLEXIBLE, .style = PINSIGHT_##of_style
#define WRITER(name, function)                                                                     \
    { .key = name, .write = function }
#define INNER(name, of_table, member, ...)                                                         \
    { .key = name, .inner = of_table, .at = member, __VA_ARGS__ }

/* A kind of table. The lists name columns by their keys, with blanks between them, in the order of
 * the form. A table that has a list for none of its forms is inner to others, or has all columns in
 * JSON. */
struct pinsight_table {
    const char *title, *remark; /* above it on a screen; remark NULL: how the rows are sorted */
    bool empty;                 /* on a screen it has its title and heads without rows, too */
    const char *key;            /* of the list in JSON */
    const struct pinsight_column *columns;
    size_t column_count;
    const char *screen, *json, *csv;
    const char *files; /* the list of JSON and of CSV, where these have none of their own */
    unsigned whole;    /* printers that print all rows of a report, whatever the limit */
    /* Where a view has the rows: an array, its count, and the size of a row; `inside` is a pointer
     * in the view to the structure that has them, which may be NULL. With a row_size of 0 the array
     * has pointers to rows. */
    struct pinsight_member inside, array, count;
    size_t row_size;
    /* Makes the rows instead; see PINSIGHT_MADE_ROWS. */
    struct pinsight_rows (*make)(const void *view);
    bool (*has)(const void *view, const void *row); /* the row is in the table; NULL: all are */
};

#define PINSIGHT_COLUMNS(list) .columns = (list), .column_count = sizeof(list) / sizeof((list)[0])
/* The same of a list in JSON; and of one that is on a screen, too, beneath a title. */
#define PINSIGHT_LIST(of_key, list) .key = of_key, PINSIGHT_COLUMNS(list)
#define PINSIGHT_TITLED(of_title, of_remark, of_key, list)                                         \
    .title = of_title, .remark = of_remark, PINSIGHT_LIST(of_key, list)

/* The rows of a view in its member `array`; and in a structure that the view has a pointer to. */
#define PINSIGHT_ROWS_IN(type, rows_of, count_of)                                                  \
    .array = MEMBER(type, rows_of), .count = MEMBER(type, count_of),                               \
    .row_size = sizeof(*((type *)NULL)->rows_of)
#define PINSIGHT_POINTERS_INSIDE(type, member_of, inner, rows_of, count_of)                        \
    .inside = MEMBER(type, member_of), .array = MEMBER(inner, rows_of),                            \
    .count = MEMBER(inner, count_of)
#define PINSIGHT_ROWS_INSIDE(type, member_of, inner, rows_of, count_of)                            \
    .inside = MEMBER(type, member_of), PINSIGHT_ROWS_IN(inner, rows_of, count_of)

/* Rows in an array: structures of a size, or, with a size of 0, pointers to them. */
struct pinsight_rows {
    const void *first;
    size_t count, size;
    bool made; /* pinsight_rows_free frees the array */
};

#define PINSIGHT_ROWS(array, row_count)                                                            \
    ((struct pinsight_rows){.first = (array), .count = (row_count), .size = sizeof(*(array))})
#define PINSIGHT_ROW_POINTERS(array, row_count)                                                    \
    ((struct pinsight_rows){.first = (array), .count = (row_count), .size = 0})
#define PINSIGHT_MADE_ROWS(array, row_count)                                                       \
    ((struct pinsight_rows){                                                                       \
        .first = (array), .count = (row_count), .size = sizeof(*(array)), .made = true})
#define PINSIGHT_MADE_POINTERS(array, row_count)                                                   \
    ((struct pinsight_rows){.first = (array), .count = (row_count), .size = 0, .made = true})

static inline struct pinsight_value pinsight_value_none(void) {
    return (struct pinsight_value){.none = true};
}

static inline struct pinsight_value pinsight_value_number(uint64_t number) {
    return (struct pinsight_value){.number = number};
}

static inline struct pinsight_value pinsight_value_signed(int64_t number) {
    return (struct pinsight_value){.whole = number};
}

static inline struct pinsight_value pinsight_value_share(uint64_t part, uint64_t whole) {
    return (struct pinsight_value){.number = part, .of = whole};
}

static inline struct pinsight_value pinsight_value_text(const char *text) {
    return (struct pinsight_value){.none = !text, .text = text};
}

/* Takes over a clean text; NULL is no value. */
static inline struct pinsight_value pinsight_value_owned(char *text) {
    return (struct pinsight_value){.none = !text, .text = text, .owned = text};
}

/* The rows of a table that says where they are, or makes them; to be passed to pinsight_rows_free.
 */
struct pinsight_rows pinsight_table_rows(const struct pinsight_table *table, const void *view);

/* Frees the array where it was made; the rows themselves own nothing. */
void pinsight_rows_free(struct pinsight_rows rows);

/* Print at most limit rows; 0 is all. A table on a screen has a line of heads; CSV has one where
 * head is true; JSON is a list under the table's key. */
void pinsight_table_screen(const struct pinsight_table *table,
                           const struct pinsight_printing *printing, struct pinsight_rows rows,
                           size_t limit, FILE *out);
void pinsight_table_json(const struct pinsight_table *table,
                         const struct pinsight_printing *printing, struct pinsight_rows rows,
                         size_t limit, struct pinsight_json *json);
void pinsight_table_csv(const struct pinsight_table *table,
                        const struct pinsight_printing *printing, struct pinsight_rows rows,
                        size_t limit, FILE *out, bool head);

/* A text in quotes, which is freed. One that a spreadsheet would take for a formula gets an
 * apostrophe before it: names are the program's, and anybody may have made the trace. */
void pinsight_csv_quote(FILE *out, char *text);

/* Whether it begins as a formula does. */
bool pinsight_csv_is_formula(const char *text);

/* A row as an object, under a key or, where that is NULL, in a list; and the members of that object
 * alone. */
void pinsight_row_json(const struct pinsight_table *table, const struct pinsight_printing *printing,
                       const void *row, const char *key, struct pinsight_json *json);
void pinsight_row_members(const struct pinsight_table *table,
                          const struct pinsight_printing *printing, const void *row,
                          struct pinsight_json *json);

/* For the printers: a column, and the columns of outer tables that lead to the structure that it is
 * in. */
struct pinsight_field {
    const struct pinsight_column *column;
    const struct pinsight_column *outer[4];
    unsigned depth;
};

struct pinsight_fields {
    struct pinsight_field fields[48];
    size_t count;
};

/* The columns of a form in their order. */
struct pinsight_fields pinsight_table_fields(const struct pinsight_table *table,
                                             const struct pinsight_printing *printing,
                                             enum pinsight_form form);

/* The row of an index, or NULL where it is not in the table. */
const void *pinsight_table_row(const struct pinsight_table *table,
                               const struct pinsight_printing *printing, struct pinsight_rows rows,
                               size_t index);

/* The structure that a field's column is in, or NULL where the row has none. */
const void *pinsight_field_row(const struct pinsight_field *field, const void *row);

/* The value in a row of the table; an owned text is the caller's to free. */
struct pinsight_value pinsight_field_value(const struct pinsight_field *field,
                                           const struct pinsight_printing *printing,
                                           const void *row);

/* Whether the field is excluded from a row's JSON. */
bool pinsight_field_is_absent(const struct pinsight_field *field, const void *row);

/* The number of a part, where the field's column has parts; none as with a value. */
struct pinsight_value pinsight_field_part(const struct pinsight_field *field, const void *row,
                                          unsigned part);

#endif
