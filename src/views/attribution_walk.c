/* Sums slices; see attribution_walk.h. */
#include "views/attribution_walk.h"

#include "base/memory.h"
#include "reader/kit/paths.h"
#include "views/attribution_track.h"
#include "views/domain.h"

#include <stdlib.h>
#include <string.h>

static uint8_t whose(struct pinsight_attribution_walk *walk, uint32_t function) {
    const struct pinsight_model *model = walk->model;
    const char *file;
    uint8_t *known;

    walk->users = pinsight_reach(walk->users, function, &walk->users_count, 1);
    known = &walk->users[function];
    if (*known)
        return *known & (uint8_t)~IS_BODY;
    if (!model->functions[function].known)
        return OF_LIBRARY;
    file = pinsight_strings_text(&model->strings, model->functions[function].file);
    *known = pinsight_function_is_users(model, function) ? OF_USERS
             : !strncmp(file, "<frozen ", 8)             ? OF_INTERPRETER
                                                         : OF_LIBRARY;
    if (*known != OF_USERS || !pinsight_function_is_users_module(model, function))
        return *known;
    *known |= IS_BODY;
    return OF_USERS;
}

/* Notes that the body of a module of the user's begins with a frame. */
static void begin_body(struct pinsight_attribution_walk *walk, struct pinsight_walk_frame *frame,
                       uint32_t function) {
    frame->body =
        1 + PINSIGHT_NUMBERED(&walk->body_map, function, 0, 0, walk->bodies, walk->body_count,
                              walk->body_capacity, .function = function);
}

/* Chooses like pinsight_path_users_line(): the innermost function of the user's, else the outermost
 * function outside the interpreter. */
static void choose_users(struct pinsight_walk_frame *frame, uint32_t function, uint8_t kind) {
    if (kind == OF_USERS) {
        frame->at = frame->users == function ? frame->at : 0;
        frame->users = function;
        frame->outermost = false;
    } else if (kind == OF_LIBRARY && frame->users == PINSIGHT_NONE) {
        frame->at = 0;
        frame->users = function;
        frame->outermost = true;
    }
}

static struct pinsight_walk_track *track_of(struct pinsight_attribution_walk *walk,
                                            struct pinsight_track *track) {
    struct pinsight_walk_track *own = track->view;

    if (own)
        return own;
    own = track->view = pinsight_calloc(1, sizeof(*own));
    own->sums.thread = track->thread;
    own->number = walk->track_numbers++;
    *PINSIGHT_ADD(walk->tracks, walk->track_count, walk->track_capacity) = own;
    return own;
}

static void place(struct pinsight_attribution_walk *walk, struct pinsight_walk_frame *frame,
                  const struct pinsight_walk_frame *outer, enum pinsight_walk_category category,
                  uint32_t id, int32_t line) {
    uint8_t kind = 0;

    if (category == PINSIGHT_WALK_PYTHON) {
        kind = whose(walk, id);
        choose_users(frame, id, kind);
        frame->calls = kind == OF_USERS;
        if (kind == OF_USERS && (walk->users[id] & IS_BODY))
            begin_body(walk, frame, id);
    } else if (category == PINSIGHT_WALK_C && walk->model->sites[id].caller != frame->users &&
               walk->model->sites[id].caller != PINSIGHT_NONE) {
        uint32_t caller = walk->model->sites[id].caller;
        uint8_t of = whose(walk, caller);

        /* The caller itself may be out of its window, or counted. */
        if (!outer || of == OF_USERS)
            choose_users(frame, caller, of);
    }
    if (category != PINSIGHT_WALK_GARBAGE)
        pinsight_walk_place(walk, frame, outer,
                            category == PINSIGHT_WALK_PYTHON ? PINSIGHT_FUNCTION : PINSIGHT_C_CALL,
                            id, line, kind);
}

/* Returns the frame for a slice that begins. `outer` is the innermost frame of the track, or
 * NULL. */
static inline struct pinsight_walk_frame frame_of(struct pinsight_attribution_walk *walk,
                                                  const struct pinsight_walk_frame *outer,
                                                  unsigned kind, uint32_t id, int32_t line) {
    unsigned domain = walk->kinds[kind].domain;
    enum pinsight_walk_category category = walk->kinds[kind].category;
    struct pinsight_walk_frame frame = {
        .users = PINSIGHT_NONE,
        .path = PINSIGHT_NONE,
        /* The region of a part that another thread started is not in this thread. */
        .caller = domain != READER_OPENMP || kind == PINSIGHT_SLICE_REGION,
    };

    if (outer)
        frame = *outer;
    frame.within_ns = frame.within_away_ns = frame.within_ready_ns = 0;
    frame.category = (uint8_t)category;
    frame.domain = (uint8_t)domain;
    frame.begins = 0;
    frame.calls = 0;
    frame.in_openmp = outer && (outer->in_openmp || outer->domain == READER_OPENMP);
    if (category == PINSIGHT_WALK_IMPORT) {
        frame.caller = frame.python = true;
    } else if (category == PINSIGHT_WALK_PYTHON || category == PINSIGHT_WALK_C ||
               category == PINSIGHT_WALK_GARBAGE) {
        frame.caller = frame.python = true;
        place(walk, &frame, outer, category, id, line);
    }
    return frame;
}

/* Chooses the function that a collection interrupts, in a thread without recorded Python. */
static void choose_struck(struct pinsight_attribution_walk *walk, struct pinsight_walk_frame *frame,
                          uint32_t path) {
    uint32_t users = path == PINSIGHT_NONE ? path : pinsight_path_users_line(walk->model, path);

    if (users != PINSIGHT_NONE && walk->model->paths[users].function != PINSIGHT_NONE)
        choose_users(frame, walk->model->paths[users].function,
                     whose(walk, walk->model->paths[users].function));
}

/* Pushes a frame, which becomes the innermost one of the track. */
static inline struct pinsight_walk_frame *push(struct pinsight_attribution_walk *walk,
                                               struct pinsight_walk_track *own, unsigned kind,
                                               uint32_t id, int32_t line) {
    struct pinsight_walk_frame *frame;

    if (own->depth == own->capacity)
        pinsight_stack_pool_grow(&walk->rooms, &own->room, sizeof(*own->frames));
    frame = &own->frames[own->depth];
    *frame = frame_of(walk, pinsight_walk_innermost(own), kind, id, line);
    own->depth++;
    return frame;
}

static void begin(void *data, struct pinsight_track *track, const struct pinsight_slice *slice) {
    struct pinsight_attribution_walk *walk = data;
    struct pinsight_walk_track *own;
    struct pinsight_walk_frame *frame;

    if (track->stream)
        return; /* the end of a stream's slice has all that is needed */
    own = track_of(walk, track);
    frame = push(walk, own, slice->kind, slice->id, slice->line);
    if (frame->category == PINSIGHT_WALK_IMPORT) {
        pinsight_walk_import_begin(walk, frame, slice->id, slice->path);
    } else if (slice->path != PINSIGHT_NONE) {
        frame->path = slice->path;
        frame->for_other = slice->for_other;
    }
    if (frame->category == PINSIGHT_WALK_GARBAGE && frame->users == PINSIGHT_NONE)
        choose_struck(walk, frame, slice->path);
    pinsight_walk_note_begin(own, frame, slice->begin_ns);
    if (walk->followed_ns || (walk->follower && slice->kind == walk->follower->kind))
        pinsight_walk_follow_begin(walk, own, track, slice, pinsight_walk_has_python(frame));
}

static uint32_t find_python(struct pinsight_attribution_walk *walk,
                            const struct pinsight_walk_track *own, uint32_t function) {
    const struct pinsight_process *process = own->sums.thread->process;
    struct pinsight_walk_process *within;
    uint32_t *at, number;

    walk->processes = pinsight_reach(walk->processes, process->index, &walk->process_count,
                                     sizeof(*walk->processes));
    within = &walk->processes[process->index];
    function++; /* because 0 means none */
    within->python_at =
        pinsight_reach(within->python_at, function, &within->python_at_count, sizeof(*at));
    at = &within->python_at[function];
    if (*at && walk->pythons[*at - 1].thread == own->sums.thread)
        return *at;
    number = PINSIGHT_NUMBERED(&walk->python_map, own->number, function, 0, walk->pythons,
                               walk->python_count, walk->python_capacity, .process = process,
                               .thread = own->sums.thread, .function = function - 1);
    *at = number + 1;
    return *at;
}

/* Returns the sums of a frame's function. The outer frame mostly has the same function. */
static inline struct pinsight_walk_python *python_of(struct pinsight_attribution_walk *walk,
                                                     struct pinsight_walk_track *own,
                                                     struct pinsight_walk_frame *frame) {
    if (!frame->at) {
        frame->at = find_python(walk, own, frame->users);
        if (own->depth && own->frames[own->depth - 1].users == frame->users)
            own->frames[own->depth - 1].at = frame->at;
    }
    return &walk->pythons[frame->at - 1];
}

/* Adds the end of a function, of an import, or of a C call. `ns` is its own time. The thread was
 * without a processor for `away` of that, and ready to run for `ready` of `away`. `total` is the
 * time from begin to end. */
static inline void add_call(struct pinsight_attribution_walk *walk, struct pinsight_walk_track *own,
                            struct pinsight_walk_frame *frame, uint64_t ns, uint64_t away,
                            uint64_t ready, uint64_t total) {
    const bool python = frame->category != PINSIGHT_WALK_C;
    const struct pinsight_walk_import took = {
        .python_ns = python ? ns : 0,
        .c_ns = python ? 0 : ns,
        .away = {python ? away : 0, python ? 0 : away, ready},
    };

    own->sums.python_ns += took.python_ns;
    own->sums.c_ns += took.c_ns;
    pinsight_attribution_away_add(&own->sums.away, &took.away);
    if (__builtin_expect(frame->importing, 0)) {
        pinsight_walk_import_end(walk, own, frame, &took);
    } else {
        struct pinsight_walk_python *of = python_of(walk, own, frame);

        of->calls += frame->calls;
        of->python_ns += took.python_ns;
        of->c_ns += took.c_ns;
        pinsight_attribution_away_add(&of->away, &took.away);
        if (__builtin_expect(frame->body != 0, 0)) {
            struct pinsight_walk_body *body = &walk->bodies[frame->body - 1];

            body->python_ns += took.python_ns;
            body->c_ns += took.c_ns;
            pinsight_attribution_away_add(&body->away, &took.away);
        }
    }
    pinsight_walk_call_add(walk, frame, ns, away, ready, total);
}

static void leaf(void *data, struct pinsight_track *track, enum pinsight_slice_kind kind,
                 uint32_t id, int32_t line, uint64_t begin_ns, uint64_t ns) {
    struct pinsight_attribution_walk *walk = data;
    struct pinsight_walk_track *own = track_of(walk, track);
    struct pinsight_walk_frame frame = frame_of(walk, pinsight_walk_innermost(own), kind, id, line);

    pinsight_walk_note_begin(own, &frame, begin_ns);
    own->last_ns = ns;
    if (pinsight_walk_follows(walk, own, track)) {
        walk->follower->begin(own->followed, kind, id, PINSIGHT_NONE, frame.users, begin_ns);
        walk->follower->end(own->followed, ns);
    }
    add_call(walk, own, &frame, ns - begin_ns, 0, 0, ns - begin_ns);
}

struct pinsight_walk_frame *pinsight_walk_push(struct pinsight_attribution_walk *walk,
                                               struct pinsight_walk_track *own, unsigned kind,
                                               uint32_t id, int32_t line) {
    struct pinsight_walk_frame *frame = push(walk, own, kind, id, line);

    pinsight_walk_note_begin(own, frame, own->sums.thread->process->first_ns);
    return frame;
}

void pinsight_walk_pop(struct pinsight_attribution_walk *walk, struct pinsight_walk_track *own,
                       uint64_t ns, uint64_t away_ns, uint64_t total_ns) {
    add_call(walk, own, &own->frames[--own->depth], ns, away_ns, 0, total_ns);
}

struct pinsight_walk_track *pinsight_walk_track_of(struct pinsight_attribution_walk *walk,
                                                   struct pinsight_thread *thread) {
    struct pinsight_track *track = pinsight_track_of(thread);

    return track ? track_of(walk, track) : NULL;
}

static struct pinsight_attribution_work *work_of(struct pinsight_attribution_walk *walk,
                                                 uint32_t path, uint32_t forward, unsigned domain) {
    return &PINSIGHT_KEYED(&walk->native_map, path, domain, forward, walk->natives,
                           walk->native_count, walk->native_capacity, .path = path,
                           .forward = forward, .domain = (uint8_t)domain)
                ->work;
}

static void mark_site(struct pinsight_attribution_walk *walk, uint32_t site) {
    walk->sites = pinsight_reach(walk->sites, site, &walk->site_count, 1);
    walk->sites[site] = 1;
}

static void add_native(struct pinsight_attribution_walk *walk, struct pinsight_walk_track *own,
                       struct pinsight_walk_frame *frame, const struct pinsight_slice *slice,
                       uint64_t ns, uint64_t away, uint64_t ready) {
    unsigned domain = frame->domain;
    uint64_t without = pinsight_time_rest(away, ready); /* neither running nor ready */
    uint64_t waited = pinsight_least(slice->waited_ns, without);
    struct pinsight_attribution_work *work = work_of(walk, frame->path, slice->forward, domain);

    if (!view_domains[domain]->on_devices)
        work->thread_ns += ns;
    if (frame->caller) {
        work->wall_ns += ns;
        work->wall_waiting_ns += waited;
        work->wall_away_ns += without - waited;
        work->wall_ready_ns += ready;
        own->sums.native_away_ns += without;
        own->sums.native_ready_ns += ready;
        if (frame->users != PINSIGHT_NONE)
            python_of(walk, own, frame)->native_running_ns += pinsight_time_rest(ns, away);
        pinsight_walk_call_add(walk, frame, ns, away, ready, 0);
    }
    if (domain != READER_MPI) /* MPI's waiting time comes from its wait states */
        work->waiting_ns += waited;
    if (domain != READER_OPENMP)
        work->calls += !slice->cut;
    else if (slice->kind == PINSIGHT_SLICE_REGION && !frame->in_openmp)
        work->calls++;
    if (slice->kind == PINSIGHT_SLICE_MPI)
        mark_site(walk, slice->id);
    if (!frame->caller)
        own->sums.team_ns[domain] += ns;
    else if (frame->python)
        own->sums.under_ns[domain] += ns;
    else
        own->sums.alone_ns[domain] += ns;
}

static void end(void *data, struct pinsight_track *track, const struct pinsight_slice *slice,
                uint64_t ns) {
    struct pinsight_attribution_walk *walk = data;
    struct pinsight_walk_track *own = track->view;
    struct pinsight_walk_frame *frame;
    uint64_t self, away, ready;

    if (track->stream) {
        work_of(walk, slice->path, slice->forward, walk->kinds[slice->kind].domain)->thread_ns +=
            ns - slice->begin_ns;
        return;
    }
    if (pinsight_walk_follows(walk, own, track))
        walk->follower->end(own->followed, ns);
    frame = &own->frames[--own->depth]; /* still valid, because only the next begin overwrites it */
    self = slice->self_ns + frame->within_ns;
    away = pinsight_least(slice->self_away_ns + frame->within_away_ns, self);
    ready = pinsight_least(slice->ready_ns + frame->within_ready_ns, away);
    own->last_ns = ns;
    switch ((enum pinsight_walk_category)frame->category) {
    case PINSIGHT_WALK_PYTHON:
    case PINSIGHT_WALK_C:
    case PINSIGHT_WALK_IMPORT:
        add_call(walk, own, frame, self, away, ready, ns - slice->begin_ns);
        break;
    case PINSIGHT_WALK_GARBAGE:
        python_of(walk, own, frame)->gc_ns += self;
        python_of(walk, own, frame)->gc_ready_ns += ready;
        own->sums.gc_ns += self;
        own->sums.gc_ready_ns += ready;
        break;
    case PINSIGHT_WALK_NATIVE:
        add_native(walk, own, frame, slice, self, away, ready);
        break;
    case PINSIGHT_WALK_NOTHING:
        if (own->depth) {
            own->frames[own->depth - 1].within_ns += self;
            own->frames[own->depth - 1].within_away_ns += away;
            own->frames[own->depth - 1].within_ready_ns += ready;
        }
        break;
    }
}

static void idle(void *data, const struct pinsight_idle *gap) {
    struct pinsight_attribution_walk *walk = data;

    walk->follower->idle(walk->following, gap);
}

/* Forgets a thread that was found to be another one. */
static void gone(void *data, struct pinsight_track *track) {
    struct pinsight_attribution_walk *walk = data;
    struct pinsight_walk_track *own = track->view;
    size_t at = 0;

    if (!own)
        return;
    for (size_t i = 0; i < walk->python_count; i++)
        if (walk->pythons[i].thread == own->sums.thread)
            walk->pythons[i].thread = NULL;
    while (walk->tracks[at] != own)
        at++;
    walk->track_count--;
    memmove(&walk->tracks[at], &walk->tracks[at + 1],
            (walk->track_count - at) * sizeof(struct pinsight_walk_track *));
    pinsight_stack_pool_drop(&walk->rooms, &own->room);
    free(own);
    track->view = NULL;
}

void pinsight_attribution_walk_start(struct pinsight_attribution_walk *walk,
                                     struct pinsight_model *model) {
    walk->model = model;
    for (unsigned kind = 0; kind < PINSIGHT_SLICE_KINDS; kind++) {
        unsigned domain = slice_domain(kind);

        walk->kinds[kind].domain = (uint8_t)domain;
        walk->kinds[kind].category = domain < PINSIGHT_ATTRIBUTION_DOMAINS ? PINSIGHT_WALK_NATIVE
                                     : kind == PINSIGHT_SLICE_FUNCTION     ? PINSIGHT_WALK_PYTHON
                                     : kind == PINSIGHT_SLICE_C_CALL       ? PINSIGHT_WALK_C
                                     : kind == PINSIGHT_SLICE_GC           ? PINSIGHT_WALK_GARBAGE
                                     : kind == PINSIGHT_SLICE_IMPORT       ? PINSIGHT_WALK_IMPORT
                                                                           : PINSIGHT_WALK_NOTHING;
    }
    walk->timeline = (struct pinsight_timeline){.data = walk,
                                                .streams = true,
                                                .any_order = true,
                                                .begin = begin,
                                                .end = end,
                                                .leaf = leaf,
                                                .gone = gone};
    walk->follower = view_follower();
    if (walk->follower) {
        walk->timeline.idle = idle;
        walk->following = walk->follower->start(model);
    }
    pinsight_model_show(model, &walk->timeline);
}
