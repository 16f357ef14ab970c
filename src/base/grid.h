/* A table on a screen. Each column is as wide as its widest cell. If the screen is too narrow,
 * columns are shortened or left out. */
#ifndef PINSIGHT_BASE_GRID_H
#define PINSIGHT_BASE_GRID_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define PINSIGHT_GRID_COLUMNS 16

enum pinsight_align {
    PINSIGHT_RIGHT,          /* numbers: never shortened, left out where there is no room */
    PINSIGHT_RIGHT_SPARE,    /* numbers: left out before a name is shortened */
    PINSIGHT_RIGHT_KEPT,     /* numbers that identify the row: left out last */
    PINSIGHT_LEFT,           /* words: shortened at their end, after all others */
    PINSIGHT_FLEXIBLE,       /* names and places: shortened at their start */
    PINSIGHT_FLEXIBLE_END,   /* names of templates: shortened at their end */
    PINSIGHT_FLEXIBLE_FIRST, /* shortened after their first word, before all others */
};

enum pinsight_style {
    PINSIGHT_PLAIN,
    PINSIGHT_BOLD,
    PINSIGHT_DIM,
    PINSIGHT_WARN,
    PINSIGHT_HOT,
    PINSIGHT_PYTHON,
    PINSIGHT_C,
    PINSIGHT_OPENMP,
    PINSIGHT_OPENMP_WAIT,
    PINSIGHT_MPI,
    PINSIGHT_DEVICE,
};

struct pinsight_grid_column {
    const char *head;
    enum pinsight_align align;
    enum pinsight_style style;
};

struct pinsight_grid {
    struct pinsight_grid_column columns[PINSIGHT_GRID_COLUMNS];
    size_t column_count;
    char **cells; /* row after row; the grid owns the texts */
    size_t cell_count, capacity;
    bool colour;
    unsigned width;
};

void pinsight_grid_column(struct pinsight_grid *table, const char *head, enum pinsight_align align,
                          enum pinsight_style style);

/* Adds the next cell of a row. Takes ownership of `text`, which is allocated and clean (text.h). */
void pinsight_grid_cell(struct pinsight_grid *table, char *text);

/* Prints the head and the rows, and frees the cells. The first column is never left out. */
void pinsight_grid_print(struct pinsight_grid *table, FILE *out);

/* Start and end a style. Both print nothing if `colour` is false. */
void pinsight_style_on(FILE *out, bool colour, enum pinsight_style style);
void pinsight_style_off(FILE *out, bool colour, enum pinsight_style style);

/* Prints like printf, in a style. */
void pinsight_styled(FILE *out, bool colour, enum pinsight_style style, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Continues a line at `column` with a clean text. Breaks lines at spaces to fit `width`, but
 * not between a number and its unit; further lines begin with `indent` spaces. Returns the column
 * after the text. */
size_t pinsight_wrap(FILE *out, unsigned width, size_t column, size_t indent, const char *text);

/* Prints the head line of a section: its title, and a remark, which may be NULL. */
void pinsight_title(FILE *out, bool colour, unsigned width, const char *title, const char *remark);

/* Prints a paragraph in a style. Breaks lines at spaces to fit `width`. The first line begins with
 * `mark`, further lines with as many spaces. Texts in the arguments must be clean. */
void pinsight_paragraph(FILE *out, bool colour, enum pinsight_style style, unsigned width,
                        const char *mark, const char *format, ...)
    __attribute__((format(printf, 6, 7)));
void pinsight_paragraph_list(FILE *out, bool colour, enum pinsight_style style, unsigned width,
                             const char *mark, const char *format, va_list arguments)
    __attribute__((format(printf, 6, 0)));

#endif
