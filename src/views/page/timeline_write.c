/* Writes the run along its time for a page; docs/page.md describes the form. */
#include "base/memory.h"
#include "views/domain.h"
#include "views/lanes.h"
#include "views/page/page.h"

#include <math.h>
#include <stdlib.h>

/* Few screens are wider in pixels. A level for the whole run needs no finer resolution. */
#define PIXELS 1024
/* The factor between two levels. */
#define STEP 4
/* A level that saves fewer boxes than this part is not worth its bytes. */
#define WORTH 1 / 2
/* The most bytes of the finest level. Compression takes a third away, and base64 adds it again. The
 * coarser levels and the bins have about half as many bytes. A page then has less than 20 MB. */
#define LEVEL_BYTES_MOST ((size_t)10 << 20)

static size_t written_rows(const struct page_track *track) {
    return track->row_count;
}

static size_t count_boxes(const struct page_row *rows, size_t count) {
    size_t boxes = 0;

    for (size_t i = 0; i < count; i++)
        boxes += rows[i].count;
    return boxes;
}

static void write_level(const struct page_row *rows, size_t count, uint64_t resolution_ns,
                        uint64_t from_ns, struct pinsight_json *json, struct page_bytes *bytes) {
    pinsight_json_open(json, NULL, '{');
    pinsight_json_unsigned(json, "resolution_ns", resolution_ns);
    pinsight_json_unsigned(json, "offset", bytes->count);
    pinsight_json_unsigned(json, "boxes", count_boxes(rows, count));
    pinsight_json_close(json, '}');
    for (size_t i = 0; i < count; i++)
        page_row_write(&rows[i], from_ns, bytes);
}

/* Writes the finest level, and coarser ones until one fits the whole run. */
static void write_levels(struct page *page, struct page_row *rows, size_t count,
                         struct pinsight_json *json, struct page_bytes *bytes) {
    const struct pinsight_model *model = page->contexts.model;
    const uint64_t whole = model->last_ns > model->first_ns ? model->last_ns - model->first_ns : 1;
    page->resolution_ns =
        page_rows_fit(rows, count, model->first_ns, page->resolution_ns, LEVEL_BYTES_MOST);
    const uint64_t least = (page->resolution_ns ? page->resolution_ns : 64) * STEP;
    uint64_t resolution = whole / PIXELS + 1;
    size_t boxes = count_boxes(rows, count);
    struct page_row *level = rows;

    pinsight_json_open(json, "levels", '[');
    write_level(rows, count, page->resolution_ns, model->first_ns, json, bytes);
    while (resolution / STEP >= least)
        resolution /= STEP;
    for (; resolution <= whole / PIXELS + 1; resolution *= STEP) {
        struct page_row *next = pinsight_calloc(count ? count : 1, sizeof(*next));
        size_t now;

        for (size_t i = 0; i < count; i++)
            next[i] = page_row_level(&level[i], resolution);
        now = count_boxes(next, count);
        if (now > boxes * WORTH) {
            for (size_t i = 0; i < count; i++)
                page_row_clear(&next[i]);
            free(next);
            continue;
        }
        write_level(next, count, resolution, model->first_ns, json, bytes);
        for (size_t i = 0; level != rows && i < count; i++)
            page_row_clear(&level[i]);
        if (level != rows)
            free(level);
        level = next;
        boxes = now;
    }
    for (size_t i = 0; level != rows && i < count; i++)
        page_row_clear(&level[i]);
    if (level != rows)
        free(level);
    pinsight_json_close(json, ']');
}

static const char *kind_of(const struct pinsight_track *track) {
    if (track->thread)
        return "thread";
    return track->stream->is_task ? "task" : track->stream->is_ranges ? "ranges" : "stream";
}

/* Writes a track: its name, its place among the others, and its number of rows. */
static void write_track(struct page *page, struct pinsight_lanes *lanes, size_t index,
                        struct pinsight_json *json) {
    const struct page_track *own = &page->tracks[index];
    const struct pinsight_track *track = own->track;
    char name[256];

    pinsight_json_open(json, NULL, '{');
    pinsight_json_unsigned(json, "track", index);
    pinsight_json_unsigned(json, "rows", written_rows(own));
    pinsight_json_unsigned(json, "slices", own->slices);
    pinsight_json_unsigned(json, "deeper", own->deeper);
    if (own->root != PINSIGHT_NONE)
        pinsight_json_unsigned(json, "root", own->root);
    if (track) {
        const struct pinsight_row_place place = pinsight_row_place_of(track);
        const struct pinsight_lane *lane = pinsight_lane_of(lanes, track);

        pinsight_json_string(json, "name",
                             pinsight_track_name(page->contexts.model, track, name, sizeof(name)));
        pinsight_json_string(json, "kind", kind_of(track));
        pinsight_json_unsigned(json, "process", pinsight_track_process(track)->index);
        pinsight_json_signed(json, "pid", place.pid);
        pinsight_json_unsigned(json, "tid", place.tid);
        pinsight_json_signed(json, "python_thread", place.python_thread);
        pinsight_json_signed(json, "order", pinsight_lane_order(lane));
    }
    pinsight_json_close(json, '}');
}

/* Writes the processes of tracks, in the order of showing. */
static void write_processes(const struct page *page, const struct pinsight_lanes *lanes,
                            struct pinsight_json *json) {
    const struct pinsight_model *model = page->contexts.model;
    char name[512];

    pinsight_json_open(json, "processes", '[');
    for (size_t i = 0; i < lanes->process_count; i++) {
        const struct pinsight_lane_process *lane = &lanes->processes[i];
        const struct pinsight_process *process = lane->process;

        pinsight_json_open(json, NULL, '{');
        pinsight_json_unsigned(json, "process", process->index);
        pinsight_json_string(json, "name",
                             pinsight_track_process_name(model, process, name, sizeof(name)));
        pinsight_json_signed(json, "pid", process->pid);
        pinsight_json_signed(json, "rank", view_process_rank(process));
        pinsight_json_string(json, "host",
                             pinsight_strings_text(&model->strings, process->hostname));
        pinsight_json_signed(json, "order", pinsight_lane_process_order(lane));
        pinsight_json_close(json, '}');
    }
    pinsight_json_close(json, ']');
}

/* Writes a list of bins for each track and node. */
static void write_bins(struct page *page, struct pinsight_json *json, struct page_bytes *bytes) {
    struct page_bins *bins = &page->bins;

    page_bins_sort(bins);
    pinsight_json_open(json, "bins", '{');
    pinsight_json_unsigned(json, "begin_ns",
                           bins->base_ns > page->contexts.model->first_ns
                               ? bins->base_ns - page->contexts.model->first_ns
                               : 0);
    pinsight_json_unsigned(json, "width_ns", bins->width_ns);
    pinsight_json_unsigned(json, "entries", bins->count);
    pinsight_json_unsigned(json, "offset", bytes->count);
    pinsight_json_close(json, '}');
    for (size_t i = 0; i < bins->count;) {
        const struct page_bin_entry *first = &bins->entries[i];
        size_t end = i;
        uint32_t bin = 0;

        while (end < bins->count && bins->entries[end].track == first->track &&
               bins->entries[end].node == first->node)
            end++;
        page_bytes_number(bytes, first->track);
        page_bytes_number(bytes, first->node);
        page_bytes_number(bytes, end - i);
        for (; i < end; i++) {
            page_bytes_number(bytes, bins->entries[i].bin - bin);
            bin = bins->entries[i].bin;
            page_bytes_number(bytes, bins->entries[i].calls);
            page_bytes_number(bytes, bins->entries[i].self_ns);
            page_bytes_number(bytes, bins->entries[i].away_ns);
        }
    }
}

/* Writes columns of flows, and marks as [name, track, time]. */
static void write_arrows(const struct page *page, struct pinsight_json *json,
                         struct page_bytes *bytes) {
    const struct page_arrows *arrows = &page->arrows;
    const uint64_t begin_ns = page->contexts.model->first_ns;
    uint64_t last = begin_ns, all;
    size_t count;
    struct page_arrow *flows = page_arrows_sorted(arrows, &count, &all);

    pinsight_json_open(json, "flows", '{');
    pinsight_json_unsigned(json, "flows", count);
    pinsight_json_unsigned(json, "all", all);
    pinsight_json_unsigned(json, "offset", bytes->count);
    pinsight_json_close(json, '}');
    for (size_t i = 0; i < count; i++) {
        page_bytes_difference(bytes, last, flows[i].from_ns);
        last = flows[i].from_ns;
    }
    for (size_t i = 0; i < count; i++)
        page_bytes_difference(bytes, flows[i].from_ns, flows[i].to_ns);
    for (size_t i = 0; i < count; i++)
        page_bytes_number(bytes, flows[i].from);
    for (size_t i = 0; i < count; i++)
        page_bytes_number(bytes, flows[i].to);
    for (size_t i = 0; i < count; i++)
        page_bytes_number(bytes, flows[i].kind);
    for (size_t i = 0; i < count; i++)
        page_bytes_number(bytes, flows[i].bytes);
    free(flows);
    pinsight_json_open(json, "marks", '[');
    for (size_t i = 0; i < arrows->mark_count; i++) {
        const struct page_mark *mark = &arrows->marks[i];

        pinsight_json_open(json, NULL, '[');
        pinsight_json_string(json, NULL, mark->name);
        pinsight_json_unsigned(json, NULL, mark->track);
        pinsight_json_signed(json, NULL, (int64_t)(mark->ns - begin_ns));
        pinsight_json_close(json, ']');
    }
    pinsight_json_close(json, ']');
    pinsight_json_unsigned(json, "all_marks", arrows->all_marks);
}

/* Writes values as the numbers that `of` has of each point. */
#define WRITE_VALUES(json, key, counter, of)                                                       \
    do {                                                                                           \
        pinsight_json_open(json, key, '[');                                                        \
        for (size_t point_ = 0; point_ < (counter)->count; point_++)                               \
            pinsight_json_double(json, NULL, (counter)->points[point_].of);                        \
        pinsight_json_close(json, ']');                                                            \
    } while (0)

/* Writes the values of counters. A number of running threads that never exceeds one says no more
 * than the thread's track. */
static void write_counters(const struct page *page, struct pinsight_json *json,
                           struct page_bytes *bytes) {
    static const char *const kinds[] = {"value", "threads running", "messages in flight",
                                        "GIL held, %", "resident memory"};
    const struct page_counters *counters = &page->counters;

    pinsight_json_open(json, "counters", '[');
    for (size_t i = 0; i < counters->count; i++) {
        const struct page_counter *counter = &counters->counters[i];
        uint64_t last = page->contexts.model->first_ns;
        double most = 0;

        for (size_t p = 0; p < counter->count; p++)
            most = fmax(most, counter->points[p].most);
        if (counter->kind == PAGE_COUNTER_RUNNING && most <= 1)
            continue;
        pinsight_json_open(json, NULL, '{');
        pinsight_json_string(json, "kind", kinds[counter->kind]);
        if (counter->name)
            pinsight_json_string(json, "name", counter->name);
        if (counter->process != PINSIGHT_NONE)
            pinsight_json_unsigned(json, "process", counter->process);
        pinsight_json_unsigned(json, "all", counter->values);
        pinsight_json_unsigned(json, "width_ns", counter->width_ns);
        pinsight_json_unsigned(json, "offset", bytes->count);
        for (size_t p = 0; p < counter->count; p++) {
            page_bytes_difference(bytes, last, counter->points[p].ns);
            last = counter->points[p].ns;
        }
        WRITE_VALUES(json, "last", counter, last);
        if (counter->width_ns) {
            WRITE_VALUES(json, "least", counter, least);
            WRITE_VALUES(json, "most", counter, most);
        }
        pinsight_json_close(json, '}');
    }
    pinsight_json_close(json, ']');
    pinsight_json_unsigned(json, "values_left_out", counters->left_out);
}

void page_timeline_write(struct page *page, struct pinsight_json *json, struct page_bytes *bytes) {
    const struct pinsight_model *model = page->contexts.model;
    struct pinsight_lanes lanes = {.model = model};
    struct page_row *rows;
    size_t count = 0;

    page_timeline_gils(page); /* at the end of the trace */
    pinsight_json_open(json, "timeline", '{');
    pinsight_json_unsigned(json, "begin_ns", model->first_ns);
    pinsight_json_unsigned(json, "end_ns", model->last_ns);
    pinsight_json_open(json, "tracks", '[');
    for (size_t i = 0; i < page->track_count; i++) {
        write_track(page, &lanes, i, json);
        count += written_rows(&page->tracks[i]);
    }
    pinsight_json_close(json, ']');
    write_processes(page, &lanes, json);
    pinsight_lanes_clear(&lanes);
    rows = pinsight_calloc(count ? count : 1, sizeof(*rows));
    count = 0;
    for (size_t i = 0; i < page->track_count; i++)
        for (size_t r = 0; r < written_rows(&page->tracks[i]); r++)
            rows[count++] = page->tracks[i].rows[r];
    write_levels(page, rows, count, json, bytes);
    free(rows);
    write_bins(page, json, bytes);
    write_arrows(page, json, bytes);
    write_counters(page, json, bytes);
    pinsight_json_close(json, '}');
}
