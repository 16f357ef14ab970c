/* The report's section on the starts of threads and processes. */
#include "reader/core/starts.h"

#include "base/memory.h"
#include "base/order.h"
#include "base/text.h"
#include "reader/model.h"
#include "views/process_name.h"
#include "views/python/python.h"
#include "views/report/call_place.h"
#include "views/report/sections.h"
#include "views/report/tables.h"

#include <stdlib.h>
#include <string.h>

/* Threads that one line of one thread started for one function. */
struct start_row {
    const struct pinsight_start *first;
    const char *name, *starter; /* of the first one */
    struct python_call_place runs, place;
    uint64_t count;
};

static int compare_texts(const char *a, const char *b) {
    return strcmp(a ? a : "", b ? b : "");
}

ORDER(by_origin, struct start_row,
      python_call_place_compare(&a->place, &b->place)
          ?: BY(a->first->runs, b->first->runs) ?: python_call_place_compare(&a->runs, &b->runs)
          ?: compare_texts(a->starter, b->starter) ?: BY(a->first, b->first))
ORDER(by_count, struct start_row, BY(b->count, a->count) ?: BY(a->first, b->first))

/* Makes a row for each OS thread whose start is known. */
static struct start_row *each(const struct pinsight_report *report, size_t *count) {
    const struct pinsight_starts *all = &report->model->starts;
    struct start_row *rows = pinsight_calloc(all->count + 1, sizeof(*rows));

    *count = 0;
    for (size_t i = 0; i < all->count; i++) {
        const struct pinsight_start *start = &all->starts[i];

        if (!start->thread->selected || start->thread->number == 0 ||
            !pinsight_start_is_there(start))
            continue;
        rows[(*count)++] = (struct start_row){
            .first = start,
            .name = start->name ? pinsight_report_string(report, start->name) : NULL,
            .starter = pinsight_starts_starter(report->model, start),
            .runs = python_call_place_of(report, start->runs_path, start->runs_path),
            .place = python_call_place(report, start->path),
            .count = 1};
    }
    return rows;
}

static bool is_same(const struct start_row *a, const struct start_row *b) {
    return python_call_place_compare(&a->place, &b->place) == 0 &&
           a->first->runs == b->first->runs && python_call_place_compare(&a->runs, &b->runs) == 0 &&
           compare_texts(a->starter, b->starter) == 0;
}

static struct pinsight_rows make_rows(const void *view) {
    size_t count, used = 0;
    struct start_row *rows = each(view, &count);

    PINSIGHT_SORT(rows, count, by_origin);
    for (size_t i = 0; i < count; i++) {
        if (used && is_same(&rows[used - 1], &rows[i]))
            rows[used - 1].count++;
        else
            rows[used++] = rows[i];
    }
    PINSIGHT_SORT(rows, used, by_count);
    return PINSIGHT_MADE_ROWS(rows, used);
}

static struct pinsight_rows make_each(const void *view) {
    size_t count;
    struct start_row *rows = each(view, &count);

    return PINSIGHT_MADE_ROWS(rows, count);
}

PYTHON_CALL_PLACE_TABLE(place, "", "started in", "");

VALUE(runs, struct start_row,
      row->first->runs
          ? pinsight_value_owned(pinsight_text_clean(pinsight_report_string(report,
                                                                            row->first->runs)))
          : pinsight_value_none())

VALUE(names, struct start_row,
      pinsight_value_owned(row->count > 1 && row->name ? pinsight_format("%s, …", row->name)
                           : row->name                 ? pinsight_strdup(row->name)
                                                       : NULL))

VALUE(pid, struct start_row, pinsight_value_signed(row->first->thread->process->pid))

VALUE(number, struct start_row,
      row->first->thread->number < 0 ? pinsight_value_none()
                                     : pinsight_value_signed(row->first->thread->number))

VALUE(tid, struct start_row, pinsight_value_number(row->first->tid))

VALUE(starter_tid, struct start_row,
      row->first->observed ? pinsight_value_number(row->first->starter_tid) : pinsight_value_none())

#define R(member) MEMBER(struct start_row, member)
static const struct pinsight_column columns[] = {
    COLUMN("count", "threads", COUNT, R(count), .style = PINSIGHT_BOLD),
    GETTER("pid", NULL, SIGNED, pid),
    GETTER("python_thread_id", NULL, SIGNED, number),
    GETTER("tid", NULL, ID, tid),
    COLUMN("name", NULL, TEXT, R(name), .only = PINSIGHT_FORM_JSON | PINSIGHT_FORM_CSV),
    GETTER("names", "name", TEXT, names, .align = PINSIGHT_LEFT),
    GETTER("runs", "runs", TEXT, runs, NAMES_IN(PYTHON), .none = "(not known)"),
    COLUMN("runs_file", NULL, TEXT, MEMBER(struct start_row, runs.file)),
    COLUMN("runs_line", NULL, SIGNED, MEMBER(struct start_row, runs.line),
           .needs = MEMBER(struct start_row, runs.name)),
    GETTER("starter_tid", NULL, ID, starter_tid),
    COLUMN("starter", "starter", TEXT, R(starter), .align = PINSIGHT_FLEXIBLE, .width = 100),
    COLUMN("in", "started in", TEXT, MEMBER(struct start_row, place.name), NAMES_IN(PYTHON),
           .none = "(not known)"),
    INNER(NULL, &place, R(place)),
};

static const struct pinsight_table table = {
    PINSIGHT_TITLED("Starts of threads", "by number", "thread_starts", columns),
    .make = make_rows,
    .screen = "count names runs in where starter",
};

static const struct pinsight_table lines = {
    PINSIGHT_LIST("thread_starts", columns),
    .make = make_each,
    .files = "pid python_thread_id tid name runs runs_file runs_line starter starter_tid function "
             "file line through",
};

static bool has_starts(const struct pinsight_report *report) {
    size_t count;

    free(each(report, &count));
    return count > 0;
}

static bool seen(const struct pinsight_report *report) {
    return has_starts(report) || view_processes_are_named(report->model);
}

static const char *none(const struct pinsight_report *report) {
    (void)report;
    return "The program started no thread with an event, and no process.";
}

static void screen(const struct pinsight_report *report, FILE *out, size_t limit) {
    if (!seen(report))
        pinsight_section_nothing(&pinsight_section_of_starts, report, out);
    pinsight_section_print(report, out, &table, limit);
    pinsight_section_processes(report, out, limit);
}

static void csv(const struct pinsight_report *report, FILE *out, size_t limit) {
    pinsight_report_lines(report, out, &lines, limit, true);
}

static void json(const struct pinsight_report *report, struct pinsight_json *to, size_t limit) {
    pinsight_report_list(report, to, &lines, limit);
}

const struct pinsight_section pinsight_section_of_starts = {
    PINSIGHT_SECTION("starts", "Starts", 10, seen, none),
    .about = "starts of threads and processes: their functions, and the lines that started\n"
             "them, in place of the tables",
    .example = "who started which thread and process",
    .screen = screen,
    .csv = csv,
    .json = json,
};
