/* Layout of tables and paragraphs. */
#include "base/grid.h"

#include "base/memory.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

#define GAP 2
/* A flexible column is not made narrower than this. */
#define LEAST 12

static const char *const codes[] = {
    [PINSIGHT_PLAIN] = "",
    [PINSIGHT_BOLD] = "\033[1m",
    [PINSIGHT_DIM] = "\033[2m",
    [PINSIGHT_WARN] = "\033[33m",
    [PINSIGHT_HOT] = "\033[31m",
    [PINSIGHT_PYTHON] = "\033[34m",
    [PINSIGHT_C] = "\033[35m",
    [PINSIGHT_OPENMP] = "\033[32m",
    [PINSIGHT_OPENMP_WAIT] = "\033[33m",
    [PINSIGHT_MPI] = "\033[36m",
    [PINSIGHT_DEVICE] = "\033[92m",
};

void pinsight_style_on(FILE *out, bool colour, enum pinsight_style style) {
    if (colour)
        fputs(codes[style], out);
}

void pinsight_style_off(FILE *out, bool colour, enum pinsight_style style) {
    if (colour && style != PINSIGHT_PLAIN)
        fputs("\033[0m", out);
}

void pinsight_styled(FILE *out, bool colour, enum pinsight_style style, const char *format, ...) {
    va_list arguments;

    va_start(arguments, format);
    pinsight_style_on(out, colour, style);
    vfprintf(out, format, arguments);
    pinsight_style_off(out, colour, style);
    va_end(arguments);
}

void pinsight_grid_column(struct pinsight_grid *table, const char *head, enum pinsight_align align,
                          enum pinsight_style style) {
    if (table->column_count < PINSIGHT_GRID_COLUMNS)
        table->columns[table->column_count++] = (struct pinsight_grid_column){head, align, style};
}

void pinsight_grid_cell(struct pinsight_grid *table, char *text) {
    /* Room for an ellipsis that is longer than what it stands for. */
    size_t length = strlen(text);

    text = pinsight_realloc(text, length + 4, 1);
    *PINSIGHT_ADD(table->cells, table->cell_count, table->capacity) = text;
}

/* Takes columns off the widest flexible column until the table fits. */
static void fit(const struct pinsight_grid *table, size_t *widths) {
    size_t whole = 1;

    for (size_t c = 0; c < table->column_count; c++)
        whole += widths[c] + (c ? GAP : 0);
    while (whole > table->width) {
        size_t widest = PINSIGHT_GRID_COLUMNS;

        for (size_t c = 0; c < table->column_count; c++)
            if (table->columns[c].align >= PINSIGHT_FLEXIBLE && widths[c] > LEAST &&
                (widest == PINSIGHT_GRID_COLUMNS || widths[c] > widths[widest]))
                widest = c;
        if (widest == PINSIGHT_GRID_COLUMNS)
            return;
        widths[widest]--;
        whole--;
    }
}

/* last: nothing follows in the line. */
static void print_cell(FILE *out, const struct pinsight_grid *table, size_t c, const char *text,
                       size_t width, enum pinsight_style style, bool last) {
    size_t pad = width - pinsight_text_width(text);

    fprintf(out, "%*s", c ? GAP : 1, "");
    if (table->columns[c].align == PINSIGHT_RIGHT)
        fprintf(out, "%*s", (int)pad, "");
    pinsight_styled(out, table->colour, style, "%s", text);
    if (table->columns[c].align != PINSIGHT_RIGHT && !last)
        fprintf(out, "%*s", (int)pad, "");
}

/* Prints a row up to its last cell that is not empty. */
static void print_row(FILE *out, const struct pinsight_grid *table, char **cells,
                      const size_t *widths) {
    size_t last = table->column_count - 1;

    while (last && !cells[last][0])
        last--;
    for (size_t c = 0; c <= last; c++) {
        if (table->columns[c].align == PINSIGHT_FLEXIBLE_END)
            pinsight_text_cut_end(cells[c], widths[c]);
        else
            pinsight_text_cut(cells[c], widths[c]);
        print_cell(out, table, c, cells[c], widths[c], table->columns[c].style, c == last);
    }
}

void pinsight_grid_print(struct pinsight_grid *table, FILE *out) {
    size_t widths[PINSIGHT_GRID_COLUMNS] = {0};

    for (size_t c = 0; c < table->column_count; c++)
        widths[c] = pinsight_text_width(table->columns[c].head);
    for (size_t i = 0; i < table->cell_count; i++) {
        size_t width = pinsight_text_width(table->cells[i]);

        if (width > widths[i % table->column_count])
            widths[i % table->column_count] = width;
    }
    fit(table, widths);
    for (size_t c = 0; c < table->column_count; c++)
        print_cell(out, table, c, table->columns[c].head, widths[c], PINSIGHT_DIM,
                   c + 1 == table->column_count);
    for (size_t i = 0; i < table->cell_count; i += table->column_count) {
        putc('\n', out);
        print_row(out, table, table->cells + i, widths);
    }
    for (size_t i = 0; i < table->cell_count; i++)
        free(table->cells[i]);
    putc('\n', out);
    free(table->cells);
    table->cells = NULL;
    table->cell_count = table->capacity = 0;
}

void pinsight_paragraph(FILE *out, bool colour, enum pinsight_style style, unsigned width,
                        const char *mark, const char *format, ...) {
    va_list arguments;

    va_start(arguments, format);
    pinsight_paragraph_list(out, colour, style, width, mark, format, arguments);
    va_end(arguments);
}

void pinsight_paragraph_list(FILE *out, bool colour, enum pinsight_style style, unsigned width,
                             const char *mark, const char *format, va_list arguments) {
    char *whole = pinsight_format_list(format, arguments), *text = whole;
    size_t indent = pinsight_text_width(mark);
    size_t column = indent;
    bool first = true;

    pinsight_style_on(out, colour, style);
    fputs(mark, out);
    while (*text) {
        size_t length = strcspn(text, " ");
        char *word = pinsight_memdup(text, length);
        size_t word_width = pinsight_text_width(word);

        if (!first && column + 1 + word_width > width) {
            fprintf(out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (!first) {
            putc(' ', out);
            column++;
        }
        fputs(word, out);
        column += word_width;
        free(word);
        first = false;
        text += length;
        text += strspn(text, " ");
    }
    pinsight_style_off(out, colour, style);
    putc('\n', out);
    free(whole);
}
