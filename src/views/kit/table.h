/* Tables as data. A column is described once: its key, its unit, its value's place in a row, and
 * its looks on a screen. Three printers write a table on a screen, a list in JSON, or CSV (RFC
 * 4180) from the same columns. No function here is thread-safe. */
#ifndef PINSIGHT_VIEWS_KIT_TABLE_H
#define PINSIGHT_VIEWS_KIT_TABLE_H

#include "base/grid.h"
#include "base/json.h"
#include "base/strings.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The unit of a value: how the row stores the value, and how each printer writes it. The order
 * matters: table_screen.c takes units up to BYTES for measures, and units from TEXT on for text. */
enum pinsight_unit {
    PINSIGHT_UNIT_COUNT,  /* unsigned; with separated thousands on a screen */
    PINSIGHT_UNIT_NS,     /* unsigned, nanoseconds */
    PINSIGHT_UNIT_BYTES,  /* unsigned */
    PINSIGHT_UNIT_ID,     /* unsigned; all printers write the same digits */
    PINSIGHT_UNIT_SIGNED, /* like PINSIGHT_UNIT_ID, but signed */
    PINSIGHT_UNIT_REAL,   /* double, with a fixed number of digits after the point */
    PINSIGHT_UNIT_DOUBLE, /* double of any size; with all digits except on a screen. In JSON null,
                             and in CSV empty, if it is not finite */
    PINSIGHT_UNIT_BOOL,
    PINSIGHT_UNIT_SHARE,  /* in percent on a screen; only a getter returns it */
    PINSIGHT_UNIT_TEXT,   /* const char *; in JSON null if it is empty */
    PINSIGHT_UNIT_STRING, /* const char *; in JSON a string even if it is empty */
    PINSIGHT_UNIT_WORD,   /* one of this program's words, as const char *; unquoted in CSV. With
                             pinsight_column.word, a number that stands for a word */
    /* uint32_t, a string number of the trace. Written like a TEXT, and like a STRING. */
    PINSIGHT_UNIT_TEXT_NUMBER,
    PINSIGHT_UNIT_STRING_NUMBER,
};

/* The place of a member in a structure, in bytes. A size of 0 means that there is no member. */
struct pinsight_member {
    uint16_t offset, size;
};

#define MEMBER(type, member)                                                                       \
    { offsetof(type, member), sizeof(((type *)NULL)->member) }

struct pinsight_value {
    bool none; /* there is no value: null in JSON, empty in CSV */
    union {
        uint64_t number;
        int64_t whole;
        double real;
        const char *text;
    };
    bool at_least; /* a count is marked on a screen, because there were more */
    uint64_t of;   /* the whole that a share is a part of */
    char *owned;   /* the text if it was made for this value: clean, and freed by the printer */
};

/* The surroundings of a table's rows. */
struct pinsight_printing {
    const void *view;                       /* passed to getters, such as a report */
    const struct pinsight_strings *strings; /* of the trace */
    bool colour;
    unsigned width; /* of the screen, in columns */
};

/* The printers, as bits of pinsight_column.only. */
enum pinsight_form {
    PINSIGHT_FORM_SCREEN = 1,
    PINSIGHT_FORM_JSON = 2,
    PINSIGHT_FORM_CSV = 4,
};

struct pinsight_column {
    const char *key;  /* names the column in a table's lists; the key in JSON, the head in CSV */
    const char *head; /* the head of the column on a screen */
    enum pinsight_unit unit;
    struct pinsight_member at;    /* the value's place in the row */
    struct pinsight_member needs; /* there is no value if this number of the row is 0 */
    /* The column is a structure with columns of its own, which belong to this table, too. `at` is
     * the structure, or a pointer to it if `pointer` is set. The pointer may be NULL. If the column
     * has a key, the structure is an object in JSON. */
    const struct pinsight_table *inner;
    bool pointer;
    struct pinsight_member optional; /* left out of JSON if this number of the row is 0 */
    /* Returns the value, in place of `at`. */
    struct pinsight_value (*get)(const void *view, const void *row);
    /* Writes the member of a JSON object with its key, if the member is an object or a list. */
    void (*write)(struct pinsight_json *json, const struct pinsight_printing *printing,
                  const void *row);
    /* Returns the word of a number, if the unit is a word. With `parts`, `at` is an array of
     * numbers in ns, and each index has a word. The parts are an object in JSON. In CSV each part
     * is a column, and part_prefix, the word and "_ns" make its head. */
    const char *(*word)(unsigned number);
    unsigned parts, stride; /* distance between two numbers in bytes; 0: the numbers are adjacent */
    const char *part_prefix;
    /* For parts on a screen: returns the head of a part, and whether the part is shown. */
    const char *(*part_head)(unsigned index);
    bool (*part_shown)(const void *view, unsigned index);
    unsigned only; /* printers that write the column; 0: all that name it */
    /* For a screen. */
    bool (*shown)(const void *view); /* returns whether the column is shown; NULL: always */
    unsigned width;                  /* least width of the screen that shows the column */
    enum pinsight_align align;
    enum pinsight_style style;
    const char *none; /* shown in place of a missing value; NULL: "-" for a number, "" for a text */
};

/* Short forms of the elements in an array of columns. The arguments after the first four have the
 * form .name = value. */
#define COLUMN(name, over, of_unit, member, ...)                                                   \
    { .key = name, .head = over, .unit = PINSIGHT_UNIT_##of_unit, .at = member, __VA_ARGS__ }
#define GETTER(name, over, of_unit, function, ...)                                                 \
    { .key = name, .head = over, .unit = PINSIGHT_UNIT_##of_unit, .get = function, __VA_ARGS__ }
/* Columns that only other programs get. FIELD names one member by its own name, FIELDS names up to
 * six members of one unit. `of` is a macro like MEMBER that knows the structure. */
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
/* The style of a column with names or places, which is shortened if the screen is too narrow. */
#define NAMES_IN(of_style) .align = PINSIGHT_FLEXIBLE, .style = PINSIGHT_##of_style
#define WRITER(name, function)                                                                     \
    { .key = name, .write = function }
#define INNER(name, of_table, member, ...)                                                         \
    { .key = name, .inner = of_table, .at = member, __VA_ARGS__ }

/* A kind of table. The lists `screen`, `json`, `csv` and `files` have keys of columns, separated by
 * blanks, in the order of the form. A table without any list is inner to other tables, or has all
 * columns in JSON. */
struct pinsight_table {
    /* Both are written above the table on a screen. If remark is NULL, the order of the rows is. */
    const char *title, *remark;
    bool empty;      /* an empty table still has its title and heads on a screen */
    const char *key; /* of the list in JSON */
    const struct pinsight_column *columns;
    size_t column_count;
    const char *screen, *json, *csv;
    const char *files; /* the list for JSON and CSV, unless `json` or `csv` is set */
    unsigned whole;    /* printers that write all rows of a report, without the limit */
    /* The place of the rows in a view: an array, its count, and the size of a row in bytes.
     * `inside` is a pointer in the view to the structure that has the array, and may be NULL. With
     * a row_size of 0, the array has pointers to rows. */
    struct pinsight_member inside, array, count;
    size_t row_size;
    /* Makes the rows, in place of the array; see PINSIGHT_MADE_ROWS. */
    struct pinsight_rows (*make)(const void *view);
    /* Returns whether a row is in the table; NULL: all rows are. */
    bool (*has)(const void *view, const void *row);
};

#define PINSIGHT_COLUMNS(list) .columns = (list), .column_count = sizeof(list) / sizeof((list)[0])
/* The parts of a table that is a list in JSON, and of one that is shown on a screen, too. */
#define PINSIGHT_LIST(of_key, list) .key = of_key, PINSIGHT_COLUMNS(list)
#define PINSIGHT_TITLED(of_title, of_remark, of_key, list)                                         \
    .title = of_title, .remark = of_remark, PINSIGHT_LIST(of_key, list)

/* The rows of a table: in an array of the view, or in a structure that the view points to. */
#define PINSIGHT_ROWS_IN(type, rows_of, count_of)                                                  \
    .array = MEMBER(type, rows_of), .count = MEMBER(type, count_of),                               \
    .row_size = sizeof(*((type *)NULL)->rows_of)
#define PINSIGHT_POINTERS_INSIDE(type, member_of, inner, rows_of, count_of)                        \
    .inside = MEMBER(type, member_of), .array = MEMBER(inner, rows_of),                            \
    .count = MEMBER(inner, count_of)
#define PINSIGHT_ROWS_INSIDE(type, member_of, inner, rows_of, count_of)                            \
    .inside = MEMBER(type, member_of), PINSIGHT_ROWS_IN(inner, rows_of, count_of)

/* Rows in an array. The array has structures of `size` bytes, or pointers to the rows if `size` is
 * 0. */
struct pinsight_rows {
    const void *first;
    size_t count, size;
    bool made; /* pinsight_rows_free() frees the array */
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

/* Takes over a clean text. NULL becomes a missing value. */
static inline struct pinsight_value pinsight_value_owned(char *text) {
    return (struct pinsight_value){.none = !text, .text = text, .owned = text};
}

/* Returns the rows of a table in a view. The caller passes them to pinsight_rows_free(). */
struct pinsight_rows pinsight_table_rows(const struct pinsight_table *table, const void *view);

/* Frees an array that was made for the rows. Rows own nothing themselves. */
void pinsight_rows_free(struct pinsight_rows rows);

/* Write at most `limit` rows, or all if it is 0. On a screen, heads stand above the rows. CSV has a
 * line of heads if `head` is set. JSON is a list under the table's key. */
void pinsight_table_screen(const struct pinsight_table *table,
                           const struct pinsight_printing *printing, struct pinsight_rows rows,
                           size_t limit, FILE *out);
void pinsight_table_json(const struct pinsight_table *table,
                         const struct pinsight_printing *printing, struct pinsight_rows rows,
                         size_t limit, struct pinsight_json *json);
void pinsight_table_csv(const struct pinsight_table *table,
                        const struct pinsight_printing *printing, struct pinsight_rows rows,
                        size_t limit, FILE *out, bool head);

/* Writes a text in quotes, and frees it. A text that a spreadsheet would take for a formula gets
 * an apostrophe before it. Names come from the traced program, and a trace may come from a
 * stranger. */
void pinsight_csv_quote(FILE *out, char *text);

/* Returns whether a text begins like a formula, behind blanks. */
bool pinsight_csv_is_formula(const char *text);

/* Write a row as an object, and the members of that object alone. With a NULL key, the object is an
 * element of a list. */
void pinsight_row_json(const struct pinsight_table *table, const struct pinsight_printing *printing,
                       const void *row, const char *key, struct pinsight_json *json);
void pinsight_row_members(const struct pinsight_table *table,
                          const struct pinsight_printing *printing, const void *row,
                          struct pinsight_json *json);

/* Used by the printers: a column with the columns of outer tables that lead to its structure. */
struct pinsight_field {
    const struct pinsight_column *column;
    const struct pinsight_column *outer[4];
    unsigned depth;
};

struct pinsight_fields {
    struct pinsight_field fields[48];
    size_t count;
};

/* Returns the columns of a form, in their order. */
struct pinsight_fields pinsight_table_fields(const struct pinsight_table *table,
                                             const struct pinsight_printing *printing,
                                             enum pinsight_form form);

/* Returns a row by its index, or NULL if the row is not in the table. */
const void *pinsight_table_row(const struct pinsight_table *table,
                               const struct pinsight_printing *printing, struct pinsight_rows rows,
                               size_t index);

/* Returns the structure of a field's column, or NULL if the row lacks it. */
const void *pinsight_field_row(const struct pinsight_field *field, const void *row);

/* Returns the field's value in a row of the table. The caller frees `owned`. */
struct pinsight_value pinsight_field_value(const struct pinsight_field *field,
                                           const struct pinsight_printing *printing,
                                           const void *row);

/* Returns whether the field is left out of a row's JSON. */
bool pinsight_field_is_absent(const struct pinsight_field *field, const void *row);

/* Returns one part of a column with parts, or no value as pinsight_field_value() does. */
struct pinsight_value pinsight_field_part(const struct pinsight_field *field, const void *row,
                                          unsigned part);

#endif
