/* The place of a call path in Python: the user's line, and the innermost function. */
#ifndef PINSIGHT_VIEWS_REPORT_CALL_PLACE_H
#define PINSIGHT_VIEWS_REPORT_CALL_PLACE_H

#include "views/kit/table.h"
#include "views/report/report.h"

/* The texts belong to the model. */
struct python_call_place {
    const char *name; /* NULL if unknown */
    const char *file;
    int32_t line;
    const char *through; /* the innermost function if it is another one, or NULL */
};

/* Returns the place of a path, which may be PINSIGHT_NONE. */
struct python_call_place python_call_place(const struct pinsight_report *report, uint32_t path);

/* Like python_call_place(), but the caller knows the path of the user's line, `users`, which may be
 * PINSIGHT_NONE. */
struct python_call_place python_call_place_of(const struct pinsight_report *report, uint32_t users,
                                              uint32_t path);

/* Compares places, with a result like strcmp(). */
int python_call_place_compare(const struct python_call_place *a, const struct python_call_place *b);

/* Return the label, such as "Queue.get in consume" or "consume", and the file with the line. There
 * is no value if the place is unknown. */
struct pinsight_value python_call_place_label(const struct python_call_place *place);
struct pinsight_value python_call_place_where(const struct python_call_place *place);
/* Getters of columns for the label, and for the file with the line. */
struct pinsight_value python_call_place_get_label(const void *view, const void *row);
struct pinsight_value python_call_place_get_where(const void *view, const void *row);

/* Columns of a place. `of` is the prefix of their keys: function, file, line, through. The columns
 * "place" and "where" are for a screen. The first has the label under the head `over`, with
 * `of_none` for an unknown place. The other has the file with the line. */
#define PYTHON_CALL_PLACE_MEMBER(member) MEMBER(struct python_call_place, member)
#define PYTHON_CALL_PLACE_COLUMNS(of, over, of_none)                                               \
    COLUMN(of "function", NULL, TEXT, PYTHON_CALL_PLACE_MEMBER(name)),                             \
        COLUMN(of "file", NULL, TEXT, PYTHON_CALL_PLACE_MEMBER(file)),                             \
        COLUMN(of "line", NULL, SIGNED, PYTHON_CALL_PLACE_MEMBER(line),                            \
               .needs = PYTHON_CALL_PLACE_MEMBER(name)),                                           \
        COLUMN(of "through", NULL, TEXT, PYTHON_CALL_PLACE_MEMBER(through)),                       \
        GETTER(of "place", over, TEXT, python_call_place_get_label, .none = of_none,               \
               NAMES_IN(PYTHON)),                                                                  \
        GETTER(of "where", "where", TEXT, python_call_place_get_where, NAMES_IN(DIM))

/* Defines a table with these columns, which is inner to others. */
#define PYTHON_CALL_PLACE_TABLE(name, of, over, of_none)                                           \
    static const struct pinsight_column name##_columns[] = {                                       \
        PYTHON_CALL_PLACE_COLUMNS(of, over, of_none)};                                             \
    static const struct pinsight_table name = {PINSIGHT_COLUMNS(name##_columns)}

#endif
