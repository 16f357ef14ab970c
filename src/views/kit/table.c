/* Finds columns, and their values in a row; see table.h. */
#include "views/kit/table.h"

#include <stdlib.h>
#include <string.h>

static const char *list_of(const struct pinsight_table *table, enum pinsight_form form) {
    switch (form) {
    case PINSIGHT_FORM_SCREEN:
        return table->screen;
    case PINSIGHT_FORM_JSON:
        return table->json ? table->json : table->files;
    default:
        return table->csv ? table->csv : table->files;
    }
}

/* Aborts on a mistake in a table's description: a column that does not exist, or too many
 * columns. */
static void require(bool is_sound) {
    if (!is_sound)
        abort();
}

static bool is_for(const struct pinsight_column *column, enum pinsight_form form) {
    return !column->only || column->only & form;
}

/* Finds the column of a key, in the table or in its inner tables. Several columns may share a key
 * if each is for other printers. */
static bool find(const struct pinsight_table *table, enum pinsight_form form, const char *key,
                 size_t length, struct pinsight_field *field) {
    for (size_t i = 0; i < table->column_count; i++) {
        const struct pinsight_column *column = &table->columns[i];

        if (column->key && !strncmp(column->key, key, length) && !column->key[length] &&
            is_for(column, form)) {
            field->column = column;
            return true;
        }
    }
    for (size_t i = 0; i < table->column_count; i++)
        if (table->columns[i].inner && is_for(&table->columns[i], form)) {
            require(field->depth < sizeof(field->outer) / sizeof(field->outer[0]));
            field->outer[field->depth++] = &table->columns[i];
            if (find(table->columns[i].inner, form, key, length, field))
                return true;
            field->depth--;
        }
    return false;
}

static bool is_shown(const struct pinsight_column *column,
                     const struct pinsight_printing *printing) {
    return column->width <= printing->width && (!column->shown || column->shown(printing->view));
}

static void add(struct pinsight_fields *fields, const struct pinsight_field *field) {
    require(fields->count < sizeof(fields->fields) / sizeof(fields->fields[0]));
    fields->fields[fields->count++] = *field;
}

/* Adds all columns. Inner tables without a key add their own columns. */
static void add_all(const struct pinsight_table *table, enum pinsight_form form,
                    struct pinsight_field outer, struct pinsight_fields *fields) {
    for (size_t i = 0; i < table->column_count; i++) {
        struct pinsight_field field = outer;

        if (!is_for(&table->columns[i], form))
            continue;
        if (table->columns[i].key) {
            field.column = &table->columns[i];
            add(fields, &field);
        } else {
            field.outer[field.depth++] = &table->columns[i];
            add_all(table->columns[i].inner, form, field, fields);
        }
    }
}

struct pinsight_fields pinsight_table_fields(const struct pinsight_table *table,
                                             const struct pinsight_printing *printing,
                                             enum pinsight_form form) {
    struct pinsight_fields fields = {.count = 0};

    const char *list = list_of(table, form);

    if (!list)
        add_all(table, form, (struct pinsight_field){.depth = 0}, &fields);
    for (const char *at = list; at && *at;) {
        size_t length = strcspn(at, " ");
        struct pinsight_field field = {.depth = 0};

        require(find(table, form, at, length, &field));
        if (form != PINSIGHT_FORM_SCREEN || is_shown(field.column, printing))
            add(&fields, &field);
        at += length;
        at += strspn(at, " ");
    }
    return fields;
}

const void *pinsight_table_row(const struct pinsight_table *table,
                               const struct pinsight_printing *printing, struct pinsight_rows rows,
                               size_t index) {
    const void *row = rows.size ? (const char *)rows.first + index * rows.size
                                : ((const void *const *)rows.first)[index];

    return !table->has || table->has(printing->view, row) ? row : NULL;
}

static uint64_t number_at(const char *at, size_t size) {
    union {
        uint8_t byte;
        uint16_t half;
        uint32_t word;
        uint64_t whole;
    } number;

    memcpy(&number, at, size);
    return size == 1   ? number.byte
           : size == 2 ? number.half
           : size == 4 ? number.word
                       : number.whole;
}

struct pinsight_rows pinsight_table_rows(const struct pinsight_table *table, const void *view) {
    const char *at = view;

    if (table->make)
        return table->make(view);
    if (table->inside.size)
        at = *(const char *const *)(at + table->inside.offset);
    if (!at)
        return (struct pinsight_rows){.count = 0};
    return (struct pinsight_rows){
        .first = *(const void *const *)(at + table->array.offset),
        .count = number_at(at + table->count.offset, table->count.size),
        .size = table->row_size,
    };
}

void pinsight_rows_free(struct pinsight_rows rows) {
    if (rows.made)
        free((void *)rows.first);
}

static int64_t signed_at(const char *at, size_t size) {
    int32_t word;
    int64_t whole;

    if (size == sizeof(word)) {
        memcpy(&word, at, size);
        return word;
    }
    memcpy(&whole, at, sizeof(whole));
    return whole;
}

static const void *inner_row(const struct pinsight_column *column, const void *row) {
    const char *at = (const char *)row + column->at.offset;

    return column->pointer ? *(const void *const *)at : at;
}

const void *pinsight_field_row(const struct pinsight_field *field, const void *row) {
    for (unsigned i = 0; row && i < field->depth; i++)
        row = inner_row(field->outer[i], row);
    return row && field->column->inner ? inner_row(field->column, row) : row;
}

static bool lacks(const struct pinsight_column *column, const char *at) {
    return !at || (column->needs.size && !number_at(at + column->needs.offset, column->needs.size));
}

struct pinsight_value pinsight_field_value(const struct pinsight_field *field,
                                           const struct pinsight_printing *printing,
                                           const void *row) {
    const struct pinsight_column *column = field->column;
    const char *at = pinsight_field_row(field, row);
    struct pinsight_value value = {0};

    if (lacks(column, at))
        return pinsight_value_none();
    if (column->get)
        return column->get(printing->view, at);
    at += column->at.offset;
    switch (column->unit) {
    case PINSIGHT_UNIT_SIGNED:
        value.whole = signed_at(at, column->at.size);
        break;
    case PINSIGHT_UNIT_REAL:
    case PINSIGHT_UNIT_DOUBLE:
        memcpy(&value.real, at, sizeof(value.real));
        break;
    case PINSIGHT_UNIT_WORD:
        if (column->word)
            return pinsight_value_text(column->word((unsigned)number_at(at, column->at.size)));
        /* fall through */
    case PINSIGHT_UNIT_TEXT:
    case PINSIGHT_UNIT_STRING:
        return pinsight_value_text(*(const char *const *)at);
    case PINSIGHT_UNIT_TEXT_NUMBER:
    case PINSIGHT_UNIT_STRING_NUMBER:
        return pinsight_value_text(
            pinsight_strings_text(printing->strings, (uint32_t)number_at(at, column->at.size)));
    default:
        value.number = number_at(at, column->at.size);
    }
    return value;
}

bool pinsight_field_is_absent(const struct pinsight_field *field, const void *row) {
    const struct pinsight_member *optional = &field->column->optional;
    const char *at = pinsight_field_row(field, row);

    return optional->size && (!at || !number_at(at + optional->offset, optional->size));
}

struct pinsight_value pinsight_field_part(const struct pinsight_field *field, const void *row,
                                          unsigned part) {
    const struct pinsight_column *column = field->column;
    const char *at = pinsight_field_row(field, row);

    if (lacks(column, at))
        return pinsight_value_none();
    return pinsight_value_number(
        number_at(at + column->at.offset + part * (column->stride ? column->stride : 8), 8));
}
