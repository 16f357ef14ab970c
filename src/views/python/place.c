/* Columns for lines of functions; see place.h. */
#include "views/python/place.h"

#include "base/text.h"
#include "views/report/tables.h"

#include <string.h>

static const struct pinsight_function *function_of(const struct pinsight_report *report,
                                                   const struct python_place *row) {
    return row->function == PINSIGHT_NONE ? NULL : &report->model->functions[row->function];
}

static struct pinsight_value string_of(const struct pinsight_report *report,
                                       const struct python_place *row, size_t member) {
    const char *function = (const char *)function_of(report, row);
    uint32_t number;

    if (!function)
        return pinsight_value_none();
    memcpy(&number, function + member, sizeof(number));
    return pinsight_value_text(pinsight_report_string(report, number));
}

VALUE(name, struct python_place, string_of(report, row, offsetof(struct pinsight_function, name)))

VALUE(file, struct python_place, string_of(report, row, offsetof(struct pinsight_function, file)))

VALUE(module, struct python_place,
      string_of(report, row, offsetof(struct pinsight_function, module)))

VALUE(place, struct python_place,
      pinsight_value_owned(
          function_of(report, row)
              ? pinsight_text_place(pinsight_report_string(report, function_of(report, row)->file),
                                    row->line)
              : NULL))

#define P(member) MEMBER(struct python_place, member)
static const struct pinsight_column columns[] = {
    GETTER("function", "function", TEXT, name, NAMES_IN(PYTHON), .none = "(no Python)"),
    GETTER("file", NULL, TEXT, file),
    COLUMN("line", NULL, SIGNED, P(line), .needs = P(line)),
    GETTER("module", NULL, TEXT, module),
    GETTER("place", "where", TEXT, place, NAMES_IN(DIM)),
};

const struct pinsight_table python_place_table = {PINSIGHT_COLUMNS(columns)};
