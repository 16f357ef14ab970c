/* From slices to sums. */
#include "views/attribution_walk.h"

#include "base/memory.h"
#include "reader/kit/paths.h"
#include "views/attribution_track.h"
#include "views/domain.h"

#include <stdlib.h>
#include <string.h>

enum category {
    PYTHON,
    C,
    NATIVE,  /* of its domain */
    GARBAGE, /* collections: of the function that they strike */
    NOTHING, /* what it takes is of what it is in: imports, and what the program marks */
};

/* Whose a function is; 0 is not known yet. */
enum { OF_USERS = 1, OF_LIBRARY, OF_INTERPRETER };

static uint8_t whose(struct pinsight_attribution_walk *walk, uint32_t function) {
    const struct pinsight_model *model = walk->model;
    const char *file;
    uint8_t *known;

    walk->users = pinsight_reach(walk->users, function, &walk->users_count, 1);
    known = &walk->users[function];
    if (*known)
        return *known;
    if (!model->functions[function].known)
        return OF_LIBRARY;
    file = pinsight_strings_text(&model->strings, model->functions[function].file);
    *known = pinsight_path_is_users(file)    ? OF_USERS
             : !strncmp(file, "<frozen ", 8) ? OF_INTERPRETER
                                             : OF_LIBRARY;
    return *known;
}

/* As pinsight_path_users_line chooses: the innermost function of the user's, else the outermost
 * that is not of the interpreter's. */
static void choose_users(struct pinsight_attribution_walk *walk, struct pinsight_walk_frame *frame,
                         uint32_t function) {
    uint8_t kind;

    if (function == PINSIGHT_NONE)
        return;
    kind = whose(walk, function);
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
    *PINSIGHT_ADD(walk->tracks, walk->track_count, walk->track_capacity) = own;
    return own;
}

/* What a slice is to the walk that begins in the innermost frame of a track, or NULL. */
static inline struct pinsight_walk_frame frame_of(struct pinsight_attribution_walk *walk,
                                                  const struct pinsight_walk_frame *outer,
                                                  unsigned kind, uint32_t id) {
    unsigned domain = walk->kinds[kind].domain;
    enum category category = walk->kinds[kind].category;
    struct pinsight_walk_frame frame = {
        .users = PINSIGHT_NONE,
        .path = PINSIGHT_NONE,
        /* A part of what another thread started has no region here. */
        .caller = domain != READER_OPENMP || kind == PINSIGHT_SLICE_REGION,
    };

    if (outer)
        frame = *outer;
    frame.within_ns = frame.within_away_ns = frame.within_ready_ns = 0;
    frame.category = (uint8_t)category;
    frame.domain = (uint8_t)domain;
    frame.in_openmp = outer && (outer->in_openmp || outer->domain == READER_OPENMP);
    if (category == PYTHON || category == C || category == GARBAGE) {
        frame.caller = frame.python = true;
        if (category == PYTHON)
            choose_users(walk, &frame, id);
        else if (category == C && !outer)
            choose_users(walk, &frame, walk->model->sites[id].caller);
    }
    return frame;
}

/* Whether a frame shows that its thread has Python. */
static inline bool has_python(const struct pinsight_walk_frame *frame) {
    return frame->python || (frame->path != PINSIGHT_NONE && !frame->for_other);
}

/* A frame begins in a track. */
static inline void note_begin(struct pinsight_walk_track *own,
                              const struct pinsight_walk_frame *frame, uint64_t begin_ns) {
    if (!own->first_ns)
        own->first_ns = begin_ns;
    own->caller |= frame->caller && frame->category != NOTHING;
    own->python |= has_python(frame);
}

static inline const struct pinsight_walk_frame *innermost(const struct pinsight_walk_track *own) {
    return own->depth ? &own->frames[own->depth - 1] : NULL;
}

/* In a run with CUDA it is looked at what threads do: what is open in one is told, the outermost
 * frames. */
static struct pinsight_host *look_at(struct pinsight_attribution_walk *walk,
                                     struct pinsight_walk_track *own,
                                     const struct pinsight_track *track, size_t frames) {
    if (own->host || !walk->idle.hosts.since_ns)
        return own->host;
    own->host = pinsight_host_new(&walk->idle.hosts, track);
    for (size_t i = 0; i < frames; i++) {
        const struct pinsight_slice *slice = &track->slices[i];

        pinsight_host_begin(own->host, slice->kind, slice->id, slice->path, own->frames[i].users,
                            slice->begin_ns);
    }
    return own->host;
}

static void tell_host(struct pinsight_attribution_walk *walk, struct pinsight_walk_track *own,
                      const struct pinsight_track *track, const struct pinsight_slice *slice) {
    const struct pinsight_walk_frame *frame = innermost(own);

    if (slice->kind == PINSIGHT_SLICE_DEVICE_CALL && !walk->idle.hosts.since_ns)
        walk->idle.hosts.since_ns = slice->begin_ns;
    if (!look_at(walk, own, track, own->depth - 1))
        return;
    if (slice->kind == PINSIGHT_SLICE_DEVICE_CALL && !own->host->calls)
        pinsight_idle_walk_call(&walk->idle, track, has_python(frame));
    pinsight_host_begin(own->host, slice->kind, slice->id, slice->path, frame->users,
                        slice->begin_ns);
}

/* What a collection strikes where no Python is recorded. */
static void choose_struck(struct pinsight_attribution_walk *walk, struct pinsight_walk_frame *frame,
                          uint32_t path) {
    uint32_t users = path == PINSIGHT_NONE ? path : pinsight_path_users_line(walk->model, path);

    if (users != PINSIGHT_NONE)
        choose_users(walk, frame, walk->model->paths[users].function);
}

static void begin(void *data, struct pinsight_track *track, const struct pinsight_slice *slice) {
    struct pinsight_attribution_walk *walk = data;
    struct pinsight_walk_track *own;
    struct pinsight_walk_frame *frame;

    if (track->stream)
        return; /* its end says it all */
    own = track_of(walk, track);
    if (own->depth == own->capacity)
        own->frames = pinsight_grow(own->frames, own->depth, &own->capacity, sizeof(*own->frames));
    frame = &own->frames[own->depth];
    *frame = frame_of(walk, innermost(own), slice->kind, slice->id);
    own->depth++;
    if (slice->path != PINSIGHT_NONE) {
        frame->path = slice->path;
        frame->for_other = slice->for_other;
    }
    if (frame->category == GARBAGE && frame->users == PINSIGHT_NONE)
        choose_struck(walk, frame, slice->path);
    note_begin(own, frame, slice->begin_ns);
    tell_host(walk, own, track, slice);
}

static uint32_t find_python(struct pinsight_attribution_walk *walk, uint32_t function) {
    uint32_t *at;

    function++; /* none is 0 */
    walk->python_at =
        pinsight_reach(walk->python_at, function, &walk->python_at_count, sizeof(*at));
    at = &walk->python_at[function];
    if (!*at) {
        *PINSIGHT_ADD(walk->pythons, walk->python_count, walk->python_capacity) =
            (struct pinsight_walk_python){.function = function - 1};
        *at = (uint32_t)walk->python_count;
    }
    return *at;
}

/* The sums of a frame's function, which mostly is that of the frame that it is in. */
static inline struct pinsight_walk_python *python_of(struct pinsight_attribution_walk *walk,
                                                     struct pinsight_walk_track *own,
                                                     struct pinsight_walk_frame *frame) {
    if (!frame->at) {
        frame->at = find_python(walk, frame->users);
        if (own->depth && own->frames[own->depth - 1].users == frame->users)
            own->frames[own->depth - 1].at = frame->at;
    }
    return &walk->pythons[frame->at - 1];
}

static struct pinsight_walk_line *line_of(struct pinsight_attribution_walk *walk, uint32_t site) {
    const struct pinsight_site *entry = &walk->model->sites[site];
    uint32_t *at, line;

    walk->line_at = pinsight_reach(walk->line_at, site, &walk->line_at_count, sizeof(*at));
    at = &walk->line_at[site];
    if (!*at) {
        line = pinsight_map_number(&walk->line_map, entry->caller, (uint32_t)entry->line, 0,
                                   walk->line_count);
        if (line == walk->line_count)
            *PINSIGHT_ADD(walk->lines, walk->line_count, walk->line_capacity) =
                (struct pinsight_walk_line){entry->caller, entry->line, 0, 0};
        *at = line + 1;
    }
    return &walk->lines[*at - 1];
}

/* A call into C belongs to a line where the function that made it is the user's one. */
static inline void add_c_call(struct pinsight_attribution_walk *walk,
                              struct pinsight_walk_track *own, struct pinsight_walk_frame *frame,
                              uint32_t site, uint64_t ns, uint64_t away) {
    const struct pinsight_site *entry = &walk->model->sites[site];
    struct pinsight_walk_python *python = python_of(walk, own, frame);
    struct pinsight_walk_line *line;

    python->c_ns += ns;
    python->away.c_ns += away;
    if (entry->caller != frame->users || entry->caller == PINSIGHT_NONE || frame->outermost)
        return;
    line = line_of(walk, site);
    line->calls++;
    line->ns += ns;
}

/* The end of a function or of a call into C, which took so long, for so much of it without a
 * processor. */
static inline void add_call(struct pinsight_attribution_walk *walk, struct pinsight_walk_track *own,
                            struct pinsight_walk_frame *frame, uint32_t id, uint64_t ns,
                            uint64_t away, uint64_t ready) {
    struct pinsight_walk_python *python = python_of(walk, own, frame);

    python->away.ready_ns += ready;
    own->sums.away.ready_ns += ready;
    if (frame->category == PYTHON) {
        python->python_ns += ns;
        python->away.python_ns += away;
        own->sums.python_ns += ns;
        own->sums.away.python_ns += away;
    } else {
        add_c_call(walk, own, frame, id, ns, away);
        own->sums.c_ns += ns;
        own->sums.away.c_ns += away;
    }
}

static void leaf(void *data, struct pinsight_track *track, enum pinsight_slice_kind kind,
                 uint32_t id, uint64_t begin_ns, uint64_t ns) {
    struct pinsight_attribution_walk *walk = data;
    struct pinsight_walk_track *own = track_of(walk, track);
    struct pinsight_walk_frame frame = frame_of(walk, innermost(own), kind, id);

    note_begin(own, &frame, begin_ns);
    own->last_ns = ns;
    if (look_at(walk, own, track, own->depth)) {
        pinsight_host_begin(own->host, kind, id, PINSIGHT_NONE, frame.users, begin_ns);
        pinsight_host_end(own->host, ns);
    }
    add_call(walk, own, &frame, id, ns - begin_ns, 0, 0);
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
                       const struct pinsight_walk_frame *frame, const struct pinsight_slice *slice,
                       uint64_t ns, uint64_t away, uint64_t ready) {
    unsigned domain = frame->domain;
    uint64_t waited = pinsight_least(slice->waited_ns, away - ready);
    struct pinsight_attribution_work *work = work_of(walk, frame->path, slice->forward, domain);

    if (!view_domains[domain]->on_devices)
        work->thread_ns += ns;
    if (frame->caller) {
        work->wall_ns += ns;
        work->wall_waiting_ns += waited;
        work->wall_away_ns += away - ready - waited;
        work->wall_ready_ns += ready;
    }
    if (domain != READER_MPI) /* of MPI it is that of wait states */
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
    if (look_at(walk, own, track, own->depth))
        pinsight_host_end(own->host, ns);
    frame = &own->frames[--own->depth]; /* which nothing changes before the next begin */
    self = slice->self_ns + frame->within_ns;
    away = pinsight_least(slice->self_away_ns + frame->within_away_ns, self);
    ready = pinsight_least(slice->ready_ns + frame->within_ready_ns, away);
    own->last_ns = ns;
    switch ((enum category)frame->category) {
    case PYTHON:
    case C:
        add_call(walk, own, frame, slice->id, self, away, ready);
        break;
    case GARBAGE:
        python_of(walk, own, frame)->gc_ns += self;
        own->sums.gc_ns += self;
        break;
    case NATIVE:
        add_native(walk, own, frame, slice, self, away, ready);
        break;
    case NOTHING:
        if (own->depth) {
            own->frames[own->depth - 1].within_ns += self;
            own->frames[own->depth - 1].within_away_ns += away;
            own->frames[own->depth - 1].within_ready_ns += ready;
        }
        break;
    }
}

static void idle(void *data, const struct pinsight_idle *gap) {
    pinsight_idle_walk_gap(&((struct pinsight_attribution_walk *)data)->idle, gap);
}

/* A thread is forgotten: it turned out to be another one. */
static void gone(void *data, struct pinsight_track *track) {
    struct pinsight_attribution_walk *walk = data;
    struct pinsight_walk_track *own = track->view;
    size_t at = 0;

    if (!own)
        return;
    while (walk->tracks[at] != own)
        at++;
    walk->track_count--;
    memmove(&walk->tracks[at], &walk->tracks[at + 1],
            (walk->track_count - at) * sizeof(struct pinsight_walk_track *));
    PINSIGHT_FREE(own->frames, own);
    track->view = NULL;
}

void pinsight_attribution_walk_start(struct pinsight_attribution_walk *walk,
                                     struct pinsight_model *model) {
    walk->model = model;
    for (unsigned kind = 0; kind < PINSIGHT_SLICE_KINDS; kind++) {
        unsigned domain = slice_domain(kind);

        walk->kinds[kind].domain = (uint8_t)domain;
        walk->kinds[kind].category = domain < PINSIGHT_ATTRIBUTION_DOMAINS ? NATIVE
                                     : kind == PINSIGHT_SLICE_FUNCTION     ? PYTHON
                                     : kind == PINSIGHT_SLICE_C_CALL       ? C
                                     : kind == PINSIGHT_SLICE_GC           ? GARBAGE
                                                                           : NOTHING;
    }
    walk->timeline = (struct pinsight_timeline){.data = walk,
                                                .streams = true,
                                                .any_order = true,
                                                .begin = begin,
                                                .end = end,
                                                .leaf = leaf,
                                                .idle = idle,
                                                .gone = gone};
    pinsight_idle_walk_start(&walk->idle, model);
    pinsight_model_show(model, &walk->timeline);
}
