/* Makes the rows of calls from the user's lines, and of imports. */
#include "base/memory.h"
#include "base/order.h"
#include "base/users_code.h"
#include "reader/kit/paths.h"
#include "views/attribution_walk.h"
#include "views/report/attribution_maker.h"

#include <stdlib.h>
#include <string.h>

static struct pinsight_attribution_call *call_row(struct pinsight_attribution_maker *maker,
                                                  const struct pinsight_walk_call *call) {
    const struct pinsight_model *model = maker->report->model;
    struct pinsight_attribution_view *view = maker->view;
    const bool is_c = call->kind == PINSIGHT_C_CALL;
    uint32_t function = pinsight_attribution_row(maker, call->function);
    uint32_t id = is_c ? call->id : pinsight_omp_function_key(&maker->keys, call->id);
    uint32_t row = pinsight_map_number(&maker->calls, function, (uint32_t)call->line,
                                       id << 1 | !is_c, view->call_count);

    if (row == view->call_count) {
        *PINSIGHT_ADD(view->calls, view->call_count, maker->call_capacity) =
            (struct pinsight_attribution_call){.function = function,
                                               .line = call->line,
                                               .kind = call->kind,
                                               .callee =
                                                   is_c ? pinsight_callee_name(model, call->id)
                                                        : pinsight_function_name(model, call->id)};
        if (!is_c) {
            view->calls[row].is_users = pinsight_function_is_users(model, call->id);
            view->calls[row].callee_file =
                pinsight_report_string(maker->report, model->functions[call->id].file);
            view->calls[row].callee_line = model->functions[call->id].line;
        }
    }
    return &view->calls[row];
}

void pinsight_attribution_add_calls(struct pinsight_attribution_maker *maker,
                                    const struct pinsight_attribution_walk *walk) {
    for (size_t i = 0; i < walk->call_count; i++) {
        const struct pinsight_walk_call *call = &walk->calls[i];
        struct pinsight_attribution_call *row = call_row(maker, call);

        row->calls += call->calls;
        row->total_ns += call->total_ns;
        row->ns += call->ns;
        row->away_ns += call->away_ns;
        row->native_ns += call->native_ns;
        row->native_away_ns += call->native_away_ns;
        row->ready_ns += call->ready_ns;
        row->native_ready_ns += call->native_ready_ns;
        if (row->max_ns < call->max_ns)
            row->max_ns = call->max_ns;
        if (call->kind == PINSIGHT_C_CALL) {
            struct pinsight_attribution_line *line =
                pinsight_attribution_line_row(maker, call->function, call->line, NULL);

            line->c_calls += call->calls;
            line->c_ns += call->c_ns;
        }
    }
}

static void add_import(struct pinsight_attribution_import *to,
                       const struct pinsight_walk_import *from) {
    to->python_ns += from->python_ns;
    to->c_ns += from->c_ns;
    pinsight_attribution_away_add(&to->away, &from->away);
}

/* Names the line with the most imports of a package. */
static void name_line(const struct pinsight_report *report, struct pinsight_attribution_import *row,
                      const struct pinsight_walk_import *import) {
    const struct pinsight_path *path;
    const uint64_t ns = import->python_ns + import->c_ns;

    if (import->place == PINSIGHT_NONE || (row->file && ns <= row->line_ns))
        return;
    path = &report->model->paths[import->place];
    if (path->function == PINSIGHT_NONE || !report->model->functions[path->function].known ||
        !pinsight_function_is_users(report->model, path->function))
        return;
    row->file = pinsight_report_string(report, report->model->functions[path->function].file);
    row->line = path->line;
    row->line_ns = ns;
}

/* Returns the row of a module's package. */
static struct pinsight_attribution_import *row_of(struct pinsight_attribution_view *view,
                                                  size_t *capacity,
                                                  const struct pinsight_report *report,
                                                  uint32_t module) {
    const char *name = pinsight_report_string(report, module);
    size_t length = strcspn(name, "."), at = 0;

    while (at < view->import_count &&
           (!view->imports[at].package != !length ||
            (length && (strncmp(view->imports[at].package, name, length) != 0 ||
                        view->imports[at].package[length]))))
        at++;
    if (at == view->import_count)
        *PINSIGHT_ADD(view->imports, view->import_count, *capacity) =
            (struct pinsight_attribution_import){
                .package = length ? pinsight_format("%.*s", (int)length, name) : NULL};
    return &view->imports[at];
}

ORDER(by_time, struct pinsight_attribution_import,
      BY(pinsight_attribution_import_took(b), pinsight_attribution_import_took(a))
          ?: strcmp(a->package ? a->package : "", b->package ? b->package : ""))

/* Adds the bodies of the user's modules. A module that several processes import has one row. */
static void add_bodies(struct pinsight_attribution_view *view, const struct pinsight_report *report,
                       const struct pinsight_attribution_walk *walk) {
    size_t capacity = 0;

    for (size_t i = 0; i < walk->body_count; i++) {
        const struct pinsight_walk_body *body = &walk->bodies[i];
        const struct pinsight_function *function = &report->model->functions[body->function];
        const char *name = pinsight_report_string(report, function->module);
        const char *file = pinsight_report_string(report, function->file);
        size_t at = 0;

        while (at < view->own_import_count && (strcmp(view->own_imports[at].package, name) != 0 ||
                                               strcmp(view->own_imports[at].file, file) != 0))
            at++;
        if (at == view->own_import_count)
            *PINSIGHT_ADD(view->own_imports, view->own_import_count, capacity) =
                (struct pinsight_attribution_import){
                    .package = pinsight_strdup(name), .file = file, .line = function->line};
        view->own_imports[at].python_ns += body->python_ns;
        view->own_imports[at].c_ns += body->c_ns;
        pinsight_attribution_away_add(&view->own_imports[at].away, &body->away);
    }
    PINSIGHT_SORT(view->own_imports, view->own_import_count, by_time);
}

void pinsight_attribution_add_imports(struct pinsight_attribution_view *view,
                                      const struct pinsight_report *report,
                                      const struct pinsight_attribution_walk *walk) {
    size_t capacity = 0;

    view->imports_ns = pinsight_calloc(report->model->process_count + 1, sizeof(*view->imports_ns));
    for (size_t i = 0; i < walk->import_count; i++) {
        struct pinsight_attribution_import *row =
            row_of(view, &capacity, report, walk->imports[i].module);

        add_import(row, &walk->imports[i]);
        name_line(report, row, &walk->imports[i]);
        add_import(&view->all_imports, &walk->imports[i]);
        view->imports_ns[walk->imports[i].process->index] +=
            walk->imports[i].python_ns + walk->imports[i].c_ns;
    }
    for (size_t i = 0; i < report->model->function_count && !report->by_path; i++) {
        const struct pinsight_function *function = &report->model->functions[i];
        const uint64_t ns = function->counted.self_ns;

        if (!ns ||
            strcmp(pinsight_report_string(report, function->file), PINSIGHT_IMPORT_FILE) != 0)
            continue;
        row_of(view, &capacity, report, function->module)->counted_ns += ns;
        view->all_imports.counted_ns += ns;
    }
    PINSIGHT_SORT(view->imports, view->import_count, by_time);
    add_bodies(view, report, walk);
}

ORDER(by_function, struct pinsight_attribution_call,
      BY(a->function, b->function) ?: BY(b->ns, a->ns) ?: BY(b->total_ns, a->total_ns)
          ?: BY(a->line, b->line) ?: strcmp(a->callee, b->callee))

void pinsight_attribution_sort_calls(struct pinsight_attribution_view *view) {
    for (size_t i = 0; i < view->function_count; i++)
        view->functions[i].call = PINSIGHT_NONE;
    PINSIGHT_SORT(view->calls, view->call_count, by_function);
    for (size_t i = view->call_count; i-- > 0;)
        view->functions[view->calls[i].function].call = (uint32_t)i;
}
