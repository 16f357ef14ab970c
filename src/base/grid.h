/* A table on a screen: columns as wide as what stands in them, shortened or left out where the
 * screen ends. */
#ifndef PINSIGHT_BASE_GRID_H
#define PINSIGHT_BASE_GRID_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define PINSIGHT_GRID_COLUMNS 16

enum pinsight_align {
    PINSIGHT_RIGHT,          /* numbers: never shortened, left out where there is no room */
    PINSIGHT_RIGHT_KEPT,     /* those that say which row it is: left out last */
    PINSIGHT_LEFT,           /* words: shortened last of all, at their end */
    PINSIGHT_FLEXIBLE,       /* names and places: shortened at their start */
    PINSIGHT_FLEXIBLE_END,   /* the same, at their end: names of templates */
    PINSIGHT_FLEXIBLE_FIRST, /* likewise, and before all others */
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
    char **cells; /* row after row; owned */
    size_t cell_count, capacity;
    bool colour;
    unsigned width;
};

void pinsight_grid_column(struct pinsight_grid *table, const char *head, enum pinsight_align align,
                          enum pinsight_style style);

/* Adds the next cell of a row; the table takes over text, which is clean and was allocated. */
void pinsight_grid_cell(struct pinsight_grid *table, char *text);

/* Prints head and rows, and frees the cells. The first column is always there. */
void pinsight_grid_print(struct pinsight_grid *table, FILE *out);

/* Starts and ends a style; both print nothing without colour. */
void pinsight_style_on(FILE *out, bool colour, enum pinsight_style style);
void pinsight_style_off(FILE *out, bool colour, enum pinsight_style style);

/* printf in a style. */
void pinsight_styled(FILE *out, bool colour, enum pinsight_style style, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Goes on with a line at a column, broken at spaces to fit width; other lines begin with indent
 * spaces. The text is clean. Returns the column at its end. */
size_t pinsight_wrap(FILE *out, unsigned width, size_t column, size_t indent, const char *text);

/* The line over a section: its title, and a remark, which may be NULL. */
void pinsight_title(FILE *out, bool colour, unsigned width, const char *title, const char *remark);

/* A paragraph in a style, broken at spaces to fit width. It starts with mark, and its other lines
 * with as many spaces. The texts in it are clean. */
void pinsight_paragraph(FILE *out, bool colour, enum pinsight_style style, unsigned width,
                        const char *mark, const char *format, ...)
    __attribute__((format(printf, 6, 7)));
void pinsight_paragraph_list(FILE *out, bool colour, enum pinsight_style style, unsigned width,
                             const char *mark, const char *format, va_list arguments)
    __attribute__((format(printf, 6, 0)));

#endif
