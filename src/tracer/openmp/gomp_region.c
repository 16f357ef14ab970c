/* Wrappers of GCC's OpenMP for the begin and end of a parallel region or a league of teams. */
#include "tracer/openmp/gomp.h"

#include <stdlib.h>

enum { TEAM = (int)ompt_parallel_team | ompt_parallel_invoker_program };
enum { LEAGUE = ompt_parallel_league | ompt_parallel_invoker_program };

typedef void (*outlined)(void *);

/* Begins a region. Returns the data for libgomp in place of `data`, or NULL if memory is short.
 * `work` and `count` belong to the construct that is combined with the region; 0: none. */
static struct pinsight_ompt_region *begin(struct pinsight_ompt_thread *thread,
                                          const struct pinsight_gomp_runtime *runtime,
                                          outlined function, void *data, unsigned requested,
                                          bool is_league, unsigned work, uint64_t count) {
    if (requested == PINSIGHT_GOMP_DEFAULT && !is_league && runtime->get_max_threads)
        requested = (unsigned)runtime->get_max_threads();
    struct pinsight_ompt_region *region = pinsight_omp_region_begins(
        thread, requested, is_league ? LEAGUE : TEAM, pinsight_gomp_code(function));
    if (!region)
        return NULL;
    PINSIGHT_OMP_SHARE(region->function, function);
    PINSIGHT_OMP_SHARE(region->data, data);
    PINSIGHT_OMP_SHARE(region->runtime, runtime);
    PINSIGHT_OMP_SHARE(region->is_league, is_league);
    PINSIGHT_OMP_SHARE(region->work, (uint8_t)work);
    PINSIGHT_OMP_SHARE(region->work_count, count);
    return region;
}

static void end(struct pinsight_ompt_region *region) {
    struct pinsight_ompt_thread *thread = pinsight_omp_thread_there();
    if (!thread || !region->is_open || region->process != (uint32_t)pinsight_process.pid)
        return;
    pinsight_gomp_part_left_with(thread, region);
    if (__builtin_expect(thread->regions == region, 1))
        pinsight_omp_end_region(thread, region);
    else
        pinsight_omp_region_ends(thread, region);
}

/* ---- by one call (since GCC 4.9) ---- */

/* Defines the wrapper of a function (function, data, threads, PARAMETERS) whose region contains a
 * construct. */
#define UNPAREN(...) __VA_ARGS__
#define REGION(name, result_type, result, keep, parameters, arguments, its_work, its_count)        \
    static result_type name(outlined function, void *data, unsigned threads, UNPAREN parameters) { \
        PINSIGHT_GOMP_NEXT(name, (const void *)(uintptr_t)function);                               \
        struct pinsight_ompt_thread *thread = pinsight_gomp_thread();                              \
        struct pinsight_ompt_region *region =                                                      \
            thread ? begin(thread, runtime, function, data, threads, false, its_work, its_count)   \
                   : NULL;                                                                         \
        if (!region)                                                                               \
            return next(function, data, threads, UNPAREN arguments);                               \
        keep next(pinsight_gomp_part, pinsight_omp_handle(region), threads, UNPAREN arguments);    \
        end(region);                                                                               \
        result;                                                                                    \
    }                                                                                              \
    PINSIGHT_GOMP_WRAPPER(name)

#define VOID_REGION(name, parameters, arguments, work, count)                                      \
    REGION(name, void, return, , parameters, arguments, work, count)

VOID_REGION(GOMP_parallel, (unsigned flags), (flags), 0, 0)
VOID_REGION(GOMP_parallel_sections, (unsigned count, unsigned flags), (count, flags),
            ompt_work_sections, count)

#define LOOP_REGION(name, work)                                                                    \
    VOID_REGION(name, (long first, long last, long step, unsigned flags),                          \
                (first, last, step, flags), work, pinsight_gomp_iterations(first, last, step))
#define CHUNK_REGION(name, work)                                                                   \
    VOID_REGION(name, (long first, long last, long step, long chunk, unsigned flags),              \
                (first, last, step, chunk, flags), work,                                           \
                pinsight_gomp_iterations(first, last, step))

CHUNK_REGION(GOMP_parallel_loop_static, PINSIGHT_LOOP_STATIC)
CHUNK_REGION(GOMP_parallel_loop_dynamic, PINSIGHT_LOOP_DYNAMIC)
CHUNK_REGION(GOMP_parallel_loop_guided, PINSIGHT_LOOP_GUIDED)
CHUNK_REGION(GOMP_parallel_loop_nonmonotonic_dynamic, PINSIGHT_LOOP_DYNAMIC)
CHUNK_REGION(GOMP_parallel_loop_nonmonotonic_guided, PINSIGHT_LOOP_GUIDED)
LOOP_REGION(GOMP_parallel_loop_runtime, PINSIGHT_LOOP_OTHER)
LOOP_REGION(GOMP_parallel_loop_nonmonotonic_runtime, PINSIGHT_LOOP_OTHER)
LOOP_REGION(GOMP_parallel_loop_maybe_nonmonotonic_runtime, PINSIGHT_LOOP_OTHER)

static unsigned GOMP_parallel_reductions(outlined function, void *data, unsigned threads,
                                         unsigned flags) {
    PINSIGHT_GOMP_NEXT(GOMP_parallel_reductions, (const void *)(uintptr_t)function);
    struct pinsight_ompt_thread *thread = pinsight_gomp_thread();
    if (thread)
        /* libgomp reads a pointer where the handle points to. */
        pinsight_omp_renumber_next(thread, pinsight_gomp_code(function));
    struct pinsight_ompt_region *region =
        thread ? begin(thread, runtime, function, data, threads, false, 0, 0) : NULL;
    if (!region)
        return next(function, data, threads, flags);
    region->reductions = *(void **)data;
    unsigned got = next(pinsight_gomp_part, region, threads, flags);
    end(region);
    return got;
}
PINSIGHT_GOMP_WRAPPER(GOMP_parallel_reductions)

static void GOMP_teams_reg(outlined function, void *data, unsigned teams, unsigned threads,
                           unsigned flags) {
    PINSIGHT_GOMP_NEXT(GOMP_teams_reg, (const void *)(uintptr_t)function);
    struct pinsight_ompt_thread *thread = pinsight_gomp_thread();
    struct pinsight_ompt_region *region =
        thread ? begin(thread, runtime, function, data, teams, true, 0, 0) : NULL;
    if (!region) {
        next(function, data, teams, threads, flags);
        return;
    }
    next(pinsight_gomp_part, pinsight_omp_handle(region), teams, threads, flags);
    end(region);
}
PINSIGHT_GOMP_WRAPPER(GOMP_teams_reg)

/* ---- by two calls (up to GCC 4.8) ---- */

/* The thread that begins the region calls the outlined function between the two calls. */
static struct pinsight_gomp_split *begin_split(struct pinsight_ompt_thread *thread,
                                               const struct pinsight_gomp_runtime *runtime,
                                               outlined function, void *data, unsigned threads,
                                               unsigned work, uint64_t count) {
    struct pinsight_gomp_split *split = calloc(1, sizeof *split);
    if (!split)
        return NULL;
    split->region = begin(thread, runtime, function, data, threads, false, work, count);
    if (!split->region) {
        free(split);
        return NULL;
    }
    split->outer = thread->gomp.split;
    thread->gomp.split = split;
    return split;
}

static void begin_members(struct pinsight_gomp_split *split) {
    split->is_member = pinsight_gomp_part_begin(pinsight_omp_handle(split->region), &split->before);
}

#define STARTED(name, parameters, arguments, work, count)                                          \
    static void name(outlined function, void *data, unsigned threads UNPAREN parameters) {         \
        PINSIGHT_GOMP_NEXT(name, (const void *)(uintptr_t)function);                               \
        struct pinsight_ompt_thread *thread = pinsight_gomp_thread();                              \
        struct pinsight_gomp_split *split =                                                        \
            thread ? begin_split(thread, runtime, function, data, threads, work, count) : NULL;    \
        if (!split) {                                                                              \
            next(function, data, threads UNPAREN arguments);                                       \
            return;                                                                                \
        }                                                                                          \
        next(pinsight_gomp_part, pinsight_omp_handle(split->region), threads UNPAREN arguments);   \
        begin_members(split);                                                                      \
    }                                                                                              \
    PINSIGHT_GOMP_WRAPPER(name)

#define STARTED_LOOP(name, work)                                                                   \
    STARTED(name, (, long first, long last, long step), (, first, last, step), work,               \
            pinsight_gomp_iterations(first, last, step))
#define STARTED_CHUNKS(name, work)                                                                 \
    STARTED(name, (, long first, long last, long step, long chunk), (, first, last, step, chunk),  \
            work, pinsight_gomp_iterations(first, last, step))

STARTED(GOMP_parallel_start, (), (), 0, 0)
STARTED(GOMP_parallel_sections_start, (, unsigned count), (, count), ompt_work_sections, count)
STARTED_CHUNKS(GOMP_parallel_loop_static_start, PINSIGHT_LOOP_STATIC)
STARTED_CHUNKS(GOMP_parallel_loop_dynamic_start, PINSIGHT_LOOP_DYNAMIC)
STARTED_CHUNKS(GOMP_parallel_loop_guided_start, PINSIGHT_LOOP_GUIDED)
STARTED_LOOP(GOMP_parallel_loop_runtime_start, PINSIGHT_LOOP_OTHER)

static void GOMP_parallel_end(void) {
    PINSIGHT_GOMP_NEXT(GOMP_parallel_end, NULL);
    struct pinsight_ompt_thread *thread = pinsight_omp_thread_there();
    struct pinsight_gomp_split *split = thread ? thread->gomp.split : NULL;
    if (!split || !split->region->is_open ||
        split->region->process != (uint32_t)pinsight_process.pid) {
        next();
        return;
    }
    thread->gomp.split = split->outer;
    if (split->is_member)
        pinsight_gomp_part_end(split->region, &split->before);
    next();
    end(split->region);
    free(split);
}
PINSIGHT_GOMP_WRAPPER(GOMP_parallel_end)
