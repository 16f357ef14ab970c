/*
 * The sums of Python's calls at their begins and ends. Nearly every event needs them, so that they
 * are compiled into their callers.
 *
 * A thread counts its open frames of each function, call site, callee and group. A frame adds to a
 * total only if it is the last open one with its number. So recursion, direct or mutual, counts
 * once.
 */
#ifndef PINSIGHT_READER_PYTHON_FRAMES_H
#define PINSIGHT_READER_PYTHON_FRAMES_H

#include "base/memory.h"
#include "reader/frame.h"
#include "reader/python/names.h"
#include "reader/python/stacks.h"
#include "reader/python/task_held.h"

enum { ACTIVE_FUNCTION, ACTIVE_SITE, ACTIVE_CALLEE, ACTIVE_GROUP };

/* Returns the count of open frames with a number. Grows the array if necessary. */
static inline uint32_t *frames_active(struct pinsight_thread *thread, int which, uint32_t id) {
    thread->active[which] = pinsight_reach(thread->active[which], id, &thread->active_count[which],
                                           sizeof(*thread->active[which]));
    return &thread->active[which][id];
}

static inline enum pinsight_kind frames_kind(const struct pinsight_slice *frame) {
    return frame->kind == PINSIGHT_SLICE_FUNCTION ? PINSIGHT_FUNCTION : PINSIGHT_C_CALL;
}

/* Return the frame of the innermost function of a thread, or NULL; and the function, or
 * PINSIGHT_NONE. */
static inline const struct pinsight_slice *frames_top(const struct pinsight_thread *thread) {
    const struct pinsight_slice *frame = pinsight_chain_top(thread, READER_PYTHON);

    while (frame && frames_kind(frame) != PINSIGHT_FUNCTION)
        frame = pinsight_chain_outer(thread, frame);
    return frame;
}

static inline uint32_t frames_top_function(const struct pinsight_thread *thread) {
    const struct pinsight_slice *frame = frames_top(thread);

    return frame ? frame->id : PINSIGHT_NONE;
}

/* Returns the time of a thread's event, which does not run backwards. Counts late events. */
static inline uint64_t frames_time(struct pinsight_thread *thread, uint64_t ns) {
    if (__builtin_expect(ns < thread->last_ns, 0)) {
        thread->process->model->late_events++;
        return thread->last_ns;
    }
    if (!thread->last_ns)
        thread->first_ns = ns;
    thread->last_ns = ns;
    return ns;
}

static inline void frames_count(struct pinsight_model *model, struct pinsight_thread *thread,
                                enum pinsight_kind kind, struct pinsight_slice *frame) {
    bool call = frame->how == PINSIGHT_HOW_START;

    if (kind == PINSIGHT_FUNCTION) {
        model->functions[frame->id].stats.calls += call;
        (*frames_active(thread, ACTIVE_FUNCTION, frame->id))++;
    } else {
        struct pinsight_site *site = &model->sites[frame->id];

        site->stats.calls += call;
        model->callees[site->callee].stats.calls += call;
        (*frames_active(thread, ACTIVE_SITE, frame->id))++;
        (*frames_active(thread, ACTIVE_CALLEE, site->callee))++;
    }
    thread->calls[kind] += call;
    if (model->options.group_by != PINSIGHT_BY_NOTHING)
        pinsight_stacks_count_group(thread, frame);
}

/* Implements pinsight_model_begin(). `line` is the calling line of a function, 0 if unknown. */
static inline void frames_begin(struct pinsight_thread *thread, enum pinsight_kind kind,
                                uint32_t id, unsigned how, int32_t line, uint64_t ns) {
    struct pinsight_model *model = thread->process->model;
    struct pinsight_slice *frame;

    if (!thread->selected || model->options.names_only)
        return;
    frame = pinsight_chain_push(thread, READER_PYTHON,
                                kind == PINSIGHT_FUNCTION ? PINSIGHT_SLICE_FUNCTION
                                                          : PINSIGHT_SLICE_C_CALL,
                                id, frames_time(thread, ns));
    frame->how = (uint8_t)how;
    frame->line = line;
    frame->node = frame->group = PINSIGHT_NONE;
    frames_count(model, thread, kind, frame);
    if (model->options.tree)
        pinsight_stacks_place_in_tree(thread, frame);
    if (++thread->depth > thread->max_depth)
        thread->max_depth = thread->depth;
    pinsight_track_reported(thread->track);
}

static inline void frames_add(struct pinsight_stats *stats,
                              const struct pinsight_frame_times *times, uint64_t openmp,
                              bool outermost, bool raised) {
    uint64_t time = times->total_ns;

    pinsight_extremes_add(&stats->min_ns, &stats->max_ns, !stats->slices, time, time);
    stats->slices++;
    stats->sum_ns += time;
    stats->self_ns += times->self_ns;
    stats->away_ns += times->away_ns;
    stats->ready_ns += times->ready_ns;
    stats->openmp_ns += openmp;
    if (outermost)
        stats->total_ns += time;
    stats->raised += raised;
    stats->raised_ns += raised && outermost ? time : 0;
}

/* Returns whether an exception ended a frame, by the kind of the frame and of its end. */
static inline bool frames_raised(enum pinsight_kind kind, unsigned how) {
    return how == (kind == PINSIGHT_FUNCTION ? PINSIGHT_HOW_UNWIND : PINSIGHT_HOW_RAISE);
}

/* Notes an ended call if it may be the longest of its time. */
static inline void frames_note(struct pinsight_thread *thread, enum pinsight_kind kind, uint32_t id,
                               uint32_t node, const struct pinsight_frame_times *times) {
    struct pinsight_longest *longest = &thread->clock.longest;

    if (times->self_ns > longest->self_ns && !times->away_ns)
        *longest = (struct pinsight_longest){times->self_ns, kind, id, node};
    if (__builtin_expect(times->total_ns >= PINSIGHT_HELD_LEAST_NS, 0))
        pinsight_tasks_note(thread, kind, id, times);
}

/* Ends the top frame, which is of this kind, and adds its times to all sums. */
static inline void frames_pop(struct pinsight_model *model, struct pinsight_thread *thread,
                              enum pinsight_kind kind, unsigned how, uint64_t ns) {
    const bool raised = frames_raised(kind, how);
    struct pinsight_frame_times times;
    const struct pinsight_slice *frame = pinsight_chain_pop(thread, READER_PYTHON, ns, &times);
    uint64_t openmp = frame->openmp_ns < times.self_ns ? frame->openmp_ns : times.self_ns;

    if (!--thread->depth)
        thread->busy_ns += times.total_ns;
    thread->self_ns[kind] += times.self_ns;
    if (kind == PINSIGHT_FUNCTION) {
        bool outermost = --thread->active[ACTIVE_FUNCTION][frame->id] == 0;

        frames_add(&model->functions[frame->id].stats, &times, openmp, outermost, raised);
        if (model->options.histograms)
            pinsight_histogram_add(&model->functions[frame->id].histogram, times.self_ns);
    } else {
        struct pinsight_site *site = &model->sites[frame->id];
        bool outermost = --thread->active[ACTIVE_SITE][frame->id] == 0;

        frames_add(&site->stats, &times, openmp, outermost, raised);
        if (model->options.histograms)
            pinsight_histogram_add(&site->histogram, times.self_ns);
        outermost = --thread->active[ACTIVE_CALLEE][site->callee] == 0;
        frames_add(&model->callees[site->callee].stats, &times, openmp, outermost, raised);
    }
    frames_note(thread, kind, frame->id, frame->node, &times);
    if (frame->group != PINSIGHT_NONE)
        pinsight_stacks_add_group(thread, frame, &times);
    if (frame->node != PINSIGHT_NONE)
        pinsight_stacks_add_node(model, frame, &times);
}

/* Returns whether a call of a function or site needs no new node of the tree and no new group. */
static inline bool frames_knows(const struct pinsight_thread *thread, enum pinsight_kind kind,
                                uint32_t id) {
    const struct pinsight_model_options *options = &thread->process->model->options;

    return (!options->tree || pinsight_stacks_has_node(thread, kind, id)) &&
           (options->group_by == PINSIGHT_BY_NOTHING ||
            pinsight_stacks_has_group(thread, kind, id));
}

/* Returns whether calls without inner calls can be taken as leaves. */
static inline bool frames_take_leaves(const struct pinsight_thread *thread) {
    const struct pinsight_model *model = thread->process->model;

    return thread->selected && !model->options.names_only && !model->options.tree &&
           model->options.group_by == PINSIGHT_BY_NOTHING &&
           (!model->timeline || model->timeline->leaf);
}

/* Returns the number of open frames with a number. */
static inline uint32_t frames_open(const struct pinsight_thread *thread, int which, uint32_t id) {
    return id < thread->active_count[which] ? thread->active[which][id] : 0;
}

/* Takes the begin and end of a call without inner calls. Equals frames_begin() and frames_end(),
 * without a frame. Needs frames_take_leaves(). */
static inline void frames_leaf(struct pinsight_thread *thread, enum pinsight_kind kind, uint32_t id,
                               unsigned how, int32_t line, uint64_t begin_ns, unsigned end_how,
                               uint64_t ns) {
    struct pinsight_model *model = thread->process->model;
    struct pinsight_track *track = thread->track;
    const struct pinsight_timeline *timeline = model->timeline;
    const bool raised = frames_raised(kind, end_how);
    struct pinsight_frame_times times;
    struct pinsight_slice *outer;

    if (__builtin_expect(!track || !track->number || track->marking_count, 0))
        track = pinsight_stack_room(thread);
    begin_ns = pinsight_track_time(track, frames_time(thread, begin_ns));
    thread->process->lost_frames += end_how == PINSIGHT_HOW_LOST;
    ns = pinsight_track_time(track, frames_time(thread, ns));
    times = (struct pinsight_frame_times){.total_ns = ns - begin_ns, .self_ns = ns - begin_ns};
    track->chains[READER_PYTHON].used = true;
    if (thread->depth + 1 > thread->max_depth)
        thread->max_depth = thread->depth + 1;
    thread->calls[kind] += how == PINSIGHT_HOW_START;
    thread->self_ns[kind] += times.self_ns;
    if (!thread->depth)
        thread->busy_ns += times.total_ns;
    if (kind == PINSIGHT_FUNCTION) {
        struct pinsight_function *function = &model->functions[id];

        function->stats.calls += how == PINSIGHT_HOW_START;
        frames_add(&function->stats, &times, 0, !frames_open(thread, ACTIVE_FUNCTION, id), raised);
        if (model->options.histograms)
            pinsight_histogram_add(&function->histogram, times.self_ns);
    } else {
        struct pinsight_site *site = &model->sites[id];
        struct pinsight_callee *callee = &model->callees[site->callee];

        site->stats.calls += how == PINSIGHT_HOW_START;
        callee->stats.calls += how == PINSIGHT_HOW_START;
        frames_add(&site->stats, &times, 0, !frames_open(thread, ACTIVE_SITE, id), raised);
        if (model->options.histograms)
            pinsight_histogram_add(&site->histogram, times.self_ns);
        frames_add(&callee->stats, &times, 0, !frames_open(thread, ACTIVE_CALLEE, site->callee),
                   raised);
    }
    frames_note(thread, kind, id, PINSIGHT_NONE, &times);
    if (track->depth)
        track->slices[track->depth - 1].children_ns += times.total_ns;
    outer = pinsight_chain_top(thread, READER_PYTHON);
    if (outer)
        outer->like_ns += times.total_ns;
    if (timeline)
        timeline->leaf(timeline->data, track,
                       kind == PINSIGHT_FUNCTION ? PINSIGHT_SLICE_FUNCTION : PINSIGHT_SLICE_C_CALL,
                       id, line, begin_ns, ns);
}

/* Returns whether the innermost frame of a thread is of this kind and number. */
static inline bool frames_is_top(const struct pinsight_thread *thread, enum pinsight_kind kind,
                                 uint32_t id) {
    const struct pinsight_slice *top = pinsight_chain_top(thread, READER_PYTHON);

    return top && top->id == id && frames_kind(top) == kind;
}

/* Implements pinsight_model_end(). */
static inline void frames_end(struct pinsight_thread *thread, enum pinsight_kind kind, uint32_t id,
                              unsigned how, uint64_t ns) {
    struct pinsight_model *model = thread->process->model;

    if (!thread->selected || model->options.names_only)
        return;
    if (how == PINSIGHT_HOW_LOST)
        thread->process->lost_frames++;
    ns = frames_time(thread, ns);
    if (__builtin_expect(frames_is_top(thread, kind, id), 1) ||
        pinsight_stacks_make_top(thread, kind, id, ns))
        frames_pop(model, thread, kind, how, ns);
}

#endif
