/* The report's section on exceptions. */
#include "reader/python/exceptions.h"

#include "base/memory.h"
#include "base/order.h"
#include "base/text.h"
#include "reader/python/gil.h"
#include "views/python/python.h"
#include "views/report/call_place.h"
#include "views/report/head.h"
#include "views/report/tables.h"

#include <stdlib.h>
#include <string.h>

/* Exceptions of one type from one place that went to one handler, in all processes. */
struct exception_row {
    uint32_t type; /* string number */
    struct python_call_place raised, handled;
    uint64_t count, total_ns, max_ns;
    uint64_t timed;            /* number of those whose times are known */
    uint32_t frames;           /* the most functions that one left */
    const char *timed_handler; /* name in `handled` if some of the times are known */
};

ORDER(by_places, struct exception_row,
      BY(a->type, b->type) ?: python_call_place_compare(&a->raised, &b->raised)
          ?: python_call_place_compare(&a->handled, &b->handled))
ORDER(by_count, struct exception_row,
      BY(b->count, a->count) ?: BY(b->total_ns, a->total_ns) ?: by_places(a, b))

static struct python_call_place handler_of(const struct pinsight_report *report,
                                           const struct pinsight_handler *handler) {
    struct python_call_place place = python_call_place(report, handler->path);

    if (!place.through && handler->line)
        place.line = handler->line;
    return place;
}

static void add(struct exception_row *to, const struct exception_row *from) {
    to->count += from->count;
    to->timed += from->timed;
    to->total_ns += from->total_ns;
    if (from->max_ns > to->max_ns)
        to->max_ns = from->max_ns;
    if (from->frames > to->frames)
        to->frames = from->frames;
}

static struct pinsight_rows make_rows(const void *view) {
    const struct pinsight_report *report = view;
    const struct pinsight_python *python = pinsight_model_python(report->model);
    const struct pinsight_exceptions *exceptions = python ? &python->exceptions : NULL;
    size_t count = exceptions ? exceptions->count : 0, used = 0;
    struct exception_row *rows = pinsight_calloc(count + 1, sizeof(*rows));

    for (size_t i = 0; i < count; i++) {
        const struct pinsight_exception *of = &exceptions->rows[i];

        rows[i] = (struct exception_row){.type = of->type,
                                         .raised = python_call_place(report, of->raised),
                                         .count = of->count,
                                         .timed = of->count - of->untimed,
                                         .total_ns = of->total_ns,
                                         .max_ns = of->max_ns,
                                         .frames = of->frames};
        if (of->handler != PINSIGHT_NONE)
            rows[i].handled = handler_of(report, &exceptions->handlers[of->handler]);
    }
    PINSIGHT_SORT(rows, count, by_places);
    for (size_t i = 0; i < count; i++) {
        if (used && by_places(&rows[used - 1], &rows[i]) == 0)
            add(&rows[used - 1], &rows[i]);
        else
            rows[used++] = rows[i];
    }
    PINSIGHT_SORT(rows, used, by_count);
    for (size_t i = 0; i < used; i++)
        rows[i].timed_handler = rows[i].timed ? rows[i].handled.name : NULL;
    return PINSIGHT_MADE_ROWS(rows, used);
}

PYTHON_CALL_PLACE_TABLE(raised, "", NULL, "");

PYTHON_CALL_PLACE_TABLE(handled, "handler_", NULL, "");

/* Returns the innermost function of a place, with the line of a handler in the user's code. */
static struct pinsight_value innermost(const struct python_call_place *place, bool with_line) {
    if (!place->name)
        return pinsight_value_none();
    if (place->through || !with_line || !place->line)
        return pinsight_value_owned(
            pinsight_text_clean(place->through ? place->through : place->name));
    char *text = pinsight_format("%s:%d", place->name, place->line);
    char *clean = pinsight_text_clean(text);
    free(text);
    return pinsight_value_owned(clean);
}

/* Returns the name without its module. */
static const char *short_type(const struct pinsight_report *report, uint32_t type) {
    const char *name = pinsight_report_string(report, type), *dot = strrchr(name, '.');

    return dot ? dot + 1 : name;
}

VALUE(exception, struct exception_row, pinsight_value_text(short_type(report, row->type)))

VALUE(raiser, struct exception_row, innermost(&row->raised, false))

VALUE(handler, struct exception_row, innermost(&row->handled, true))

#define R(member) MEMBER(struct exception_row, member)
static const struct pinsight_column columns[] = {
    COLUMN("count", "times", COUNT, R(count), .style = PINSIGHT_BOLD),
    COLUMN("total_ns", "time", NS, R(total_ns), .needs = R(timed_handler), .width = 100),
    COLUMN("max_ns", "longest", NS, R(max_ns), .needs = R(timed)),
    COLUMN("frames", "left", COUNT, R(frames), .needs = R(handled.name), .width = 100),
    COLUMN("type", NULL, STRING_NUMBER, R(type)),
    GETTER("exception", "exception", TEXT, exception, .align = PINSIGHT_LEFT,
           .style = PINSIGHT_BOLD),
    INNER(NULL, &raised, R(raised)),
    INNER(NULL, &handled, R(handled)),
    GETTER("raiser", "raised in", TEXT, raiser, NAMES_IN(PYTHON), .none = "(not known)"),
    GETTER("handler", "handled in", TEXT, handler, NAMES_IN(PYTHON), .none = "none, or in C"),
};

static const struct pinsight_table table = {
    PINSIGHT_TITLED("Exceptions", "by number", "exceptions", columns),
    .make = make_rows,
    .screen = "count total_ns frames exception where raiser handler",
    .files = "type count frames total_ns max_ns function file line through handler_function "
             "handler_file handler_line handler_through",
};

static bool seen(const struct pinsight_report *report) {
    const struct pinsight_python *python = pinsight_model_python(report->model);

    return python && python->exceptions.count;
}

static const char *none(const struct pinsight_report *report) {
    (void)report;
    return "No exception was recorded: they are recorded where `exceptions = on` stands in the "
           "section [Python] of a configuration, or with PINSIGHT_EXCEPTIONS=on, on CPython 3.12 "
           "and "
           "later.";
}

static bool some_are_untimed(const struct pinsight_report *report) {
    const struct pinsight_exceptions *exceptions =
        &pinsight_model_python(report->model)->exceptions;

    for (size_t i = 0; i < exceptions->count; i++)
        if (exceptions->rows[i].untimed)
            return true;
    return false;
}

static void print(const struct pinsight_report *report, FILE *out, size_t limit) {
    if (!seen(report)) {
        pinsight_section_nothing(&pinsight_section_of_exceptions, report, out);
        return;
    }
    pinsight_section_print(report, out, &table, limit);
    if (some_are_untimed(report))
        pinsight_head_note(report, out,
                           "Exceptions were counted (MONITORING): the time from a "
                           "raise to its handler needs TRACING.");
}

const struct pinsight_section pinsight_section_of_exceptions = {
    PINSIGHT_SECTION("exceptions", "Exceptions", 10, seen, none),
    .about = "exceptions: types, and the lines that raise and handle them, in place of the\n"
             "tables",
    .example = "where exceptions are raised and handled",
    .table = &table,
    .screen = print,
};
