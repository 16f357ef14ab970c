/* The tables of OpenMP regions: by the user's line, and by the whole call path. */
#include "views/openmp/openmp.h"

#include "base/ascii.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "reader/kit/paths.h"
#include "views/report/head.h"
#include "views/report/lexgion.h"
#include "views/report/tables.h"

#include <stdlib.h>
#include <string.h>

/* Narrower screens leave out the column. */
#define WIDTH_FOR_COSTS 110

#define ON_SCREEN PINSIGHT_FORM_SCREEN

static const struct pinsight_omp_row *region(const void *row) {
    return row;
}

static const struct pinsight_function *function_at(const struct pinsight_report *report,
                                                   uint32_t path) {
    uint32_t function = path == PINSIGHT_NONE ? PINSIGHT_NONE : report->model->paths[path].function;

    return function == PINSIGHT_NONE ? NULL : &report->model->functions[function];
}

static uint64_t calls_of(const struct pinsight_omp_row *row) {
    return row->sums.calls + row->counted.calls;
}

static uint64_t total_of(const struct pinsight_omp_row *row) {
    return row->sums.total_ns + row->counted.total_ns;
}

VALUE(calls, void, pinsight_value_number(calls_of(row)))

VALUE(total, void, pinsight_value_number(total_of(row)))

VALUE(mean, void, pinsight_value_number(calls_of(row) ? total_of(row) / calls_of(row) : 0))

VALUE(threads, struct pinsight_omp_row,
      pinsight_value_number(row->sums.threads > row->counted_threads ? row->sums.threads
                                                                     : row->counted_threads))

static struct pinsight_value threads_on_screen(const void *view, const void *row) {
    struct pinsight_value value = threads(view, row);

    value.none = !value.number;
    return value;
}

VALUE(imbalance, struct pinsight_omp_region,
      (struct pinsight_value){.none = !(row->joined && row->mean_ns),
                              .real = pinsight_omp_imbalance(row)})

static struct pinsight_value imbalance_on_screen(const void *view, const void *row) {
    struct pinsight_value value = imbalance(view, row);

    value.none = !(value.real > 0);
    return value;
}

/* Returns the waiting of all threads, except at the barrier that ends the region. */
static struct pinsight_value waiting(const void *view, const void *row) {
    const struct pinsight_omp_region *sums = row;
    uint64_t waiting = 0;

    for (size_t i = 0; i < PINSIGHT_OMP_WAIT_COUNT; i++)
        waiting += sums->wait_ns[i];
    return pinsight_value_number(waiting - sums->imbalance_ns);
}

VALUE(fork_and_join, struct pinsight_omp_region, pinsight_value_number(row->fork_ns + row->join_ns))

/* Returns a place such as "solve.c:23", or else the name of its object. The caller frees it. */
static char *source_of(const struct pinsight_omp_row *row) {
    const char *source = row->source ? row->source : row->object;

    return pinsight_text_place(pinsight_text_file(source), row->source ? row->source_line : 0);
}

VALUE(source, void, pinsight_value_owned(source_of(row)))

/* Returns the name of the function with the user's line, for a screen. */
static struct pinsight_value caller(const void *view, const void *row) {
    const struct pinsight_report *report = view;
    const struct pinsight_function *function = function_at(report, region(row)->users);

    if (!function)
        return pinsight_value_text(region(row)->sums.calls ? "(no Python)" : "(counted)");
    return pinsight_value_text(function->known ? pinsight_report_string(report, function->name)
                                               : "(name not recorded)");
}

static struct pinsight_value caller_place(const void *view, const void *row) {
    const struct pinsight_report *report = view;
    const struct pinsight_function *function = function_at(report, region(row)->users);

    if (!function)
        return pinsight_value_none();
    return pinsight_value_owned(pinsight_text_place(pinsight_report_string(report, function->file),
                                                    report->model->paths[region(row)->users].line));
}

static struct pinsight_value python_function(const void *view, const void *row) {
    const struct pinsight_function *function = function_at(view, region(row)->users);

    return pinsight_value_text(function ? pinsight_report_string(view, function->name) : NULL);
}

static struct pinsight_value python_file(const void *view, const void *row) {
    const struct pinsight_function *function = function_at(view, region(row)->users);

    return pinsight_value_text(function ? pinsight_report_string(view, function->file) : NULL);
}

static struct pinsight_value python_line(const void *view, const void *row) {
    const struct pinsight_report *report = view;
    uint32_t users = region(row)->users;

    return users == PINSIGHT_NONE ? pinsight_value_none()
                                  : pinsight_value_signed(report->model->paths[users].line);
}

VALUE(python_line_of_function, struct pinsight_omp_row,
      function_at(report, row->users) ? python_line(report, row) : pinsight_value_none())

static void write_path(struct pinsight_json *json, const struct pinsight_printing *printing,
                       const void *row) {
    const struct pinsight_report *report = printing->view;
    size_t count;
    uint32_t *frames = pinsight_path_frames(report->model, region(row)->path, &count);

    pinsight_json_open(json, "python_path", '[');
    for (size_t i = 0; i < count; i++) {
        const struct pinsight_function *function = function_at(report, frames[i]);

        pinsight_json_open(json, NULL, '{');
        pinsight_json_text(json, "function",
                           function ? pinsight_report_string(report, function->name) : NULL);
        pinsight_json_text(json, "file",
                           function ? pinsight_report_string(report, function->file) : NULL);
        pinsight_json_signed(json, "line", report->model->paths[frames[i]].line);
        pinsight_json_close(json, '}');
    }
    pinsight_json_close(json, ']');
    free(frames);
}

static void write_thread_work(struct pinsight_json *json, const struct pinsight_printing *printing,
                              const void *row) {
    const struct pinsight_omp_region *sums = row;

    pinsight_json_open(json, "thread_work_ns", '[');
    for (uint32_t i = 0; i < sums->thread_work_count; i++)
        pinsight_json_unsigned(json, NULL, sums->thread_work_ns[i]);
    pinsight_json_close(json, ']');
}

VALUE(lexgion, struct pinsight_omp_row,
      pinsight_value_owned(pinsight_lexgion_native("OpenMP", row->object, row->offset)))

#define S(member) MEMBER(struct pinsight_omp_region, member)
static const struct pinsight_column sum_columns[] = {
    COLUMN("kind", NULL, WORD, S(kind), .word = pinsight_omp_kind_word),
    COLUMN("min_ns", NULL, NS, S(min_ns), .needs = S(calls)),
    COLUMN("max_ns", NULL, NS, S(max_ns), .needs = S(calls)),
    COLUMN("nested_calls", NULL, COUNT, S(nested)),
    COLUMN("measured_calls", NULL, COUNT, S(measured)),
    COLUMN("threads", NULL, COUNT, S(threads), .only = PINSIGHT_FORM_CSV),
    FIELD(NS, S, work_ns),
    GETTER("imbalance", NULL, REAL, imbalance, .only = PINSIGHT_FORM_JSON | PINSIGHT_FORM_CSV),
    GETTER("imbalance", "imbalance", REAL, imbalance_on_screen, .only = ON_SCREEN),
    FIELD(NS, S, imbalance_ns),
    COLUMN("lost", "lost", NS, S(imbalance_ns), .needs = S(measured)),
    COLUMN("wait_ns", NULL, NS, S(wait_ns), .word = pinsight_omp_wait_word,
           .parts = PINSIGHT_OMP_WAIT_COUNT, .part_prefix = "wait_"),
    GETTER("waiting", "waiting", NS, waiting, .needs = S(measured)),
    FIELDS(NS, S, fork_ns, join_ns),
    GETTER("costs", "fork+join", NS, fork_and_join, .needs = S(measured), .width = WIDTH_FOR_COSTS),
    FIELD(COUNT, S, tasks),
    WRITER("thread_work_ns", write_thread_work),
    INNER("caller", &pinsight_omp_caller_table, S(caller)),
};
static const struct pinsight_table sums = {PINSIGHT_COLUMNS(sum_columns)};

#define R(member) MEMBER(struct pinsight_omp_row, member)
static const struct pinsight_column columns[] = {
    COLUMN("name", "region", STRING, R(name), NAMES_IN(C)),
    FIELD(TEXT, R, object),
    FIELD(ID, R, offset),
    FIELD(TEXT, R, symbol),
    COLUMN("source_file", NULL, TEXT, R(source)),
    COLUMN("source_line", NULL, SIGNED, R(source_line), .needs = R(source)),
    GETTER("source", "in", TEXT, source, NAMES_IN(DIM)),
    GETTER("python_function", NULL, TEXT, python_function),
    GETTER("python_file", NULL, TEXT, python_file),
    GETTER("python_line", NULL, SIGNED, python_line, .only = PINSIGHT_FORM_JSON),
    GETTER("python_line", NULL, SIGNED, python_line_of_function),
    WRITER("python_path", write_path),
    GETTER("caller_name", "started by", TEXT, caller, NAMES_IN(PYTHON)),
    GETTER("caller_place", "at", TEXT, caller_place, NAMES_IN(DIM)),
    GETTER("calls", "calls", COUNT, calls),
    GETTER("total_ns", "total", NS, total, .style = PINSIGHT_BOLD),
    GETTER("mean_ns", "mean", NS, mean),
    GETTER("threads", NULL, COUNT, threads, .only = PINSIGHT_FORM_JSON),
    GETTER("threads", "threads", ID, threads_on_screen, .only = ON_SCREEN),
    INNER(NULL, &sums, R(sums)),
    COLUMN("counted_calls", NULL, COUNT, R(counted.calls)),
    COLUMN("counted_total_ns", NULL, NS, R(counted.total_ns)),
    GETTER("lexgion", NULL, TEXT, lexgion),
};

#define PLACES(over)                                                                               \
    {                                                                                              \
        .title = over, .remark = "by total time", OMP_ROWS(places, place_count),                   \
        PINSIGHT_COLUMNS(columns),                                                                 \
        .screen = "total_ns calls mean_ns threads imbalance lost waiting costs name source "       \
                  "caller_name caller_place"                                                       \
    }

const struct pinsight_table pinsight_omp_place_table = PLACES("Parallel regions");
static const struct pinsight_table places_brief = PLACES("OpenMP regions");

const struct pinsight_table pinsight_omp_region_table = {
    PINSIGHT_LIST("regions", columns),
    OMP_ROWS(regions, region_count),
    .json = "name kind object offset symbol source_file source_line python_function python_file "
            "python_line python_path calls total_ns mean_ns min_ns max_ns nested_calls "
            "measured_calls threads work_ns imbalance imbalance_ns wait_ns fork_ns join_ns tasks "
            "thread_work_ns caller counted_calls counted_total_ns lexgion",
    .csv =
        "name object symbol source_file source_line python_function python_file python_line calls "
        "total_ns threads work_ns imbalance imbalance_ns fork_ns join_ns wait_ns counted_calls",
};

void pinsight_section_openmp_brief(const struct pinsight_report *report, FILE *out, size_t limit) {
    pinsight_section_print(report, out, &places_brief, limit);
}

#define FRAME_INDENT 13

/* Writes one frame of a path, with a mark at the user's line. */
static void print_frame(const struct pinsight_report *report, FILE *out, uint32_t frame,
                        bool users) {
    const struct pinsight_function *function = function_at(report, frame);
    bool known = function && function->known;
    char *name = pinsight_ascii_shown(pinsight_text_clean(
        known ? pinsight_report_string(report, function->name) : "(name not recorded)"));
    char *place = pinsight_ascii_shown(
        pinsight_text_place(known ? pinsight_report_string(report, function->file) : "",
                            report->model->paths[frame].line));

    const char *mark = !users ? "  " : pinsight_ascii_wanted() ? "->" : "→ ";
    size_t room = report->options.width - FRAME_INDENT - 2;

    name = pinsight_realloc(name, strlen(name) + 4, 1);
    place = pinsight_realloc(place, strlen(place) + 4, 1);
    pinsight_text_cut(place, room / 2);
    pinsight_text_cut(name, room - pinsight_text_width(place));
    fprintf(out, " %s%*s", mark, FRAME_INDENT - 3, "");
    pinsight_styled(out, report->options.colour, PINSIGHT_PYTHON, "%s", name);
    pinsight_styled(out, report->options.colour, PINSIGHT_DIM, "  %s\n", place);
    free(name);
    free(place);
}

void pinsight_omp_print_paths(const struct pinsight_report *report, FILE *out, size_t limit) {
    const struct pinsight_omp_view *view = report->openmp;
    size_t shown =
        pinsight_section_rows(report, out, "Parallel regions, and the call paths that started them",
                              "by total time; → is your line", view->region_count, limit);

    for (size_t i = 0; i < shown; i++) {
        const struct pinsight_omp_row *row = &view->regions[i];
        struct pinsight_units time = pinsight_units_time(total_of(row));
        char *name = pinsight_text_clean(row->name), *where = source_of(row);
        size_t count;
        uint32_t *frames = pinsight_path_frames(report->model, row->path, &count);

        size_t room = report->options.width - FRAME_INDENT - 2;

        name = pinsight_realloc(name, strlen(name) + 4, 1);
        where = pinsight_realloc(where, strlen(where) + 4, 1);
        pinsight_text_cut(name, room);
        pinsight_text_cut(where, room);
        char *mark =
            pinsight_format("%*s%s  ", (int)(10 - pinsight_text_width(time.text)), "", time.text);
        pinsight_paragraph(out, report->options.colour, PINSIGHT_C, report->options.width, mark,
                           "%s, %s: %s call%s", name, where,
                           pinsight_units_count(calls_of(row)).text, calls_of(row) == 1 ? "" : "s");
        for (size_t f = 0; f < count; f++)
            print_frame(report, out, frames[f], frames[f] == row->users);
        PINSIGHT_FREE(frames, where, name, mark);
    }
}
