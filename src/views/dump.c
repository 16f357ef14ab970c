/* Writes the dump. The reader resolves the subject of an event. The other fields come from the
 * descriptions of events. */
#include "views/dump.h"

#include "base/grid.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "reader/kit/paths.h"
#include "reader/mpi/mpi.h"
#include "reader/subject.h"
#include "reader/trace.h"
#include "views/dump_openmp.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct dump {
    const struct pinsight_dump_options *options;
    struct pinsight_model *model;
    FILE *out;
    uint64_t first_ns;
    uint64_t shown;
    bool started;
    struct pinsight_dump_names names;
};

static const char *text_of(const struct dump *dump, uint32_t string) {
    return pinsight_strings_text(&dump->model->strings, string);
}

static const char *function_name(const struct dump *dump, uint32_t function) {
    return function == PINSIGHT_NONE ? NULL : pinsight_function_name(dump->model, function);
}

static const char *callee_name(const struct dump *dump, uint32_t callee) {
    return callee == PINSIGHT_NONE ? NULL : pinsight_callee_name(dump->model, callee);
}

static void put_clean(FILE *out, const char *text) {
    char *clean = pinsight_text_clean(text);

    fputs(clean, out);
    free(clean);
}

static void put_place(const struct dump *dump, const char *file, int32_t line) {
    char *place = pinsight_text_place(file, line);

    if (place[0]) {
        fputs("  ", dump->out);
        pinsight_styled(dump->out, dump->options->colour, PINSIGHT_DIM, "%s", place);
    }
    free(place);
}

static void text_call(const struct dump *dump, const struct pinsight_subject *subject) {
    bool colour = dump->options->colour;
    const struct pinsight_function *function =
        subject->function == PINSIGHT_NONE ? NULL : &dump->model->functions[subject->function];
    const char *file = function ? text_of(dump, function->file) : NULL;

    if (subject->moment == PINSIGHT_FUNCTION_BEGIN || subject->moment == PINSIGHT_FUNCTION_END) {
        pinsight_style_on(dump->out, colour, PINSIGHT_PYTHON);
        put_clean(dump->out, function_name(dump, subject->function));
        pinsight_style_off(dump->out, colour, PINSIGHT_PYTHON);
        put_place(dump, file, function->line);
    } else {
        const char *callee = callee_name(dump, subject->callee);

        pinsight_style_on(dump->out, colour, PINSIGHT_C);
        put_clean(dump->out, callee ? callee : "?");
        pinsight_style_off(dump->out, colour, PINSIGHT_C);
        if (function) {
            fputs("  in ", dump->out);
            put_clean(dump->out, function_name(dump, subject->function));
            put_place(dump, file, subject->line);
        }
    }
    if (subject->how)
        fprintf(dump->out, "  %s", subject->how);
}

static void text_fields(struct dump *dump, const struct pinsight_event *event,
                        const struct pinsight_subject *subject) {
    const struct pinsight_event_desc *desc = &pinsight_event_descs[event->binding->id];
    uint32_t function;

    for (unsigned i = 0; i < desc->field_count; i++) {
        const struct pinsight_field_desc *field = &desc->fields[i];
        int64_t value = pinsight_event_integer(event, i);
        const char *label = pinsight_subject_label(event->binding->id, i, (uint64_t)value);
        char *name = pinsight_dump_is_native(event, subject)
                         ? pinsight_dump_name(&dump->names, dump->model, event, subject, i)
                         : NULL;

        fprintf(dump->out, "%s%s=", i ? " " : "", field->name);
        if (name)
            fputs(name, dump->out);
        else if (field->kind == PINSIGHT_FIELD_STRING) {
            putc('"', dump->out);
            put_clean(dump->out, pinsight_event_text(event, i));
            putc('"', dump->out);
        } else if (label) {
            fputs(label, dump->out);
        } else if (field->hex) {
            fprintf(dump->out, "0x%" PRIx64, (uint64_t)value);
        } else if (field->kind == PINSIGHT_FIELD_REAL) {
            fprintf(dump->out, "%.17g", pinsight_event_real(event, i));
        } else if (field->kind == PINSIGHT_FIELD_SIGNED) {
            fprintf(dump->out, "%" PRId64, value);
        } else {
            fprintf(dump->out, "%" PRIu64, (uint64_t)value);
        }
        free(name);
    }
    function = pinsight_dump_path_function(dump->model, event);
    if (function != PINSIGHT_NONE) {
        fputs("  ", dump->out);
        put_clean(dump->out, function_name(dump, function));
        put_place(dump, text_of(dump, dump->model->functions[function].file),
                  (int32_t)pinsight_event_integer(event, PINSIGHT_PYTHON_PATH_INFO_LINENO));
    }
}

static void text_event(struct dump *dump, const struct pinsight_event *event,
                       const struct pinsight_subject *subject) {
    uint64_t since = event->ns - dump->first_ns;
    const struct pinsight_mpi_rank *rank;

    pinsight_styled(dump->out, dump->options->colour, PINSIGHT_DIM, "%5" PRIu64 ".%09" PRIu64,
                    since / 1000000000u, since % 1000000000u);
    if (subject->process)
        fprintf(dump->out, "  %" PRId64, subject->process->pid);
    else
        fputs("  -", dump->out);
    if (subject->thread && subject->thread->number >= 0)
        fprintf(dump->out, ":%" PRId64, subject->thread->number);
    else if (pinsight_dump_is_of(event, subject, READER_OPENMP))
        fprintf(dump->out, ":omp%" PRId64,
                pinsight_event_integer(event, PINSIGHT_OPENMP_THREAD_BEGIN_GLOBAL_THREAD_NUM));
    else if (subject->tid >= 0)
        fprintf(dump->out, ":tid%" PRId64, subject->tid);
    rank = subject->process ? pinsight_process_mpi(subject->process) : NULL;
    if (rank && rank->rank != PINSIGHT_MPI_NO_RANK &&
        pinsight_dump_is_of(event, subject, READER_MPI))
        fprintf(dump->out, " rank %" PRIu32, rank->rank);
    fprintf(dump->out, "  %-14s  ", subject->name);
    if (subject->moment == PINSIGHT_OTHER)
        text_fields(dump, event, subject);
    else
        text_call(dump, subject);
    putc('\n', dump->out);
}

static void string_or_null(struct pinsight_json *json, const char *key, const char *text) {
    if (text)
        pinsight_json_string(json, key, text);
    else
        pinsight_json_null(json, key);
}

static void signed_or_null(struct pinsight_json *json, const char *key, bool there,
                           int64_t number) {
    if (there)
        pinsight_json_signed(json, key, number);
    else
        pinsight_json_null(json, key);
}

static void json_call(const struct dump *dump, struct pinsight_json *json,
                      const struct pinsight_subject *subject) {
    const struct pinsight_function *function =
        subject->function == PINSIGHT_NONE ? NULL : &dump->model->functions[subject->function];
    const char *file = function ? text_of(dump, function->file) : NULL;

    if (subject->moment == PINSIGHT_FUNCTION_BEGIN || subject->moment == PINSIGHT_FUNCTION_END) {
        string_or_null(json, "name", function_name(dump, subject->function));
        string_or_null(json, "file", file);
        pinsight_json_signed(json, "line", function->line);
    } else {
        string_or_null(json, "name", callee_name(dump, subject->callee));
        string_or_null(json, "caller", function_name(dump, subject->function));
        string_or_null(json, "caller_file", file);
        pinsight_json_signed(json, "caller_line", subject->line);
    }
    if (subject->how)
        pinsight_json_string(json, "how", subject->how);
}

static void json_fields(struct pinsight_json *json, const struct pinsight_event *event) {
    const struct pinsight_event_desc *desc = &pinsight_event_descs[event->binding->id];

    pinsight_json_open(json, "fields", '{');
    for (unsigned i = 0; i < desc->field_count; i++) {
        const struct pinsight_field_desc *field = &desc->fields[i];
        int64_t value = pinsight_event_integer(event, i);
        const char *label = pinsight_subject_label(event->binding->id, i, (uint64_t)value);

        if (field->kind == PINSIGHT_FIELD_STRING)
            pinsight_json_string(json, field->name, pinsight_event_text(event, i));
        else if (label)
            pinsight_json_string(json, field->name, label);
        else if (field->kind == PINSIGHT_FIELD_REAL)
            pinsight_json_double(json, field->name, pinsight_event_real(event, i));
        else if (field->kind == PINSIGHT_FIELD_SIGNED)
            pinsight_json_signed(json, field->name, value);
        else
            pinsight_json_unsigned(json, field->name, (uint64_t)value);
    }
    pinsight_json_close(json, '}');
}

/* Writes the names of numbers in the fields. */
static void json_native(struct dump *dump, struct pinsight_json *json,
                        const struct pinsight_event *event,
                        const struct pinsight_subject *subject) {
    const struct pinsight_event_desc *desc = &pinsight_event_descs[event->binding->id];
    uint32_t path = pinsight_dump_path(event, subject);
    uint32_t users = pinsight_path_users_line(dump->model, path);

    for (unsigned i = 0; i < desc->field_count; i++) {
        bool region = !strcmp(desc->fields[i].name, "parallel_codeptr");

        if (region || !strcmp(desc->fields[i].name, "codeptr") ||
            !strcmp(desc->fields[i].name, "mpi_codeptr")) {
            char *name = pinsight_dump_name(&dump->names, dump->model, event, subject, i);

            string_or_null(json, region ? "region" : "place", name);
            free(name);
        }
    }
    if (users != PINSIGHT_NONE && dump->model->paths[users].function != PINSIGHT_NONE) {
        uint32_t function = dump->model->paths[users].function;

        string_or_null(json, "python_function", function_name(dump, function));
        string_or_null(json, "python_file", text_of(dump, dump->model->functions[function].file));
        pinsight_json_signed(json, "python_line", dump->model->paths[users].line);
    }
}

static void json_event(struct dump *dump, const struct pinsight_event *event,
                       const struct pinsight_subject *subject) {
    struct pinsight_json json = {.out = dump->out, .compact = true};

    pinsight_json_open(&json, NULL, '{');
    pinsight_json_unsigned(&json, "time_ns", event->ns);
    pinsight_json_string(&json, "event", subject->name);
    signed_or_null(&json, "pid", subject->process != NULL,
                   subject->process ? subject->process->pid : 0);
    signed_or_null(&json, "tid", subject->tid >= 0, subject->tid);
    signed_or_null(&json, "python_thread_id", subject->thread != NULL,
                   subject->thread ? subject->thread->number : 0);
    if (subject->moment == PINSIGHT_OTHER)
        json_fields(&json, event);
    else
        json_call(dump, &json, subject);
    if (pinsight_dump_is_native(event, subject))
        json_native(dump, &json, event, subject);
    pinsight_json_close(&json, '}');
}

static int on_event(void *data, const struct pinsight_event *event) {
    struct dump *dump = data;
    struct pinsight_subject subject;

    if (!dump->started) {
        dump->started = true;
        dump->first_ns = event->ns;
    }
    subject = pinsight_subject_of(dump->model, event);
    /* A definition has no thread, and does not match a chosen thread. */
    if (pinsight_subject_is_of(&subject, dump->options->process, dump->options->thread)) {
        if (dump->options->json)
            json_event(dump, event, &subject);
        else
            text_event(dump, event, &subject);
        dump->shown++;
    }
    return ferror(dump->out) || (dump->options->limit && dump->shown >= dump->options->limit);
}

int pinsight_dump(const struct pinsight_dump_options *options, FILE *out, uint64_t *shown,
                  struct pinsight_source_result *result) {
    struct pinsight_model_options model_options = {.thread = -1, .process = -1};
    struct dump dump = {.options = options, .out = out};
    const struct trace_observers observers = {
        .on_event = on_event, .data = &dump, .stop = options->stop};
    int rc;

    dump.model = pinsight_model_new(&model_options);
    rc = trace_read(options->trace, dump.model, &observers, result);
    pinsight_dump_names_clear(&dump.names);
    pinsight_model_free(dump.model);
    *shown = dump.shown;
    return rc;
}
