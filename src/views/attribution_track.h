/* The state of one track in the walk of attribution_walk.h. */
#ifndef PINSIGHT_VIEWS_ATTRIBUTION_TRACK_H
#define PINSIGHT_VIEWS_ATTRIBUTION_TRACK_H

#include "base/stack_pool.h"
#include "views/attribution_walk.h"

enum pinsight_walk_category {
    PINSIGHT_WALK_PYTHON,
    PINSIGHT_WALK_C,
    PINSIGHT_WALK_NATIVE,  /* native work of the frame's domain */
    PINSIGHT_WALK_GARBAGE, /* garbage collections, which count for the function that they interrupt
                            */
    PINSIGHT_WALK_IMPORT,
    PINSIGHT_WALK_NOTHING, /* ranges that the program marks: their time counts for the frame around
                              them */
};

struct pinsight_walk_frame {
    uint64_t within_ns;       /* time of inner frames that have no time of their own, see
                                 PINSIGHT_WALK_NOTHING */
    uint64_t within_away_ns;  /* part of within_ns in which the thread had no processor */
    uint64_t within_ready_ns; /* part of within_away_ns in which the thread was ready to run */
    uint64_t calls;           /* of a function of the user's that begins with the frame; else 0 */
    uint32_t users; /* innermost function of the user's, or its substitute (`outermost`), or
                       PINSIGHT_NONE */
    uint32_t at;    /* index of the sums of `users` in the walk's pythons, plus one; 0 if unknown */
    uint32_t path;  /* call path that started the native work here */
    uint32_t call;  /* index in the walk's calls, plus one: the call that gets the frame's own time;
                       or 0 */
    uint32_t begins;        /* like `call`, but the call that begins and ends with the frame */
    uint32_t module, place; /* for an import, see struct pinsight_walk_import */
    /* Index in the walk's bodies, plus one: the user's module that is being imported; or 0. */
    uint32_t body;
    uint8_t category, domain;
    bool outermost; /* `users` is the outermost library function, because no function of the user's
                       runs yet */
    bool caller;    /* the frame's time is that of a caller */
    bool python;    /* the frame is in Python */
    bool in_openmp; /* the frame is in OpenMP */
    bool for_other; /* `path` belongs to another thread */
    bool importing; /* an import goes on, and none of the user's code runs in it */
};

/* For each function, with its number plus one: the sums of the thread that ran the function last.
 * The value is their index in the walk's pythons, plus one. 0 means that no thread has run it. */
struct pinsight_walk_process {
    uint32_t *python_at;
    size_t python_at_count;
};

struct pinsight_walk_track {
    PINSIGHT_POOLED_STACK_OF(struct pinsight_walk_frame, frames);
    struct pinsight_attribution_thread sums;
    uint32_t number; /* unique among all tracks of the walk */
    /* Owned by a domain, see views/domain.h. NULL while the thread is not followed. */
    void *followed;
    uint64_t first_ns, last_ns;
    bool caller, python;
    bool users; /* a function of the user's ran */
};

static inline const struct pinsight_walk_frame *
pinsight_walk_innermost(const struct pinsight_walk_track *own) {
    return own->depth ? &own->frames[own->depth - 1] : NULL;
}

/* Returns whether a frame shows that its thread runs Python. */
static inline bool pinsight_walk_has_python(const struct pinsight_walk_frame *frame) {
    return frame->python || (frame->path != PINSIGHT_NONE && !frame->for_other);
}

/* Notes in a track that a frame begins. */
static inline void pinsight_walk_note_begin(struct pinsight_walk_track *own,
                                            const struct pinsight_walk_frame *frame,
                                            uint64_t begin_ns) {
    if (!own->first_ns)
        own->first_ns = begin_ns;
    own->caller |= frame->caller && frame->category != PINSIGHT_WALK_NOTHING;
    own->python |= pinsight_walk_has_python(frame);
    own->users |= frame->users != PINSIGHT_NONE && !frame->outermost;
}

/* The origin of a function; 0 if it is not known yet. */
enum { OF_USERS = 1, OF_LIBRARY, OF_INTERPRETER };

/* A function of the user's that is the body of an imported module; beside OF_USERS. */
#define IS_BODY 0x80

/* ---- attribution_calls.c: calls of the user's lines, and imports ---- */

/* Sets the call and the import that a new frame is part of. The frame is a function
 * (PINSIGHT_FUNCTION) that is called from `line`, or a call site (PINSIGHT_C_CALL). `outer` is the
 * frame around it, or NULL. `whose` is the origin of the function. */
void pinsight_walk_place(struct pinsight_attribution_walk *walk, struct pinsight_walk_frame *frame,
                         const struct pinsight_walk_frame *outer, enum pinsight_kind kind,
                         uint32_t id, int32_t line, uint8_t whose);

/* Adds a frame that ended. `ns` is its own time. The thread was without a processor for away_ns of
 * that, and ready to run for ready_ns of away_ns. The whole frame lasted total_ns. */
void pinsight_walk_call_add(struct pinsight_attribution_walk *walk,
                            const struct pinsight_walk_frame *frame, uint64_t ns, uint64_t away_ns,
                            uint64_t ready_ns, uint64_t total_ns);

/* Begins the import of a module: sets the import that the frame is part of. `path` is the call path
 * of the importing Python, or PINSIGHT_NONE. */
void pinsight_walk_import_begin(const struct pinsight_attribution_walk *walk,
                                struct pinsight_walk_frame *frame, uint32_t module, uint32_t path);

/* Ends a frame that is part of an import. `took` has the frame's own times. */
void pinsight_walk_import_end(struct pinsight_attribution_walk *walk,
                              const struct pinsight_walk_track *own,
                              const struct pinsight_walk_frame *frame,
                              const struct pinsight_walk_import *took);

/* ---- attribution_walk.c: for counts of MONITORING, after the trace was read ---- */

/* Push a frame for a slice of a kind and number, and pop the innermost frame. The frame's own time
 * is `ns`, and away_ns is the part of it without a processor. The whole frame lasted total_ns. The
 * track may have no open slices besides. */
struct pinsight_walk_frame *pinsight_walk_push(struct pinsight_attribution_walk *walk,
                                               struct pinsight_walk_track *own, unsigned kind,
                                               uint32_t id, int32_t line);
void pinsight_walk_pop(struct pinsight_attribution_walk *walk, struct pinsight_walk_track *own,
                       uint64_t ns, uint64_t away_ns, uint64_t total_ns);

/* Adds to the counted times the waits that no counted call has, as far as they must belong to a
 * function of the user's; see attribution_sure_waits.c. */
void pinsight_attribution_walk_sure_waits(struct pinsight_attribution_walk *walk);

/* Returns the track of a thread, and makes it at the first call. Returns NULL if the thread is not
 * selected. */
struct pinsight_walk_track *pinsight_walk_track_of(struct pinsight_attribution_walk *walk,
                                                   struct pinsight_thread *thread);

/* ---- attribution_follow.c: notices for a domain, in runs in which it follows threads ---- */

/* Begins to follow a thread, and passes its `frames` outermost open frames to the domain. */
void pinsight_walk_follow(struct pinsight_attribution_walk *walk, struct pinsight_walk_track *own,
                          const struct pinsight_track *track, size_t frames);

/* Passes the begin of a slice to the domain. The slice is the innermost frame of the track. The
 * first call starts to follow threads, because it is for the first slice that the domain waits for.
 * `python` is whether the thread runs Python. */
void pinsight_walk_follow_begin(struct pinsight_attribution_walk *walk,
                                struct pinsight_walk_track *own, const struct pinsight_track *track,
                                const struct pinsight_slice *slice, bool python);

/* Returns whether a thread is followed. Begins to follow it if other threads are followed. */
static inline bool pinsight_walk_follows(struct pinsight_attribution_walk *walk,
                                         struct pinsight_walk_track *own,
                                         const struct pinsight_track *track) {
    if (!walk->followed_ns)
        return false;
    if (!own->followed)
        pinsight_walk_follow(walk, own, track, own->depth);
    return true;
}

#endif
