/* Measured lines; see lines.h. */
#include "reader/python/lines.h"

#include "format/measured_lines.h"
#include "reader/lookup.h"
#include "reader/python/gil.h"
#include "reader/python/names.h"

#include <stdlib.h>

static void measured(struct pinsight_model *model, struct pinsight_process *process,
                     const struct pinsight_event *event) {
    struct pinsight_measured_lines *lines = &pinsight_python_of(model)->lines;
    uint32_t function = pinsight_names_code(
        process, (uint32_t)pinsight_event_integer(event, PINSIGHT_PYTHON_LINE_MEASURED_CODE));
    int32_t line = (int32_t)pinsight_event_integer(event, PINSIGHT_PYTHON_LINE_MEASURED_LINENO);
    struct pinsight_measured_line *row =
        PINSIGHT_KEYED(&lines->row_map, function, (uint32_t)line, 0, lines->rows, lines->count,
                       lines->capacity, .function = function, .line = line);

    row->hits += (uint64_t)pinsight_event_integer(event, PINSIGHT_PYTHON_LINE_MEASURED_HITS);
    row->ns += (uint64_t)pinsight_event_integer(event, PINSIGHT_PYTHON_LINE_MEASURED_NS);
}

static void wanted(struct pinsight_model *model, const struct pinsight_event *event) {
    struct pinsight_measured_lines *lines = &pinsight_python_of(model)->lines;
    uint32_t title = pinsight_lookup_text(model, event, PINSIGHT_PYTHON_LINES_WANTED_SECTION);
    uint32_t functions =
        (uint32_t)pinsight_event_integer(event, PINSIGHT_PYTHON_LINES_WANTED_FUNCTIONS);
    struct pinsight_lines_section *section =
        PINSIGHT_KEYED(&lines->section_map, title, 0, 0, lines->sections, lines->section_count,
                       lines->section_capacity, .title = title);

    if (functions == PINSIGHT_LINES_UNSEEN)
        section->unseen = true;
    else if (functions > section->functions)
        section->functions = functions;
}

void pinsight_lines_take(struct pinsight_model *model, const struct pinsight_event *event) {
    struct pinsight_process *process = pinsight_lookup_process(model, event);

    pinsight_model_touch(process, event->ns);
    if (!process->selected || model->options.names_only)
        return;
    if (event->binding->id == PINSIGHT_EVENT_PYTHON_LINE_MEASURED)
        measured(model, process, event);
    else
        wanted(model, event);
}

void pinsight_lines_free(struct pinsight_measured_lines *lines) {
    free(lines->rows);
    free(lines->sections);
    pinsight_map_clear(&lines->row_map);
    pinsight_map_clear(&lines->section_map);
}
