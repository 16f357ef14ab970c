/* OpenMP as slices of the timeline; see team.h. */
#include "reader/openmp/team.h"
#include "reader/timeline.h"

/* The most team members for which a region reserves flow numbers. The members are unknown at its
 * begin. */
#define MOST_FLOWS 256u

void pinsight_omp_show_region(struct pinsight_omp_thread *thread,
                              struct pinsight_omp_instance *instance, uint32_t team) {
    const struct pinsight_model *model = thread->process->model;
    const struct pinsight_omp_region *region;
    struct pinsight_slice slice =
        pinsight_slice_of(PINSIGHT_SLICE_REGION, instance->region, instance->id);

    if (!pinsight_track_of(thread->thread))
        return;
    region = &pinsight_model_openmp(model)->regions[instance->region];
    if (team > MOST_FLOWS || !team)
        team = MOST_FLOWS;
    instance->flows = pinsight_flow_numbers(thread->process->model, team);
    instance->flow_count = team;
    slice.path = region->path;
    slice.native = region->native;
    slice.out = instance->flows;
    slice.outs = team;
    pinsight_slice_begin(thread->thread, &slice, instance->begin_ns);
}

void pinsight_omp_show_part(struct pinsight_omp_thread *thread,
                            const struct pinsight_omp_scope *scope) {
    struct pinsight_model *model = thread->process->model;
    const struct pinsight_omp_instance *instance = pinsight_omp_instance_in(thread, scope);
    struct pinsight_track *track = pinsight_track_of(thread->thread);
    struct pinsight_slice slice = pinsight_slice_of(PINSIGHT_SLICE_PART, PINSIGHT_NONE, scope->id);

    if (!track)
        return;
    if (instance) {
        const struct pinsight_omp_region *region =
            &pinsight_model_openmp(model)->regions[instance->region];

        slice.id = instance->region;
        slice.path = region->path;
        slice.native = region->native;
        if (instance->primary != thread && scope->number < instance->flow_count) {
            slice.in = instance->flows + scope->number;
            pinsight_flow_made(
                model, &(struct pinsight_flow){.kind = PINSIGHT_FLOW_TEAM,
                                               .number = slice.in,
                                               .from = pinsight_track_of(instance->primary->thread),
                                               .from_ns = instance->begin_ns,
                                               .to = track,
                                               .to_ns = scope->begin_ns});
        }
    }
    pinsight_slice_begin(thread->thread, &slice, scope->begin_ns);
}

void pinsight_omp_name_part(struct pinsight_omp_thread *thread,
                            const struct pinsight_omp_scope *scope) {
    const struct pinsight_omp_instance *instance = pinsight_omp_instance_in(thread, scope);
    struct pinsight_track *track = pinsight_track_of(thread->thread);
    const struct pinsight_omp_region *region;

    for (size_t i = track && instance ? track->depth : 0; i-- > 0;) {
        struct pinsight_slice *slice = &track->slices[i];

        if (slice->kind != PINSIGHT_SLICE_PART || slice->key != scope->id)
            continue;
        region = &pinsight_model_openmp(thread->process->model)->regions[instance->region];
        slice->id = instance->region;
        slice->path = region->path;
        slice->native = region->native;
        return;
    }
}

void pinsight_omp_show_wait(struct pinsight_omp_thread *thread, enum pinsight_omp_wait wait,
                            bool begin, uint64_t ns) {
    /* A task that runs while another one waits may wait for the same reason. */
    uint64_t key = (uint64_t)thread->level_count << 8 | wait;
    struct pinsight_slice slice = pinsight_slice_of(PINSIGHT_SLICE_WAIT, wait, key);

    slice.waited_ns = PINSIGHT_WAITS_ALWAYS;
    if (begin)
        pinsight_slice_begin(thread->thread, &slice, ns);
    else
        pinsight_slice_end(thread->thread, PINSIGHT_SLICE_WAIT, key, ns);
}

void pinsight_omp_show_task(struct pinsight_omp_thread *thread, uint64_t task, bool begin,
                            uint64_t ns) {
    struct pinsight_slice slice = pinsight_slice_of(PINSIGHT_SLICE_TASK, PINSIGHT_NONE, task);

    if (begin)
        pinsight_slice_begin(thread->thread, &slice, ns);
    else
        pinsight_slice_end(thread->thread, PINSIGHT_SLICE_TASK, task, ns);
}
