/* Where in Python something was, of what a call path says: the user's line, and the function that
 * is innermost. */
#ifndef PINSIGHT_VIEWS_PYTHON_CALL_PLACE_H
#define PINSIGHT_VIEWS_PYTHON_CALL_PLACE_H

#include "views/kit/table.h"
#include "views/report/report.h"

/* All texts are the model's. */
struct python_call_place {
    const char *name; /* NULL where it is not known */
    const char *file;
    int32_t line;
    const char *through; /* the innermost function where that is another, or NULL */
};

/* The place of a path, which may be PINSIGHT_NONE. */
struct python_call_place python_call_place(const struct pinsight_report *report, uint32_t path);

/* The same where the user's line is known: `users`, another path or PINSIGHT_NONE. */
struct python_call_place python_call_place_of(const struct pinsight_report *report, uint32_t users,
                                              uint32_t path);

/* An order of places, as of strcmp. */
int python_call_place_compare(const struct python_call_place *a, const struct python_call_place *b);

/* "Queue.get in consume", or "consume" alone; and file and line. No value where it is not known. */
struct pinsight_value python_call_place_label(const struct python_call_place *place);
struct pinsight_value python_call_place_where(const struct python_call_place *place);
/* The same as getters of columns. */
struct pinsight_value python_call_place_get_label(const void *view, const void *row);
struct pinsight_value python_call_place_get_where(const void *view, const void *row);

/* Columns of it, each with a word before its key: function, file, line and through; and for a
 * screen "place", the label under a head and with what stands where it is not known, and "where".
 */
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

/* The same as a table that is inner to others. */
#define PYTHON_CALL_PLACE_TABLE(name, of, over, of_none)                                           \
    static const struct pinsight_column name##_columns[] = {                                       \
        PYTHON_CALL_PLACE_COLUMNS(of, over, of_none)};                                             \
    static const struct pinsight_table name = {PINSIGHT_COLUMNS(name##_columns)}

#endif
