/* What the tables of a report have in common. */
#ifndef PINSIGHT_VIEWS_REPORT_TABLES_H
#define PINSIGHT_VIEWS_REPORT_TABLES_H

#include "base/text.h"
#include "views/kit/table.h"
#include "views/report/report.h"

/* Getters of columns, rows that are in a table, and columns that are there: an expression over
 * `report`, and `row`, which is of a type. */
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

/* Columns of a row of a type with the members name, file and line: a Python function with its first
 * line. Where the name is NULL, it is none, and of_none stands in its place. `at` is a macro like
 * MEMBER that knows the type; the getter of the place is defined before. */
#define FUNCTION_PLACE(getter, type)                                                               \
    VALUE(getter, type,                                                                            \
          pinsight_value_owned(row->name && row->file ? pinsight_text_place(row->file, row->line)  \
                                                      : NULL))
#define FUNCTION_COLUMNS(of_none, at, getter, ...)                                                 \
    COLUMN("name", "function", TEXT, at(name), .none = of_none, NAMES_IN(PYTHON)),                 \
        FIELD(TEXT, at, file), COLUMN("line", NULL, SIGNED, at(line), .needs = at(name)),          \
        GETTER("place", "where", TEXT, getter, NAMES_IN(DIM), __VA_ARGS__)

/* The rows of a structure that the report has a pointer to; and those of the model. */
#define REPORT_ROWS(member, type, rows, count)                                                     \
    PINSIGHT_ROWS_INSIDE(struct pinsight_report, member, type, rows, count)
#define MODEL_ROWS(rows, count) REPORT_ROWS(model, struct pinsight_model, rows, count)

/* Waits, as columns of a row that has their number, their sum and the longest of them. */
#define WAIT_COLUMNS(at)                                                                           \
    COLUMN("waits", "waits", COUNT, at(waits)),                                                    \
        COLUMN("wait_ns", "waited", NS, at(wait_ns), .style = PINSIGHT_BOLD),                      \
        COLUMN("longest_ns", "longest", NS, at(longest_ns))

/* Where a row of a tree is; `parent` is a getter. */
#define TREE_COLUMNS(at, parent)                                                                   \
    FIELD(ID, at, id), GETTER("parent", NULL, ID, parent), FIELD(ID, at, depth)

/* What the tables of a report are printed with: the view is the report. */
struct pinsight_printing pinsight_report_printing(const struct pinsight_report *report);

/* Prints a table with its title, which says how many of the rows limit lets through where that is
 * not all; 0 is all. Without rows it prints nothing, unless the table says otherwise. */
void pinsight_section_print(const struct pinsight_report *report, FILE *out,
                            const struct pinsight_table *table, size_t limit);
/* The same of other rows than those that the table names; and without a title. */
void pinsight_section_print_rows(const struct pinsight_report *report, FILE *out,
                                 const struct pinsight_table *table, struct pinsight_rows rows,
                                 size_t limit);
void pinsight_report_table(const struct pinsight_report *report, FILE *out,
                           const struct pinsight_table *table, struct pinsight_rows rows,
                           size_t limit);

/* The rows that a table names, as a list in JSON, and as CSV with or without its line of heads. */
void pinsight_report_list(const struct pinsight_report *report, struct pinsight_json *json,
                          const struct pinsight_table *table, size_t limit);
void pinsight_report_lines(const struct pinsight_report *report, FILE *out,
                           const struct pinsight_table *table, size_t limit, bool head);

/* The title of a table of count rows, and how they are sorted. It says how many of them limit lets
 * through where that is not all. */
void pinsight_section_sorted(const struct pinsight_report *report, FILE *out, const char *title,
                             size_t count, size_t limit);

/* The same with a remark of the caller's; returns how many rows are shown. */
size_t pinsight_section_rows(const struct pinsight_report *report, FILE *out, const char *title,
                             const char *remark, size_t count, size_t limit);

/* How many of count rows are shown; a limit of 0 is none. */
size_t pinsight_rows_shown(size_t count, size_t limit);

#endif
