/* Names numbers of OpenMP and MPI. The name of a place is made once, because its source line takes
 * a search. */
#include "views/dump_openmp.h"

#include "base/memory.h"
#include "base/text.h"
#include "reader/kit/native.h"
#include "reader/kit/paths.h"
#include "reader/lookup.h"
#include "reader/python/names.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void pinsight_dump_names_clear(struct pinsight_dump_names *names) {
    for (size_t i = 0; i < names->count; i++)
        free(names->natives[i]);
    free(names->natives);
    pinsight_native_lines_free(names->lines);
    *names = (struct pinsight_dump_names){0};
}

bool pinsight_dump_is_of(const struct pinsight_event *event, const struct pinsight_subject *subject,
                         enum reader_domain_number domain) {
    return subject->thread && event->binding->domain == reader_domains[domain];
}

bool pinsight_dump_is_native(const struct pinsight_event *event,
                             const struct pinsight_subject *subject) {
    return pinsight_dump_is_of(event, subject, READER_OPENMP) ||
           pinsight_dump_is_of(event, subject, READER_MPI);
}

/* Makes a name such as "main (heat.c:23)", "exec_blas (libblas.so.3)", or "libfoo.so+0x4010". */
static char *make_name(struct pinsight_dump_names *names, const struct pinsight_model *model,
                       const struct pinsight_native_place *native, uint64_t ns) {
    const char *object = pinsight_strings_text(&model->strings, native->object);
    const char *symbol = pinsight_strings_text(&model->strings, native->symbol), *found;
    const char *file = NULL;
    int32_t line = 0;
    char *text, *clean;

    if (!object[0])
        return NULL;
    if (!names->lines)
        names->lines = pinsight_native_lines_new(ns);
    found = pinsight_native_line(names->lines, object, native->offset, symbol, &file, &line);
    if (found)
        symbol = found;
    if (file)
        text = pinsight_format("%s (%s:%d)", symbol[0] ? symbol : pinsight_text_file(object),
                               pinsight_text_file(file), line);
    else if (symbol[0])
        text = pinsight_format("%s (%s)", symbol, pinsight_text_file(object));
    else
        text = pinsight_format("%s+0x%" PRIx64, pinsight_text_file(object), native->offset);
    clean = pinsight_text_clean(text);
    free(text);
    return clean;
}

static char *native_name(struct pinsight_dump_names *names, struct pinsight_model *model,
                         struct pinsight_process *process, uint64_t address, uint64_t ns) {
    uint32_t native = pinsight_map_get64(&process->addresses, address);

    if (native == PINSIGHT_MAP_NONE || !model->natives[native].known)
        return NULL;
    names->natives = pinsight_reach(names->natives, native, &names->count, sizeof(*names->natives));
    if (!names->natives[native])
        names->natives[native] = make_name(names, model, &model->natives[native], ns);
    return names->natives[native] ? pinsight_strdup(names->natives[native]) : NULL;
}

uint32_t pinsight_dump_path(const struct pinsight_event *event,
                            const struct pinsight_subject *subject) {
    const struct pinsight_event_desc *desc = &pinsight_event_descs[event->binding->id];

    for (unsigned i = 0; subject->process && i < desc->field_count; i++)
        if (!strcmp(desc->fields[i].name, "py_path"))
            return pinsight_path_of(subject->process, (uint32_t)pinsight_event_integer(event, i));
    return PINSIGHT_NONE;
}

/* Returns the user's line of a path, such as "Solver.step (heat/solver.py:77)". */
static char *path_name(const struct pinsight_model *model, uint32_t path) {
    uint32_t users = pinsight_path_users_line(model, path), function;
    char *place, *name, *text;

    if (users == PINSIGHT_NONE || (function = model->paths[users].function) == PINSIGHT_NONE ||
        !model->functions[function].known)
        return NULL;
    place =
        pinsight_text_place(pinsight_strings_text(&model->strings, model->functions[function].file),
                            model->paths[users].line);
    name = pinsight_text_clean(
        pinsight_strings_text(&model->strings, model->functions[function].name));
    text = pinsight_format("%s (%s)", name, place);
    free(place);
    free(name);
    return text;
}

char *pinsight_dump_name(struct pinsight_dump_names *names, struct pinsight_model *model,
                         const struct pinsight_event *event, const struct pinsight_subject *subject,
                         unsigned field) {
    const char *name = pinsight_event_descs[event->binding->id].fields[field].name;
    uint64_t value = (uint64_t)pinsight_event_integer(event, field);

    if (!subject->process || !value)
        return NULL;
    if (!strcmp(name, "parallel_codeptr") || !strcmp(name, "codeptr") ||
        !strcmp(name, "mpi_codeptr"))
        return native_name(names, model, subject->process, value, event->ns);
    if (!strcmp(name, "py_path"))
        return path_name(model, pinsight_path_of(subject->process, (uint32_t)value));
    return NULL;
}

uint32_t pinsight_dump_path_function(struct pinsight_model *model,
                                     const struct pinsight_event *event) {
    if (event->binding->id != PINSIGHT_EVENT_PYTHON_PATH_INFO)
        return PINSIGHT_NONE;
    return pinsight_names_code(
        pinsight_lookup_process(model, event),
        (uint32_t)pinsight_event_integer(event, PINSIGHT_PYTHON_PATH_INFO_CODE));
}
