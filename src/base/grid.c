/* Layout of tables and paragraphs. */
#include "base/grid.h"

#include "base/ascii.h"
#include "base/memory.h"
#include "base/text.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define GAP 2
/* The least widths that names are shortened to: first, and if more room is needed. */
#define LEAST 12
#define LEAST_OF_ALL 8
#define LEAST_FIRST 18 /* the least width of columns that are shortened first */

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
    /* Room for an ellipsis that is longer than the text that it replaces. */
    text = pinsight_ascii_shown(text);
    text = pinsight_realloc(text, strlen(text) + 4, 1);
    *PINSIGHT_ADD(table->cells, table->cell_count, table->capacity) = text;
}

static bool is_name(enum pinsight_align align) {
    return align >= PINSIGHT_FLEXIBLE;
}

static bool is_first(enum pinsight_align align) {
    return align == PINSIGHT_FLEXIBLE_FIRST;
}

static bool is_word(enum pinsight_align align) {
    return align == PINSIGHT_LEFT;
}

static bool is_either(enum pinsight_align align) {
    return is_name(align) || is_word(align);
}

/* Narrows the widest columns of a kind, down to `least`, until the table is `over` columns
 * narrower. Returns the number of columns that it is still too wide. */
static size_t shorten(const struct pinsight_grid *table, size_t *widths, size_t over, size_t least,
                      bool (*is_meant)(enum pinsight_align align)) {
    for (; over; over--) {
        size_t widest = PINSIGHT_GRID_COLUMNS;

        for (size_t c = 0; c < table->column_count; c++)
            if (is_meant(table->columns[c].align) && widths[c] > least &&
                (widest == PINSIGHT_GRID_COLUMNS || widths[c] > widths[widest]))
                widest = c;
        if (widest == PINSIGHT_GRID_COLUMNS)
            return over;
        widths[widest]--;
    }
    return 0;
}

/* The columns that have their least width: none, names that are shortened first, all names, or
 * words, too. */
enum shortness { WHOLE, FIRST_SHORT, SHORT, WORDS_SHORT };

static size_t least_of(enum pinsight_align align, enum shortness shortness) {
    if (shortness >= SHORT && is_name(align))
        return LEAST;
    if (shortness == WORDS_SHORT && is_word(align))
        return LEAST;
    return shortness == FIRST_SHORT && is_first(align) ? LEAST_FIRST : SIZE_MAX;
}

/* Returns by how much the table is too wide, if columns have their least width as far as
 * `shortness` says. */
static size_t columns_over(const struct pinsight_grid *table, const size_t *widths,
                           enum shortness shortness) {
    size_t whole = 1;

    for (size_t c = 0; c < table->column_count; c++) {
        size_t least = least_of(table->columns[c].align, shortness);

        whole += widths[c] ? (widths[c] > least ? least : widths[c]) + (c ? GAP : 0) : 0;
    }
    return whole > table->width ? whole - table->width : 0;
}

/* Fits the table to the screen. Leaves out columns of numbers (width 0) if shortened names would
 * not be enough. For numbers that identify a row, words are shortened before. The last columns go
 * first, because the first one decides the order of the rows. Then shortens names. */
static void fit(const struct pinsight_grid *table, size_t *widths) {
    static const struct {
        enum pinsight_align align;
        enum shortness shortness;
    } given[] = {{PINSIGHT_RIGHT_SPARE, FIRST_SHORT},
                 {PINSIGHT_RIGHT, SHORT},
                 {PINSIGHT_RIGHT_KEPT, WORDS_SHORT}};
    size_t over;

    for (size_t kind = 0; kind < sizeof(given) / sizeof(given[0]); kind++)
        for (size_t c = table->column_count;
             c-- > 1 && columns_over(table, widths, given[kind].shortness);)
            if (table->columns[c].align == given[kind].align)
                widths[c] = 0;
    over = columns_over(table, widths, WHOLE);
    over = shorten(table, widths, over, LEAST_FIRST, is_first);
    over = shorten(table, widths, over, LEAST, is_name);
    over = shorten(table, widths, over, LEAST, is_word);
    shorten(table, widths, over, LEAST_OF_ALL, is_either);
}

/* Prints a cell. `last`: nothing follows on the line, so no padding is needed. */
static void print_cell(FILE *out, const struct pinsight_grid *table, size_t c, const char *text,
                       size_t width, enum pinsight_style style, bool last) {
    size_t pad = width - pinsight_text_width(text);
    bool is_right = table->columns[c].align <= PINSIGHT_RIGHT_KEPT;

    fprintf(out, "%*s", c ? GAP : 1, "");

    if (is_right)
        fprintf(out, "%*s", (int)pad, "");
    pinsight_styled(out, table->colour, style, "%s", text);
    if (!is_right && !last)
        fprintf(out, "%*s", (int)pad, "");
}

/* Shortens a text at its end. A first word that is too wide itself, such as a file with its line,
 * loses its begin, so that the line stays. */
static void cut_after_word(char *text, size_t width) {
    char *end = text + strcspn(text, " "), after = *end;

    *end = '\0';
    if (pinsight_text_width(text) > width) {
        pinsight_text_cut(text, width);
        return;
    }
    *end = after;
    pinsight_text_cut_end(text, width);
}

/* Prints a row up to its last cell that is not empty. */
static void print_row(FILE *out, const struct pinsight_grid *table, char **cells,
                      const size_t *widths) {
    size_t last = table->column_count - 1;

    while (last && (!widths[last] || !cells[last][0]))
        last--;
    for (size_t c = 0; c <= last; c++) {
        if (!widths[c])
            continue;
        if (is_first(table->columns[c].align))
            cut_after_word(cells[c], widths[c]);
        else if (table->columns[c].align >= PINSIGHT_FLEXIBLE_END ||
                 table->columns[c].align == PINSIGHT_LEFT)
            pinsight_text_cut_end(cells[c], widths[c]);
        else
            pinsight_text_cut(cells[c], widths[c]);
        print_cell(out, table, c, cells[c], widths[c], table->columns[c].style, c == last);
    }
}

static void print_heads(FILE *out, const struct pinsight_grid *table, const size_t *widths) {
    size_t last = table->column_count - 1;

    while (last && !widths[last])
        last--;
    for (size_t c = 0; c <= last; c++) {
        char *head;

        if (!widths[c])
            continue;
        head = pinsight_format("%s    ", table->columns[c].head);
        head[strlen(head) - 4] = '\0';
        pinsight_text_cut_end(head, widths[c]);
        print_cell(out, table, c, head, widths[c], PINSIGHT_DIM, c == last);
        free(head);
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
    print_heads(out, table, widths);
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

/* Returns whether a text begins with a unit that belongs to the number before it. */
static bool begins_with_unit(const char *text) {
    static const char *const units[] = {"%", "ns",    "µs",  "us",  "ms",  "s",   "min",
                                        "h", "bytes", "KiB", "MiB", "GiB", "TiB", "GFLOP/s"};
    size_t length = strcspn(text, " ,.;:)");

    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        if (length == strlen(units[i]) && strncmp(text, units[i], length) == 0)
            return true;
    return false;
}

/* Returns the length of the first word, or of a number with its unit. */
static size_t length_of_word(const char *text) {
    size_t length = strcspn(text, " ");

    if (length && text[length] == ' ' && isdigit((unsigned char)text[length - 1]) &&
        begins_with_unit(text + length + 1))
        length += 1 + strcspn(text + length + 1, " ");
    return length;
}

size_t pinsight_wrap(FILE *out, unsigned width, size_t column, size_t indent, const char *text) {
    bool first = true;

    while (*text) {
        size_t length = length_of_word(text);
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
    return column;
}

void pinsight_title(FILE *out, bool colour, unsigned width, const char *title, const char *remark) {
    char *text = pinsight_ascii_shown(pinsight_strdup(remark ? remark : ""));

    pinsight_style_on(out, colour, PINSIGHT_BOLD);
    size_t column = pinsight_wrap(out, width, 0, GAP, title) + GAP;
    pinsight_style_off(out, colour, PINSIGHT_BOLD);
    if (*text) {

        pinsight_style_on(out, colour, PINSIGHT_DIM);
        if (column + strcspn(text, " ") > width)
            fprintf(out, "\n%*s", (int)(column = GAP), "");
        else
            fprintf(out, "%*s", GAP, "");
        pinsight_wrap(out, width, column, GAP, text);
        pinsight_style_off(out, colour, PINSIGHT_DIM);
    }
    putc('\n', out);
    free(text);
}

void pinsight_paragraph_list(FILE *out, bool colour, enum pinsight_style style, unsigned width,
                             const char *mark, const char *format, va_list arguments) {
    char *text = pinsight_ascii_shown(pinsight_format_list(format, arguments));
    size_t indent = pinsight_text_width(mark);

    pinsight_style_on(out, colour, style);
    fputs(mark, out);
    pinsight_wrap(out, width, indent, indent, text);
    pinsight_style_off(out, colour, style);
    putc('\n', out);
    free(text);
}
