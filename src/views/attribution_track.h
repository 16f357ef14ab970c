/* What the walk of attribution_walk.h keeps of a track. */
#ifndef PINSIGHT_VIEWS_ATTRIBUTION_TRACK_H
#define PINSIGHT_VIEWS_ATTRIBUTION_TRACK_H

#include "base/room.h"
#include "views/attribution_walk.h"

enum pinsight_walk_category {
    PINSIGHT_WALK_PYTHON,
    PINSIGHT_WALK_C,
    PINSIGHT_WALK_NATIVE,  /* of its domain */
    PINSIGHT_WALK_GARBAGE, /* collections: of the function that they strike */
    PINSIGHT_WALK_IMPORT,
    PINSIGHT_WALK_NOTHING, /* what it takes is of what it is in: what the program marks */
};

struct pinsight_walk_frame {
    uint64_t within_ns;       /* of what has no time of its own, see PINSIGHT_WALK_NOTHING */
    uint64_t within_away_ns;  /* of that, without a processor */
    uint64_t within_ready_ns; /* of that, it wanted one */
    uint32_t users;  /* the user's function that is innermost, or what stands for it, or none */
    uint32_t at;     /* of users among the walk's pythons, plus one; 0 where it is not known */
    uint32_t path;   /* that native work here came from */
    uint32_t call;   /* among the walk's calls, plus one: that its own time is part of; or 0 */
    uint32_t begins; /* likewise: that begins and ends with this */
    uint32_t module, place; /* of an import: see struct pinsight_walk_import */
    uint8_t category, domain;
    bool outermost; /* users is not of the user's: there is none yet */
    bool caller;    /* this is the caller's side */
    bool python;    /* it is, or is in, Python */
    bool in_openmp; /* it is in something of OpenMP's */
    bool for_other; /* path is another thread's */
    bool importing; /* an import goes on, in which no code of the user's runs */
};

/* Places among the walk's pythons plus one, by function plus one, of the thread that was in it
 * last; 0 for none yet. */
struct pinsight_walk_process {
    uint32_t *python_at;
    size_t python_at_count;
};

struct pinsight_walk_track {
    PINSIGHT_ROOM_OF(struct pinsight_walk_frame, frames);
    struct pinsight_attribution_thread sums;
    uint32_t number; /* no other's */
    void *followed;  /* by a domain, see views/domain.h; NULL while it is not */
    uint64_t first_ns, last_ns;
    bool caller, python;
    bool users; /* a function of the user's ran */
};

static inline const struct pinsight_walk_frame *
pinsight_walk_innermost(const struct pinsight_walk_track *own) {
    return own->depth ? &own->frames[own->depth - 1] : NULL;
}

/* Whether a frame shows that its thread has Python. */
static inline bool pinsight_walk_has_python(const struct pinsight_walk_frame *frame) {
    return frame->python || (frame->path != PINSIGHT_NONE && !frame->for_other);
}

/* A frame begins in a track. */
static inline void pinsight_walk_note_begin(struct pinsight_walk_track *own,
                                            const struct pinsight_walk_frame *frame,
                                            uint64_t begin_ns) {
    if (!own->first_ns)
        own->first_ns = begin_ns;
    own->caller |= frame->caller && frame->category != PINSIGHT_WALK_NOTHING;
    own->python |= pinsight_walk_has_python(frame);
    own->users |= frame->users != PINSIGHT_NONE && !frame->outermost;
}

/* Whose a function is; 0 is not known yet. */
enum { OF_USERS = 1, OF_LIBRARY, OF_INTERPRETER };

/* ---- attribution_calls.c: what lines of the user's call, and what is imported ---- */

/* A function (PINSIGHT_FUNCTION) that is called from a line, or a call site (PINSIGHT_C_CALL),
 * begins in an outer frame, or in none (NULL): sets what of the frame says which call it is part
 * of, and which import. `whose` is of a function. */
void pinsight_walk_place(struct pinsight_attribution_walk *walk, struct pinsight_walk_frame *frame,
                         const struct pinsight_walk_frame *outer, enum pinsight_kind kind,
                         uint32_t id, int32_t line, uint8_t whose);

/* A frame ended, which took so long by itself, and in all. */
void pinsight_walk_call_add(struct pinsight_attribution_walk *walk,
                            const struct pinsight_walk_frame *frame, uint64_t ns, uint64_t away_ns,
                            uint64_t ready_ns, uint64_t total_ns);

/* The import of a module begins: sets what of its frame says which import it is part of. path is
 * that of the Python that imports it, or PINSIGHT_NONE. */
void pinsight_walk_import_begin(const struct pinsight_attribution_walk *walk,
                                struct pinsight_walk_frame *frame, uint32_t module, uint32_t path);

/* A frame of a track that is part of an import ended, which took so long by itself. */
void pinsight_walk_import_end(struct pinsight_attribution_walk *walk,
                              const struct pinsight_walk_track *own,
                              const struct pinsight_walk_frame *frame,
                              const struct pinsight_walk_import *took);

/* ---- attribution_walk.c: for what MONITORING counted, when all is read ---- */

/* What a slice of this kind and number is begins in a track, where nothing else is open: its frame;
 * and what is innermost ends, which took so long by itself, for so much of it without a processor,
 * and in all. */
struct pinsight_walk_frame *pinsight_walk_push(struct pinsight_attribution_walk *walk,
                                               struct pinsight_walk_track *own, unsigned kind,
                                               uint32_t id, int32_t line);
void pinsight_walk_pop(struct pinsight_attribution_walk *walk, struct pinsight_walk_track *own,
                       uint64_t ns, uint64_t away_ns, uint64_t total_ns);

/* Of a thread: made at its first mention; NULL where it is not looked at. */
struct pinsight_walk_track *pinsight_walk_track_of(struct pinsight_attribution_walk *walk,
                                                   struct pinsight_thread *thread);

/* ---- attribution_follow.c: what a domain is told, in runs in which it wants to know ---- */

/* A thread is followed from now on; what is open in it is told, the outermost frames. */
void pinsight_walk_follow(struct pinsight_attribution_walk *walk, struct pinsight_walk_track *own,
                          const struct pinsight_track *track, size_t frames);

/* The innermost frame of a track begins with a slice, the thread of which has Python or not:
 * threads are followed, or are from now on, as this is the first slice that the domain waits for.
 */
void pinsight_walk_follow_begin(struct pinsight_attribution_walk *walk,
                                struct pinsight_walk_track *own, const struct pinsight_track *track,
                                const struct pinsight_slice *slice, bool python);

/* Whether a thread is followed: from now on, where threads are. */
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
