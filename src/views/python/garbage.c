/* Garbage collections, by the function and the line that they interrupt. */
#include "views/python/garbage.h"

#include "base/memory.h"
#include "base/order.h"
#include "base/units.h"
#include "reader/python/garbage.h"
#include "views/python/place.h"
#include "views/report/attribution.h"
#include "views/report/tables.h"

#define MUCH 0.01 /* share of all time, see pinsight_garbage_is_much */

/* Collections that interrupted one line of one function, by any path. */
struct garbage_row {
    struct pinsight_garbage sums;
    struct python_place place;
    uint64_t count, whole_ns;
};

ORDER(longest_first, struct garbage_row,
      BY(b->sums.total_ns, a->sums.total_ns) ?: BY(b->count, a->count) ?: BY(a->place.function, b->place.function)
                                                                     ?: BY(a->place.line, b->place.line))

static void add(struct garbage_row *row, const struct pinsight_garbage *garbage) {
    for (size_t i = 0; i < PINSIGHT_GENERATIONS; i++) {
        row->sums.count[i] += garbage->count[i];
        row->count += garbage->count[i];
    }
    row->sums.total_ns += garbage->total_ns;
    row->sums.self_ns += garbage->self_ns;
    row->sums.collected += garbage->collected;
    row->sums.uncollectable += garbage->uncollectable;
    if (garbage->max_ns > row->sums.max_ns)
        row->sums.max_ns = garbage->max_ns;
}

static struct garbage_row sum_of(const struct pinsight_model *model) {
    struct garbage_row all = {.count = 0};

    for (size_t i = 0; i < model->garbage_count; i++)
        add(&all, &model->garbage[i]);
    return all;
}

static struct pinsight_rows make_rows(const void *report) {
    const struct pinsight_model *model = ((const struct pinsight_report *)report)->model;
    struct garbage_row *rows = pinsight_calloc(model->garbage_count + 1, sizeof(*rows));
    uint64_t whole_ns = sum_of(model).sums.total_ns;
    struct pinsight_map map = {0};
    size_t count = 0;

    for (size_t i = 0; i < model->garbage_count; i++) {
        const struct pinsight_garbage *garbage = &model->garbage[i];
        uint32_t function = pinsight_garbage_function(model, garbage);
        int32_t line = pinsight_garbage_line(model, garbage);
        uint32_t at = pinsight_map_number(&map, function, (uint32_t)line, 0, count);

        count += at == count;
        rows[at].place = (struct python_place){function, line};
        rows[at].whole_ns = whole_ns;
        add(&rows[at], garbage);
    }
    PINSIGHT_SORT(rows, count, longest_first);
    pinsight_map_clear(&map);
    return PINSIGHT_MADE_ROWS(rows, count);
}

VALUE(share, struct garbage_row, pinsight_value_share(row->sums.total_ns, row->whole_ns))

#define R(member) MEMBER(struct garbage_row, member)
static const struct pinsight_column columns[] = {
    INNER(NULL, &python_place_table, R(place)),
    COLUMN("total_ns", "time", NS, R(sums.total_ns), .style = PINSIGHT_BOLD),
    GETTER("share", "%", SHARE, share),
    COLUMN("self_ns", "itself", NS, R(sums.self_ns)),
    COLUMN("max_ns", "longest", NS, R(sums.max_ns)),
    COLUMN("collections", "times", COUNT, R(count)),
    COLUMN("generation_0", "gen 0", COUNT, R(sums.count[0])),
    COLUMN("generation_1", "gen 1", COUNT, R(sums.count[1])),
    COLUMN("generation_2", "gen 2", COUNT, R(sums.count[2])),
    COLUMN("collected", "freed", COUNT, R(sums.collected)),
    COLUMN("uncollectable", NULL, COUNT, R(sums.uncollectable)),
};

static const struct pinsight_table table = {
    PINSIGHT_TITLED("Garbage collections by struck function", "by time", "gc", columns),
    .make = make_rows,
    .screen = "total_ns share self_ns max_ns generation_0 generation_1 generation_2 "
              "collected " PYTHON_PLACE_ON_SCREEN,
    .files = PYTHON_PLACE_IN_FILES "collections generation_0 generation_1 generation_2 total_ns "
                                   "self_ns max_ns collected uncollectable",
};

static bool seen(const struct pinsight_report *report) {
    return report->model->garbage_count != 0;
}

static const char *none(const struct pinsight_report *report) {
    return "No collection of garbage was recorded: there was none while Python was traced, or the "
           "event gc is off (--events function,c_call,gc). In MONITORING, a process that a signal "
           "ends does not record them.";
}

const struct pinsight_section pinsight_section_of_garbage = {
    PINSIGHT_SECTION("gc", "Garbage collections", 10, seen, none),
    .about = "collections of garbage by the Python lines that they struck, in place of the tables",
    .table = &table,
};

char *pinsight_garbage_text(const struct pinsight_report *report) {
    struct garbage_row all = sum_of(report->model);

    return seen(report) ? pinsight_format("%s in %s", pinsight_units_count(all.count).text,
                                          pinsight_units_time(all.sums.total_ns).text)
                        : NULL;
}

bool pinsight_garbage_is_much(const struct pinsight_report *report) {
    const struct pinsight_attribution_view *view = report->attribution;

    return (double)(view->gc_ns + view->counted_gc.self_ns) >= MUCH * (double)report->whole_ns;
}
