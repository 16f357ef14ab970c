/* Writes tables as CSV (RFC 4180). */
#include "views/kit/table.h"

#include "base/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Returns what stands behind characters that some spreadsheets ignore before a formula. */
static const char *behind_blanks(const char *text) {
    static const char *const blanks[] = {" ", "\n", "\v", "\f", "\u00a0", "\u200b", "\ufeff"};
    const size_t count = sizeof(blanks) / sizeof(blanks[0]);

    for (size_t i = 0; i < count;) {
        bool is_blank = strncmp(text, blanks[i], strlen(blanks[i])) == 0;
        text += is_blank ? strlen(blanks[i]) : 0;
        i = is_blank ? 0 : i + 1;
    }
    return text;
}

bool pinsight_csv_is_formula(const char *text) {
    static const char *const begins[] = {"=", "+", "-", "@", "\t", "\r",
                                         /* the same characters in full width */
                                         "\uff1d", "\uff0b", "\uff0d", "\uff20"};

    text = behind_blanks(text);
    for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
        if (strncmp(text, begins[i], strlen(begins[i])) == 0)
            return true;
    return false;
}

void pinsight_csv_quote(FILE *out, char *text) {
    putc('"', out);
    if (pinsight_csv_is_formula(text))
        putc('\'', out);
    for (const char *at = text; *at; at++) {
        if (*at == '"')
            putc('"', out);
        putc(*at, out);
    }
    putc('"', out);
    free(text);
}

static void write_value(FILE *out, const struct pinsight_column *column,
                        struct pinsight_value value) {
    if (value.none)
        return;
    switch (column->unit) {
    case PINSIGHT_UNIT_SIGNED:
        fprintf(out, "%" PRId64, value.whole);
        break;
    case PINSIGHT_UNIT_REAL:
        fprintf(out, "%.4f", value.real);
        break;
    case PINSIGHT_UNIT_DOUBLE:
        if (isfinite(value.real))
            fprintf(out, "%.17g", value.real);
        break;
    case PINSIGHT_UNIT_WORD:
        fputs(value.text, out);
        break;
    case PINSIGHT_UNIT_TEXT:
    case PINSIGHT_UNIT_STRING:
    case PINSIGHT_UNIT_TEXT_NUMBER:
    case PINSIGHT_UNIT_STRING_NUMBER:
        /* Bytes outside UTF-8 and control characters become \xNN, so that a terminal can show the
         * file. */
        pinsight_csv_quote(out, pinsight_text_clean(value.text));
        break;
    default:
        fprintf(out, "%" PRIu64, value.number);
    }
    free(value.owned);
}

static void write_head(FILE *out, const struct pinsight_fields *fields) {
    for (size_t f = 0; f < fields->count; f++) {
        const struct pinsight_column *column = fields->fields[f].column;

        if (!column->parts)
            fprintf(out, "%s%s", f ? "," : "", column->key);
        for (unsigned part = 0; part < column->parts; part++)
            fprintf(out, "%s%s%s_ns", f || part ? "," : "", column->part_prefix,
                    column->word(part));
    }
    fputs("\r\n", out);
}

static void write_row(FILE *out, const struct pinsight_fields *fields,
                      const struct pinsight_printing *printing, const void *row) {
    for (size_t f = 0; f < fields->count; f++) {
        const struct pinsight_field *field = &fields->fields[f];

        if (f)
            putc(',', out);
        if (!field->column->parts)
            write_value(out, field->column, pinsight_field_value(field, printing, row));
        for (unsigned part = 0; part < field->column->parts; part++)
            fprintf(out, "%s%" PRIu64, part ? "," : "",
                    pinsight_field_part(field, row, part).number);
    }
    fputs("\r\n", out);
}

void pinsight_table_csv(const struct pinsight_table *table,
                        const struct pinsight_printing *printing, struct pinsight_rows rows,
                        size_t limit, FILE *out, bool head) {
    struct pinsight_fields fields = pinsight_table_fields(table, printing, PINSIGHT_FORM_CSV);
    size_t shown = 0;

    if (head)
        write_head(out, &fields);
    for (size_t i = 0; i < rows.count && (!limit || shown < limit); i++) {
        const void *row = pinsight_table_row(table, printing, rows, i);

        if (row)
            write_row(out, &fields, printing, row);
        shown += row != NULL;
    }
}
