/* Writes tables on a screen. */
#include "views/kit/table.h"

#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"

#include <inttypes.h>

static bool is_text(enum pinsight_unit unit) {
    return unit >= PINSIGHT_UNIT_TEXT;
}

/* Returns the text of a cell, safe for a terminal. The caller frees it. */
static char *text_of(const struct pinsight_column *column, struct pinsight_value value) {

    if (value.none)
        return pinsight_strdup(column->none ? column->none : is_text(column->unit) ? "" : "-");
    switch (column->unit) {
    case PINSIGHT_UNIT_COUNT:
        return pinsight_format("%s%s", value.at_least ? "≥" : "",
                               pinsight_units_count(value.number).text);
    case PINSIGHT_UNIT_NS:
        return pinsight_strdup(pinsight_units_time(value.number).text);
    case PINSIGHT_UNIT_BYTES:
        return pinsight_strdup(pinsight_units_size(value.number).text);
    case PINSIGHT_UNIT_SHARE:
        return pinsight_strdup(pinsight_units_percent(value.number, value.of).text);
    case PINSIGHT_UNIT_ID:
        return pinsight_format("%" PRIu64, value.number);
    case PINSIGHT_UNIT_SIGNED:
        return pinsight_format("%" PRId64, value.whole);
    case PINSIGHT_UNIT_REAL:
        return pinsight_format("%.2f", value.real);
    case PINSIGHT_UNIT_DOUBLE:
        return pinsight_format("%.6g", value.real);
    case PINSIGHT_UNIT_BOOL:
        return pinsight_strdup(value.number ? "yes" : "no");
    default:
        return value.owned ? value.owned : pinsight_text_clean(value.text);
    }
}

/* Columns of numbers that identify a row are left out last on a narrow screen. */
static enum pinsight_align align_of(const struct pinsight_column *column) {
    bool is_measure = column->unit <= PINSIGHT_UNIT_BYTES || column->unit == PINSIGHT_UNIT_REAL ||
                      column->unit == PINSIGHT_UNIT_DOUBLE || column->unit == PINSIGHT_UNIT_SHARE;

    return column->align || is_measure ? column->align : PINSIGHT_RIGHT_KEPT;
}

static bool has_part(const struct pinsight_column *column, const void *view, unsigned part) {
    return !column->part_shown || column->part_shown(view, part);
}

static void add_heads(struct pinsight_grid *grid, const struct pinsight_column *column,
                      const void *view) {
    if (!column->parts)
        pinsight_grid_column(grid, column->head, align_of(column), column->style);
    for (unsigned part = 0; part < column->parts; part++)
        if (has_part(column, view, part))
            pinsight_grid_column(grid, column->part_head(part), align_of(column), column->style);
}

static void add_cells(struct pinsight_grid *grid, const struct pinsight_field *field,
                      const struct pinsight_printing *printing, const void *row) {
    const struct pinsight_column *column = field->column;

    if (!column->parts)
        pinsight_grid_cell(grid, text_of(column, pinsight_field_value(field, printing, row)));
    for (unsigned part = 0; part < column->parts; part++)
        if (has_part(column, printing->view, part))
            pinsight_grid_cell(grid, text_of(column, pinsight_field_part(field, row, part)));
}

void pinsight_table_screen(const struct pinsight_table *table,
                           const struct pinsight_printing *printing, struct pinsight_rows rows,
                           size_t limit, FILE *out) {
    struct pinsight_fields fields = pinsight_table_fields(table, printing, PINSIGHT_FORM_SCREEN);
    struct pinsight_grid grid = {.colour = printing->colour, .width = printing->width};
    size_t shown = 0;

    for (size_t f = 0; f < fields.count; f++)
        add_heads(&grid, fields.fields[f].column, printing->view);
    for (size_t i = 0; i < rows.count && (!limit || shown < limit); i++) {
        const void *row = pinsight_table_row(table, printing, rows, i);

        for (size_t f = 0; row && f < fields.count; f++)
            add_cells(&grid, &fields.fields[f], printing, row);
        shown += row != NULL;
    }
    pinsight_grid_print(&grid, out);
}
