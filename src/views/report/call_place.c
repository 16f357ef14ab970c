/* Finds the place of a call path in Python; see call_place.h. */
#include "views/report/call_place.h"

#include "base/memory.h"
#include "base/order.h"
#include "base/text.h"
#include "reader/kit/paths.h"

#include <stdlib.h>
#include <string.h>

struct python_call_place python_call_place(const struct pinsight_report *report, uint32_t path) {
    return python_call_place_of(
        report,
        path == PINSIGHT_NONE ? PINSIGHT_NONE : pinsight_path_users_line(report->model, path),
        path);
}

struct python_call_place python_call_place_of(const struct pinsight_report *report, uint32_t users,
                                              uint32_t path) {
    const struct pinsight_model *model = report->model;
    uint32_t function = users == PINSIGHT_NONE ? PINSIGHT_NONE : model->paths[users].function;
    uint32_t inner = path == PINSIGHT_NONE ? PINSIGHT_NONE : model->paths[path].function;

    if (function == PINSIGHT_NONE)
        return (struct python_call_place){0};
    return (struct python_call_place){
        .name = pinsight_function_name(model, function),
        .file = pinsight_report_string(report, model->functions[function].file),
        .line = model->paths[users].line,
        .through = inner == function || inner == PINSIGHT_NONE
                       ? NULL
                       : pinsight_function_name(model, inner)};
}

static int compare_texts(const char *a, const char *b) {
    return strcmp(a ? a : "", b ? b : "");
}

int python_call_place_compare(const struct python_call_place *a,
                              const struct python_call_place *b) {
    return compare_texts(a->file, b->file) ?: BY(a->line, b->line)
        ?: compare_texts(a->name, b->name) ?: compare_texts(a->through, b->through);
}

struct pinsight_value python_call_place_label(const struct python_call_place *place) {
    char *text, *clean;

    if (!place->name)
        return pinsight_value_none();
    text = place->through ? pinsight_format("%s in %s", place->through, place->name)
                          : pinsight_strdup(place->name);
    clean = pinsight_text_clean(text);
    free(text);
    return pinsight_value_owned(clean);
}

struct pinsight_value python_call_place_where(const struct python_call_place *place) {
    return pinsight_value_owned(place->name ? pinsight_text_place(place->file, place->line) : NULL);
}

struct pinsight_value python_call_place_get_label(const void *view, const void *row) {
    return python_call_place_label(row);
}

struct pinsight_value python_call_place_get_where(const void *view, const void *row) {
    return python_call_place_where(row);
}
