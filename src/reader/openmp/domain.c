/* OpenMP as a domain of the reader. */
#include "reader/domain.h"
#include "reader/ctf/event.h"
#include "reader/kit/native.h"
#include "reader/openmp/openmp.h"
#include "reader/openmp/team.h"

static const enum pinsight_event_id names[] = {PINSIGHT_EVENT_OPENMP_REGION_INFO,
                                               PINSIGHT_EVENT_UNKNOWN};

static void profile(struct pinsight_thread *thread, const struct pinsight_event *event,
                    const struct pinsight_monitored *counted) {
    uint32_t number =
        (uint32_t)pinsight_event_integer(event, PINSIGHT_CORE_LEXGION_PROFILE_LEXGION);

    if (thread->selected)
        pinsight_omp_count(thread, pinsight_native_numbered(thread->process, READER_OPENMP, number),
                           counted);
}

static void move(struct pinsight_thread *from, struct pinsight_thread *to) {
    if (pinsight_thread_move_state(from, to, READER_OPENMP))
        pinsight_thread_openmp(to)->thread = to;
}

static bool is_over(const struct pinsight_thread *thread) {
    const struct pinsight_omp_thread *own = pinsight_thread_openmp(thread);

    return own && own->over;
}

READER_NATIVE_DOMAIN(openmp, "OpenMP", pinsight_openmp, .names = names,
                     .pause = pinsight_openmp_pause, .move = move, .is_over = is_over,
                     .free_thread = pinsight_omp_thread_free);
