/* Allocations of Python's memory, by function and line. */
#include "views/python/allocations.h"

#include "base/memory.h"
#include "base/order.h"
#include "base/units.h"
#include "reader/kit/paths.h"
#include "views/python/place.h"
#include "views/report/tables.h"

/* The allocations of one line of one function, in all processes. */
struct allocation_row {
    struct python_place place;
    uint64_t count, bytes, whole_bytes;
    uint64_t blocks, live_bytes, peak_bytes;
    bool has_live; /* in this row or in another one */
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

static struct pinsight_rows make_rows(const void *report) {
    const struct pinsight_model *model = ((const struct pinsight_report *)report)->model;
    struct allocation_row *rows = pinsight_calloc(model->allocated_count + 1, sizeof(*rows));
    struct allocation_row all = {.count = 0};
    struct pinsight_map map = {0};
    size_t count = 0;

    for (size_t i = 0; i < model->allocated_count; i++) {
        const struct pinsight_allocated *allocated = &model->allocated[i];
        struct python_place place = {PINSIGHT_NONE, 0};
        uint32_t at;

        if (allocated->path != PINSIGHT_NONE)
            place = (struct python_place){model->paths[allocated->path].function,
                                          model->paths[allocated->path].line};
        at = pinsight_map_number(&map, place.function, (uint32_t)place.line, 0, count);
        count += at == count;
        rows[at].place = place;
        add(&rows[at], allocated);
        add(&all, allocated);
    }
    for (size_t i = 0; i < count; i++) {
        rows[i].whole_bytes = all.bytes;
        rows[i].has_live = all.has_live;
    }
    PINSIGHT_SORT(rows, count, most_bytes_first);
    pinsight_map_clear(&map);
    return PINSIGHT_MADE_ROWS(rows, count);
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

static const struct pinsight_table table = {
    PINSIGHT_TITLED("Allocations of Python's memory", "by bytes that were asked for", "allocations",
                    columns),
    .make = make_rows,
    .screen = "bytes share count mean live_bytes peak_bytes " PYTHON_PLACE_ON_SCREEN,
    .files = PYTHON_PLACE_IN_FILES "count bytes live_blocks live_bytes peak_bytes",
};

static bool seen(const struct pinsight_report *report) {
    return report->model->allocated_count != 0;
}

static const char *none(const struct pinsight_report *report) {
    return "No allocation was counted: they are counted where `allocations = on`, or live, stands "
           "in the "
           "section [Python] of a configuration, or with PINSIGHT_ALLOCATIONS=on. A process that a "
           "signal ends does not record them.";
}

const struct pinsight_section pinsight_section_of_allocations = {
    PINSIGHT_SECTION("allocations", "Allocations", 10, seen, none),
    .about = "requests of Python lines for Python's memory, in place of the tables",
    .table = &table,
};

char *pinsight_allocations_text(const struct pinsight_report *report) {
    uint64_t count = 0, bytes = 0;

    for (size_t i = 0; i < report->model->allocated_count; i++) {
        count += report->model->allocated[i].count;
        bytes += report->model->allocated[i].bytes;
    }
    return seen(report) ? pinsight_format("%s requests for %s", pinsight_units_count(count).text,
                                          pinsight_units_size(bytes).text)
                        : NULL;
}
