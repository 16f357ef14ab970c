/* Finds waits that MONITORING did not count, for attribution_walk.h. The clock of a thread has the
 * sum of all its waiting. A function that has nearly all of the thread's time must have waited, as
 * `with lock` does without a call. */
#include "views/attribution_track.h"

/* Returns the waiting of a thread in counted code, as far as no counted wait has it. The clock is
 * read from the start of the thread, when no code is counted yet. */
static uint64_t unknown_waits(const struct pinsight_attribution_thread *sums) {
    const struct pinsight_thread_clock *clock = &sums->thread->clock;
    const uint64_t uncounted = pinsight_time_rest(clock->known_ns, sums->python_ns + sums->c_ns);

    return pinsight_time_rest(clock->waiting_ns, pinsight_attribution_waiting_ns(&sums->away) +
                                                     sums->imported_mpi_ns + uncounted);
}

static uint64_t unwaited(uint64_t python_ns, uint64_t c_ns,
                         const struct pinsight_attribution_away *away) {
    return pinsight_time_rest(python_ns + c_ns, pinsight_attribution_away_ns(away));
}

static uint64_t native_of(const struct pinsight_attribution_thread *sums) {
    uint64_t ns = 0;

    for (size_t d = 0; d < PINSIGHT_ATTRIBUTION_DOMAINS; d++)
        ns += sums->counted_native_ns[d];
    return ns;
}

/* Adds the least waiting of a function: the waits for which all other code of its thread has no
 * time, native work included. Calls into C have the waits first, because most waits are there. */
static void add_sure_waits(struct pinsight_attribution_thread *sums,
                           struct pinsight_walk_python *python) {
    const uint64_t native_ns = native_of(sums);
    const uint64_t own_ns =
        pinsight_time_rest(unwaited(python->python_ns, python->c_ns, &python->away), native_ns);
    const uint64_t others_ns =
        pinsight_time_rest(unwaited(sums->python_ns, sums->c_ns, &sums->away), own_ns);
    const uint64_t least_ns =
        pinsight_least(own_ns, pinsight_time_rest(unknown_waits(sums), others_ns));
    struct pinsight_attribution_away more = {
        .c_ns = pinsight_least(least_ns, pinsight_time_rest(python->c_ns, python->away.c_ns))};

    more.python_ns = least_ns - more.c_ns;
    pinsight_attribution_away_add(&python->away, &more);
    pinsight_attribution_away_add(&sums->away, &more);
}

void pinsight_attribution_walk_sure_waits(struct pinsight_attribution_walk *walk) {
    for (size_t i = 0; i < walk->python_count; i++) {
        struct pinsight_walk_python *python = &walk->pythons[i];
        struct pinsight_walk_track *own =
            python->thread ? pinsight_walk_track_of(walk, (struct pinsight_thread *)python->thread)
                           : NULL;

        if (own)
            add_sure_waits(&own->sums, python);
    }
}
