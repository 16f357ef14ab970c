/* GCC's OpenMP: wrappers of what begins and ends a parallel region, or a league of teams. */
#include "domains/openmp/gomp.h"

#include <stdlib.h>

enum { TEAM = (int)ompt_parallel_team | ompt_parallel_invoker_program };
enum { LEAGUE = ompt_parallel_league | ompt_parallel_invoker_program };

typedef void (*outlined)(void *);

/* Tells of the region's begin, and what libgomp is to be given in place of `function` and `data`.
 */
static void begin(struct pinsight_gomp_job *job, struct pinsight_ompt_thread *thread,
                  const struct pinsight_gomp_runtime *runtime, outlined function, void *data,
                  unsigned requested) {
    job->function = function;
    job->data = data;
    job->runtime = runtime;
    job->thread = thread;
    job->parallel.value = 0;
    job->task = pinsight_gomp_task(thread);
    job->process = (uint32_t)pinsight_process.pid;
    if (requested == PINSIGHT_GOMP_DEFAULT && !job->is_league && runtime->get_max_threads)
        requested = (unsigned)runtime->get_max_threads();
    pinsight_omp_on_parallel_begin(&job->task, NULL, &job->parallel, requested,
                                   job->is_league ? LEAGUE : TEAM, pinsight_gomp_code(function));
}

static void end(struct pinsight_gomp_job *job) {
    struct pinsight_ompt_thread *thread = pinsight_omp_thread_there();
    if (!thread || job->process != (uint32_t)pinsight_process.pid)
        return;
    pinsight_gomp_part_left(thread);
    if (job->parallel.ptr)
        pinsight_omp_on_parallel_end(&job->parallel, &job->task, job->is_league ? LEAGUE : TEAM,
                                     NULL);
}

/* ---- by one call (since GCC 4.9) ---- */

/* Of a function (function, data, threads, PARAMETERS), with a construct in the region. */
#define UNPAREN(...) __VA_ARGS__
#define REGION(name, result_type, result, keep, parameters, arguments, its_work, its_count)        \
    static result_type name(outlined function, void *data, unsigned threads, UNPAREN parameters) { \
        PINSIGHT_GOMP_NEXT(name, (const void *)(uintptr_t)function);                               \
        struct pinsight_ompt_thread *thread = pinsight_gomp_thread();                              \
        if (!thread)                                                                               \
            return next(function, data, threads, UNPAREN arguments);                               \
        struct pinsight_gomp_job job = {.work = (its_work), .count = (its_count)};                 \
        begin(&job, thread, runtime, function, data, threads);                                     \
        keep next(pinsight_gomp_part, &job, threads, UNPAREN arguments);                           \
        end(&job);                                                                                 \
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
    if (!thread)
        return next(function, data, threads, flags);
    struct pinsight_gomp_job job = {.first = *(void **)data};
    begin(&job, thread, runtime, function, data, threads);
    unsigned got = next(pinsight_gomp_part, &job, threads, flags);
    end(&job);
    return got;
}
PINSIGHT_GOMP_WRAPPER(GOMP_parallel_reductions)

static void GOMP_teams_reg(outlined function, void *data, unsigned teams, unsigned threads,
                           unsigned flags) {
    PINSIGHT_GOMP_NEXT(GOMP_teams_reg, (const void *)(uintptr_t)function);
    struct pinsight_ompt_thread *thread = pinsight_gomp_thread();
    if (!thread) {
        next(function, data, teams, threads, flags);
        return;
    }
    struct pinsight_gomp_job job = {.is_league = true};
    begin(&job, thread, runtime, function, data, teams);
    next(pinsight_gomp_part, &job, teams, threads, flags);
    end(&job);
}
PINSIGHT_GOMP_WRAPPER(GOMP_teams_reg)

/* ---- by two calls (up to GCC 4.8) ---- */

/* The thread that begins the region calls the outlined function between them. */
static struct pinsight_gomp_job *begin_late(struct pinsight_ompt_thread *thread,
                                            const struct pinsight_gomp_runtime *runtime,
                                            outlined function, void *data, unsigned threads,
                                            unsigned work, uint64_t count) {
    struct pinsight_gomp_job *job = calloc(1, sizeof *job);
    if (!job)
        return NULL;
    job->work = (uint8_t)work;
    job->count = count;
    begin(job, thread, runtime, function, data, threads);
    job->outer = thread->gomp.jobs;
    thread->gomp.jobs = job;
    return job;
}

static void begin_members(struct pinsight_gomp_job *job) {
    job->is_member = pinsight_gomp_part_begin(job, &job->before);
}

#define STARTED(name, parameters, arguments, work, count)                                          \
    static void name(outlined function, void *data, unsigned threads UNPAREN parameters) {         \
        PINSIGHT_GOMP_NEXT(name, (const void *)(uintptr_t)function);                               \
        struct pinsight_ompt_thread *thread = pinsight_gomp_thread();                              \
        struct pinsight_gomp_job *job =                                                            \
            thread ? begin_late(thread, runtime, function, data, threads, work, count) : NULL;     \
        if (!job) {                                                                                \
            next(function, data, threads UNPAREN arguments);                                       \
            return;                                                                                \
        }                                                                                          \
        next(pinsight_gomp_part, job, threads UNPAREN arguments);                                  \
        begin_members(job);                                                                        \
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
    struct pinsight_gomp_job *job = thread ? thread->gomp.jobs : NULL;
    if (!job || job->process != (uint32_t)pinsight_process.pid) {
        next();
        return;
    }
    thread->gomp.jobs = job->outer;
    if (job->is_member)
        pinsight_gomp_part_end(job, &job->before);
    next();
    end(job);
    free(job);
}
PINSIGHT_GOMP_WRAPPER(GOMP_parallel_end)
