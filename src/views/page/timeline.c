/* Collects a run for a page while it is read: boxes for each track and depth, and bins of time. */
#include "base/memory.h"
#include "reader/mpi/mpi.h"
#include "reader/python/gil.h"
#include "views/page/page.h"

#include <stdlib.h>

static uint64_t least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static struct page_track *track_of(struct page *page, const struct pinsight_track *track) {
    struct page_track *own;

    page->tracks =
        pinsight_reach(page->tracks, track->number - 1, &page->track_count, sizeof(*page->tracks));
    own = &page->tracks[track->number - 1];
    if (!own->track) {
        own->track = track;
        own->root = PINSIGHT_NONE;
    }
    return own;
}

/* Makes the finest level coarser, until at most half of the boxes are left. */
static void thin(struct page *page) {
    while (page->boxes > page->boxes_most / 2) {
        page->resolution_ns = page->resolution_ns ? page->resolution_ns * 2 : PAGE_RESOLUTION_NS;
        page->boxes = 0;
        for (size_t i = 0; i < page->track_count; i++)
            for (size_t r = 0; r < page->tracks[i].row_count; r++) {
                page_row_thin(&page->tracks[i].rows[r], page->resolution_ns);
                page->boxes += page->tracks[i].rows[r].count;
            }
        if (page->resolution_ns > UINT64_MAX / 4)
            return;
    }
}

static void add_box(struct page *page, struct page_track *own, size_t depth,
                    const struct page_box *box) {
    struct page_row *row;
    size_t before;

    own->slices++;
    if (depth >= PAGE_DEEPEST) {
        own->deeper++;
        return;
    }
    while (own->row_count <= depth)
        *PINSIGHT_ADD(own->rows, own->row_count, own->row_capacity) = (struct page_row){0};
    row = &own->rows[depth];
    before = row->count;
    page_row_add(row, box, page->resolution_ns);
    page->boxes += row->count - before;
    if (page->boxes > page->boxes_most)
        thin(page);
}

/* Returns whether a track is a task, whose work is in a thread, too. */
static bool is_task(const struct pinsight_track *track) {
    return track->stream && track->stream->is_task;
}

/* Adds the time since the last event of a track to its innermost slice. */
static void pass(struct page *page, struct page_track *own, const struct pinsight_track *track,
                 size_t depth, uint64_t ns) {
    if (depth)
        page_bins_self(&page->bins, track->number - 1, pinsight_contexts_open(track, depth - 1),
                       own->last_ns, ns);
    own->last_ns = ns;
}

/* Adds an arrow from the call that started a track's thread or process to its first slice. */
static void add_start(struct page *page, struct page_track *own, const struct pinsight_track *track,
                      uint64_t ns) {
    const uint32_t process = pinsight_track_process(track)->index;
    struct page_start start;

    page->begun = pinsight_reach(page->begun, process, &page->begun_count, sizeof(*page->begun));
    if (page_starts_find(&page->starts, track, !page->begun[process], ns, &start) &&
        start.track != track->number - 1)
        page_arrows_add(&page->arrows, &(struct page_arrow){.from_ns = start.ns,
                                                            .to_ns = ns,
                                                            .from = start.track,
                                                            .to = track->number - 1,
                                                            .kind = PAGE_ARROW_START});
    page->begun[process] = own->begun = true;
}

void page_timeline_gils(struct page *page) {
    const struct pinsight_python *python = pinsight_model_python(page->contexts.model);

    if (!python || python->gil_loads == page->gil_loads)
        return;
    page->gil_loads = python->gil_loads;
    for (size_t i = 0; i < python->gil_count; i++) {
        const struct pinsight_gil *gil = &python->gils[i];
        struct page_gil *before;
        uint64_t seen_ns, begin_ns;

        page->gils = pinsight_reach(page->gils, i, &page->gil_count, sizeof(*page->gils));
        before = &page->gils[i];
        if (gil->number || gil->seen_ns <= before->seen_ns || gil->held_ns < before->held_ns)
            continue;
        /* A record is about the time before it. */
        seen_ns = gil->seen_ns - before->seen_ns;
        begin_ns = gil->loaded_ns > seen_ns ? gil->loaded_ns - seen_ns : 0;
        if (begin_ns < page->contexts.model->first_ns)
            begin_ns = page->contexts.model->first_ns;
        page_counters_add(&page->counters, PAGE_COUNTER_GIL, gil->process->index, NULL,
                          100 * (double)(gil->held_ns - before->held_ns) / (double)seen_ns,
                          begin_ns);
        *before = (struct page_gil){gil->seen_ns, gil->held_ns};
    }
}

/* Notes how many threads of the track's process run, and how many messages are in flight. */
static void count(struct page *page, const struct pinsight_track *track,
                  const struct pinsight_slice *innermost, uint64_t ns) {
    const struct pinsight_mpi *mpi = pinsight_model_mpi(page->contexts.model);

    if (!track->stream) {
        struct pinsight_lane *lane = pinsight_lane_of(&page->lanes, track);
        const struct pinsight_lane_process *process;

        pinsight_lane_time(lane, ns);
        process = pinsight_lane_runs(&page->lanes, lane, innermost);
        if (process)
            page_counters_add(&page->counters, PAGE_COUNTER_RUNNING, process->process->index, NULL,
                              process->running, process->last_ns);
    }
    if (mpi && mpi->pending != page->messages) {
        page->messages = mpi->pending;
        page_counters_add(&page->counters, PAGE_COUNTER_MESSAGES, PINSIGHT_NONE, NULL,
                          (double)mpi->pending, ns);
    }
    page_timeline_gils(page);
}

static void on_begin(void *data, struct pinsight_track *track, const struct pinsight_slice *slice) {
    struct page *page = data;
    struct page_track *own = track_of(page, track);

    if (!own->begun)
        add_start(page, own, track, slice->begin_ns);
    page_starts_note(&page->starts, track, slice);
    pass(page, own, track, track->depth - 1, slice->begin_ns);
    page->told.begin(&page->contexts, track, slice);
    own->root = page->contexts.nodes[pinsight_contexts_open(track, track->depth - 1)].root;
    page_bins_call(&page->bins, track->number - 1, pinsight_contexts_open(track, track->depth - 1),
                   slice->begin_ns);
    count(page, track, slice, slice->begin_ns);
}

static void on_end(void *data, struct pinsight_track *track, const struct pinsight_slice *slice,
                   uint64_t ns) {
    struct page *page = data;
    struct page_track *own = track_of(page, track);
    const uint32_t node = pinsight_contexts_open(track, track->depth - 1);
    const uint64_t away = least(slice->self_away_ns, slice->self_ns);

    pass(page, own, track, track->depth, ns);
    page->told.end(&page->contexts, track, slice, ns);
    page_bins_away(&page->bins, track->number - 1, node, slice->begin_ns, ns, away);
    add_box(page, own, track->depth - 1,
            &(struct page_box){.begin_ns = slice->begin_ns,
                               .end_ns = ns,
                               .busy_ns = ns - slice->begin_ns,
                               .away_ns = away,
                               .top_ns = ns - slice->begin_ns,
                               .node = node,
                               .count = 1});
    page->export->slices += !is_task(track);
    count(page, track, track->depth > 1 ? slice - 1 : NULL, ns);
}

static void on_flow(void *data, const struct pinsight_flow *flow) {
    struct page *page = data;

    page->told.flow(&page->contexts, flow);
    track_of(page, flow->from); /* it may have no slice */
    track_of(page, flow->to);
    page_arrows_add(&page->arrows, &(struct page_arrow){.from_ns = flow->from_ns,
                                                        .to_ns = flow->to_ns,
                                                        .bytes = flow->bytes,
                                                        .from = flow->from->number - 1,
                                                        .to = flow->to->number - 1,
                                                        .kind = flow->kind});
}

static void on_instant(void *data, struct pinsight_track *track, const char *name, uint64_t ns) {
    struct page *page = data;

    track_of(page, track);
    page_arrows_mark(&page->arrows, track->number - 1, name, ns);
}

static void on_value(void *data, struct pinsight_track *track, const char *name, double value,
                     uint64_t ns) {
    struct page *page = data;

    page_counters_add(&page->counters, PAGE_COUNTER_VALUE, pinsight_track_process(track)->index,
                      name, value, ns);
}

static void on_memory(void *data, const struct pinsight_process *process, uint64_t bytes,
                      uint64_t ns) {
    struct page *page = data;

    page_counters_add(&page->counters, PAGE_COUNTER_MEMORY, process->index, NULL, (double)bytes,
                      ns);
}

/* Keeps the slices of a track without its name. The thread was found to be another one, whose
 * slices continue in another track. */
static void on_gone(void *data, struct pinsight_track *track) {
    struct page *page = data;

    page->told.gone(&page->contexts, track);
    if (track->number && track->number <= page->lanes.thread_count)
        page->lanes.threads[track->number - 1].track = NULL;
    if (track->number && track->number <= page->track_count)
        page->tracks[track->number - 1].track = NULL;
}

void page_timeline_make(struct page *page, struct pinsight_timeline *timeline) {
    pinsight_contexts_make(&page->contexts, page->export->model, &page->told);
    page->contexts.by = PINSIGHT_CONTEXTS_BY_THREAD;
    page->contexts.lines = true;
    page->contexts.marked_most = PAGE_CONTEXTS_OF_MARKED;
    page->boxes_most = PAGE_BOXES_MOST;
    page->lanes.model = page->export->model;
    page_bins_make(&page->bins);
    *timeline = (struct pinsight_timeline){.data = page,
                                           .streams = true,
                                           .ranges = true,
                                           .tasks = true,
                                           .locks = true,
                                           .begin = on_begin,
                                           .end = on_end,
                                           .flow = on_flow,
                                           .instant = on_instant,
                                           .value = on_value,
                                           .memory = on_memory,
                                           .gone = on_gone};
}

void page_timeline_clear(struct page *page) {
    for (size_t i = 0; i < page->track_count; i++) {
        for (size_t r = 0; r < page->tracks[i].row_count; r++)
            page_row_clear(&page->tracks[i].rows[r]);
        free(page->tracks[i].rows);
    }
    free(page->tracks);
    page_bins_clear(&page->bins);
    page_arrows_clear(&page->arrows);
    page_starts_clear(&page->starts);
    page_counters_clear(&page->counters);
    pinsight_lanes_clear(&page->lanes);
    free(page->gils);
    free(page->begun);
    pinsight_contexts_clear(&page->contexts);
}
