/* Passes the work of threads to a domain that follows them; see struct view_follower. */
#include "views/attribution_track.h"

#include "views/domain.h"

void pinsight_walk_follow(struct pinsight_attribution_walk *walk, struct pinsight_walk_track *own,
                          const struct pinsight_track *track, size_t frames) {
    own->followed = walk->follower->thread(walk->following, track, walk->followed_ns);
    for (size_t i = 0; i < frames; i++) {
        const struct pinsight_slice *slice = &track->slices[i];

        walk->follower->begin(own->followed, slice->kind, slice->id, slice->path,
                              own->frames[i].users, slice->begin_ns);
    }
}

void pinsight_walk_follow_begin(struct pinsight_attribution_walk *walk,
                                struct pinsight_walk_track *own, const struct pinsight_track *track,
                                const struct pinsight_slice *slice, bool python) {
    const struct view_follower *follower = walk->follower;

    if (!walk->followed_ns)
        walk->followed_ns = slice->begin_ns;
    if (!own->followed)
        pinsight_walk_follow(walk, own, track, own->depth - 1);
    if (slice->kind == follower->kind)
        follower->call(walk->following, own->followed, track, python);
    follower->begin(own->followed, slice->kind, slice->id, slice->path,
                    own->frames[own->depth - 1].users, slice->begin_ns);
}

void *pinsight_attribution_walk_followed(struct pinsight_attribution_walk *walk) {
    void *followed = walk->following ? walk->follower->finish(walk->following) : NULL;

    walk->following = NULL;
    return followed;
}
