/* The common part of a report's tables. */
#ifndef PINSIGHT_VIEWS_REPORT_TABLES_H
#define PINSIGHT_VIEWS_REPORT_TABLES_H

#include "base/text.h"
#include "views/kit/table.h"
#include "views/report/report.h"

/* Define a getter of a column, a filter of rows, and a filter of columns. Each is an expression
 * over `report`, and over `row` of a type. */
#define PINSIGHT_OVER_ROW(result, name, type, ...)                                                 \
    static result name(const void *of_view, const void *of_row) {                                  \
        const struct pinsight_report *report __attribute__((unused)) = of_view;                    \
        const type *row __attribute__((unused)) = of_row;                                          \
                                                                                                   \
        return __VA_ARGS__;                                                                        \
    }
#define VALUE(name, type, ...) PINSIGHT_OVER_ROW(struct pinsight_value, name, type, __VA_ARGS__)
#define HAS(name, type, ...) PINSIGHT_OVER_ROW(bool, name, type, __VA_ARGS__)
#define SHOWN(name, ...)                                                                           \
    static bool name(const void *of_view) {                                                        \
        const struct pinsight_report *report __attribute__((unused)) = of_view;                    \
                                                                                                   \
        return __VA_ARGS__;                                                                        \
    }

/* Columns of a Python function and its first line, for rows with the members name, file and line.
 * `of_none` replaces a NULL name. `at` is a macro like MEMBER that knows the type. FUNCTION_PLACE
 * defines the getter of the place before. */
#define FUNCTION_PLACE(getter, type)                                                               \
    VALUE(getter, type,                                                                            \
          pinsight_value_owned(row->name && row->file ? pinsight_text_place(row->file, row->line)  \
                                                      : NULL))
#define FUNCTION_COLUMNS(of_none, at, getter, ...)                                                 \
    COLUMN("name", "function", TEXT, at(name), .none = of_none, NAMES_IN(PYTHON)),                 \
        FIELD(TEXT, at, file), COLUMN("line", NULL, SIGNED, at(line), .needs = at(name)),          \
        GETTER("place", "where", TEXT, getter, NAMES_IN(DIM), __VA_ARGS__)

/* The rows of a structure that the report points to; and the rows of the model. */
#define REPORT_ROWS(member, type, rows, count)                                                     \
    PINSIGHT_ROWS_INSIDE(struct pinsight_report, member, type, rows, count)
#define MODEL_ROWS(rows, count) REPORT_ROWS(model, struct pinsight_model, rows, count)

/* Columns of waits, for rows with their number, their sum and the longest one. */
#define WAIT_COLUMNS(at)                                                                           \
    COLUMN("waits", "waits", COUNT, at(waits)),                                                    \
        COLUMN("wait_ns", "waited", NS, at(wait_ns), .style = PINSIGHT_BOLD),                      \
        COLUMN("longest_ns", "longest", NS, at(longest_ns))

/* Columns of a row's place in a tree. `parent` is a getter. */
#define TREE_COLUMNS(at, parent)                                                                   \
    FIELD(ID, at, id), GETTER("parent", NULL, ID, parent), FIELD(ID, at, depth)

/* Returns the surroundings of a report's tables, whose view is the report. */
struct pinsight_printing pinsight_report_printing(const struct pinsight_report *report);

/* Writes a table with its title. If `limit` (0: none) hides rows, the title has the number of shown
 * rows. Without rows it writes nothing, unless the table is `empty`. */
void pinsight_section_print(const struct pinsight_report *report, FILE *out,
                            const struct pinsight_table *table, size_t limit);
/* Write other rows than those of the table; with and without a title. */
void pinsight_section_print_rows(const struct pinsight_report *report, FILE *out,
                                 const struct pinsight_table *table, struct pinsight_rows rows,
                                 size_t limit);
void pinsight_report_table(const struct pinsight_report *report, FILE *out,
                           const struct pinsight_table *table, struct pinsight_rows rows,
                           size_t limit);

/* Write the table's rows as a list in JSON; and as CSV, with a line of heads if `head` is set. */
void pinsight_report_list(const struct pinsight_report *report, struct pinsight_json *json,
                          const struct pinsight_table *table, size_t limit);
void pinsight_report_lines(const struct pinsight_report *report, FILE *out,
                           const struct pinsight_table *table, size_t limit, bool head);

/* Writes the title of a table with `count` rows, and their order. If `limit` hides rows, the title
 * has the number of shown rows. */
void pinsight_section_sorted(const struct pinsight_report *report, FILE *out, const char *title,
                             size_t count, size_t limit);

/* Like pinsight_section_sorted(), with a remark of the caller's. Returns the number of rows to
 * show. */
size_t pinsight_section_rows(const struct pinsight_report *report, FILE *out, const char *title,
                             const char *remark, size_t count, size_t limit);

/* Returns how many of `count` rows are shown; a limit of 0 is none. */
size_t pinsight_rows_shown(size_t count, size_t limit);

#endif
