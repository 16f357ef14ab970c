/* Writes tables as JSON. */
#include "views/kit/table.h"

#include <stdlib.h>

static void write_value(const struct pinsight_column *column, struct pinsight_value value,
                        struct pinsight_json *json) {
    if (value.none) {
        pinsight_json_null(json, column->key);
        return;
    }
    switch (column->unit) {
    case PINSIGHT_UNIT_SIGNED:
        pinsight_json_signed(json, column->key, value.whole);
        break;
    case PINSIGHT_UNIT_REAL:
        pinsight_json_real(json, column->key, value.real);
        break;
    case PINSIGHT_UNIT_DOUBLE:
        pinsight_json_double(json, column->key, value.real);
        break;
    case PINSIGHT_UNIT_BOOL:
        pinsight_json_bool(json, column->key, value.number);
        break;
    case PINSIGHT_UNIT_TEXT:
    case PINSIGHT_UNIT_TEXT_NUMBER:
        pinsight_json_text(json, column->key, value.text);
        break;
    case PINSIGHT_UNIT_STRING:
    case PINSIGHT_UNIT_WORD:
    case PINSIGHT_UNIT_STRING_NUMBER:
        pinsight_json_string(json, column->key, value.text);
        break;
    default:
        pinsight_json_unsigned(json, column->key, value.number);
    }
    free(value.owned);
}

static void write_parts(const struct pinsight_field *field, const void *row,
                        struct pinsight_json *json) {
    pinsight_json_open(json, field->column->key, '{');
    for (unsigned part = 0; part < field->column->parts; part++)
        pinsight_json_unsigned(json, field->column->word(part),
                               pinsight_field_part(field, row, part).number);
    pinsight_json_close(json, '}');
}

static void write_fields(const struct pinsight_fields *fields,
                         const struct pinsight_printing *printing, const void *row,
                         struct pinsight_json *json) {
    for (size_t f = 0; f < fields->count; f++) {
        const struct pinsight_field *field = &fields->fields[f];
        const struct pinsight_column *column = field->column;

        if (pinsight_field_is_absent(field, row))
            continue;
        if (column->write)
            column->write(json, printing, pinsight_field_row(field, row));
        else if (column->inner)
            pinsight_row_json(column->inner, printing, pinsight_field_row(field, row), column->key,
                              json);
        else if (column->parts)
            write_parts(field, row, json);
        else
            write_value(column, pinsight_field_value(field, printing, row), json);
    }
}

void pinsight_row_members(const struct pinsight_table *table,
                          const struct pinsight_printing *printing, const void *row,
                          struct pinsight_json *json) {
    struct pinsight_fields fields = pinsight_table_fields(table, printing, PINSIGHT_FORM_JSON);

    write_fields(&fields, printing, row, json);
}

void pinsight_row_json(const struct pinsight_table *table, const struct pinsight_printing *printing,
                       const void *row, const char *key, struct pinsight_json *json) {
    if (!row) {
        pinsight_json_null(json, key);
        return;
    }
    pinsight_json_open(json, key, '{');
    pinsight_row_members(table, printing, row, json);
    pinsight_json_close(json, '}');
}

void pinsight_table_json(const struct pinsight_table *table,
                         const struct pinsight_printing *printing, struct pinsight_rows rows,
                         size_t limit, struct pinsight_json *json) {
    struct pinsight_fields fields = pinsight_table_fields(table, printing, PINSIGHT_FORM_JSON);
    size_t shown = 0;

    pinsight_json_open(json, table->key, '[');
    for (size_t i = 0; i < rows.count && (!limit || shown < limit); i++) {
        const void *row = pinsight_table_row(table, printing, rows, i);

        if (!row)
            continue;
        shown++;
        pinsight_json_open(json, NULL, '{');
        write_fields(&fields, printing, row, json);
        pinsight_json_close(json, '}');
    }
    pinsight_json_close(json, ']');
}
