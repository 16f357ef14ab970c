/* Allocations of Python's memory by function and line. */
#include "views/python/allocations.h"

#include "base/memory.h"
#include "base/order.h"
#include "base/units.h"
#include "reader/kit/paths.h"
#include "views/python/place.h"
#include "views/report/head.h"
#include "views/report/tables.h"

#include <stdlib.h>

/* What one line of one function asked for, in all processes. */
struct allocation_row {
    struct python_place place;
    uint64_t count, bytes, whole_bytes;
    uint64_t blocks, live_bytes, peak_bytes;
    bool has_live; /* in this or another row */
};

struct allocation_rows {
    struct allocation_row *rows; /* the most bytes first */
    size_t count;
    struct allocation_row all;
};

ORDER(most_bytes_first, struct allocation_row,
      BY(b->bytes, a->bytes) ?: BY(b->count, a->count) ?: BY(a->place.function, b->place.function)
                                                      ?: BY(a->place.line, b->place.line))

static void add(struct allocation_row *row, const struct pinsight_allocated *allocated) {
    row->count += allocated->count;
    row->bytes += allocated->bytes;
    row->blocks += allocated->blocks;
    row->live_bytes += allocated->live_bytes;
    row->peak_bytes += allocated->peak_bytes;
    row->has_live |= allocated->has_live;
}

/* Its rows are to be freed. */
static struct allocation_rows make_rows(const struct pinsight_report *report) {
    const struct pinsight_model *model = report->model;
    struct allocation_rows rows = {
        .rows = pinsight_calloc(model->allocated_count + 1, sizeof(*rows.rows))};
    struct pinsight_map map = {0};

    for (size_t i = 0; i < model->allocated_count; i++) {
        const struct pinsight_allocated *allocated = &model->allocated[i];
        struct python_place place = {PINSIGHT_NONE, 0};
        uint32_t at;

        if (allocated->path != PINSIGHT_NONE)
            place = (struct python_place){model->paths[allocated->path].function,
                                          model->paths[allocated->path].line};
        at = pinsight_map_number(&map, place.function, (uint32_t)place.line, 0, rows.count);
        rows.count += at == rows.count;
        rows.rows[at].place = place;
        add(&rows.rows[at], allocated);
        add(&rows.all, allocated);
    }
    for (size_t i = 0; i < rows.count; i++) {
        rows.rows[i].whole_bytes = rows.all.bytes;
        rows.rows[i].has_live = rows.all.has_live;
    }
    PINSIGHT_SORT(rows.rows, rows.count, most_bytes_first);
    pinsight_map_clear(&map);
    return rows;
}

static bool has_live(const void *view) {
    const struct pinsight_model *model = ((const struct pinsight_report *)view)->model;
    bool has = false;

    for (size_t i = 0; i < model->allocated_count; i++)
        has |= model->allocated[i].has_live;
    return has;
}

VALUE(share, struct allocation_row, pinsight_value_share(row->bytes, row->whole_bytes))

VALUE(mean, struct allocation_row, pinsight_value_number(row->count ? row->bytes / row->count : 0))

#define R(member) MEMBER(struct allocation_row, member)
static const struct pinsight_column columns[] = {
    INNER(NULL, &python_place_table, R(place)),
    COLUMN("bytes", "bytes", BYTES, R(bytes), .style = PINSIGHT_BOLD),
    GETTER("share", "%", SHARE, share),
    COLUMN("count", "requests", COUNT, R(count)),
    GETTER("mean", "mean", BYTES, mean),
    COLUMN("live_blocks", NULL, COUNT, R(blocks), .needs = R(has_live)),
    COLUMN("live_bytes", "live", BYTES, R(live_bytes), .needs = R(has_live), .shown = has_live),
    COLUMN("peak_bytes", "peak", BYTES, R(peak_bytes), .needs = R(has_live), .shown = has_live),
};

#define KEYS PYTHON_PLACE_IN_FILES "count bytes live_blocks live_bytes peak_bytes"
static const struct pinsight_table table = {
    .title = "Allocations of Python's memory",
    .remark = "by bytes that were asked for",
    .key = "allocations",
    PINSIGHT_COLUMNS(columns),
    .screen = "bytes share count mean live_bytes peak_bytes " PYTHON_PLACE_ON_SCREEN,
    .json = KEYS,
    .csv = KEYS,
};

static bool seen(const struct pinsight_report *report) {
    return report->model->allocated_count != 0;
}

static const char *none(const struct pinsight_report *report) {
    return "No allocation was counted: they are counted where `allocations = on`, or live, stands "
           "in the "
           "section [Python] of a configuration, or with PINSIGHT_ALLOCATIONS=on.";
}

static void print(const struct pinsight_report *report, FILE *out, size_t limit) {
    struct allocation_rows rows = make_rows(report);

    if (rows.count) {
        pinsight_section_print_rows(report, out, &table, PINSIGHT_ROWS(rows.rows, rows.count),
                                    limit);
    } else {
        pinsight_head_section(report, out, "Allocations", NULL);
        pinsight_head_note(report, out, "%s", none(report));
    }
    free(rows.rows);
}

static void write_json(const struct pinsight_report *report, struct pinsight_json *json,
                       size_t limit) {
    struct pinsight_printing printing = pinsight_report_printing(report);
    struct allocation_rows rows = make_rows(report);

    pinsight_table_json(&table, &printing, PINSIGHT_ROWS(rows.rows, rows.count), limit, json);
    free(rows.rows);
}

static void write_csv(const struct pinsight_report *report, FILE *out, size_t limit) {
    struct pinsight_printing printing = pinsight_report_printing(report);
    struct allocation_rows rows = make_rows(report);

    pinsight_table_csv(&table, &printing, PINSIGHT_ROWS(rows.rows, rows.count), limit, out, true);
    free(rows.rows);
}

void pinsight_allocations_brief(const struct pinsight_report *report, FILE *out, size_t limit) {
    uint64_t count = 0, bytes = 0;
    char *remark;

    if (!seen(report))
        return;
    for (size_t i = 0; i < report->model->allocated_count; i++) {
        count += report->model->allocated[i].count;
        bytes += report->model->allocated[i].bytes;
    }
    remark = pinsight_format("%s requests for %s (--allocations shows them)",
                             pinsight_units_count(count).text, pinsight_units_size(bytes).text);
    pinsight_head_section(report, out, "Allocations", remark);
    free(remark);
}

const struct pinsight_section pinsight_section_of_allocations = {
    .option = "allocations",
    .share = 10,
    .seen = seen,
    .none = none,
    .screen = print,
    .csv = write_csv,
    .json = write_json,
};
