/* Wrappers of GCC's OpenMP for worksharing constructs, and for the barriers at their ends. */
#include "tracer/openmp/gomp.h"

typedef unsigned long long wide;

static void begin(struct pinsight_ompt_thread *thread, unsigned type, uint64_t count,
                  const void *codeptr) {
    ompt_data_t task = pinsight_gomp_task(thread);
    pinsight_omp_on_work(type, ompt_scope_begin, NULL, &task, count, codeptr);
}

static void end(struct pinsight_ompt_thread *thread, unsigned type) {
    ompt_data_t task = pinsight_gomp_task(thread);
    pinsight_omp_on_work(type, ompt_scope_end, NULL, &task, 0, NULL);
}

/* ---- loops ---- */

#define UNPAREN(...) __VA_ARGS__
#define START(name, parameters, arguments, type, count)                                            \
    static bool name(UNPAREN parameters) {                                                         \
        PINSIGHT_GOMP_NEXT(name, NULL);                                                            \
        struct pinsight_ompt_thread *thread = pinsight_gomp_thread();                              \
        if (thread)                                                                                \
            begin(thread, type, count, codeptr);                                                   \
        return next(UNPAREN arguments);                                                            \
    }                                                                                              \
    PINSIGHT_GOMP_WRAPPER(name)

#define COUNT pinsight_gomp_iterations(first, last, step)
#define WIDE_COUNT pinsight_gomp_iterations_wide(up, first, last, step)

#define LOOP(name, type)                                                                           \
    START(name, (long first, long last, long step, long *begin_at, long *end_at),                  \
          (first, last, step, begin_at, end_at), type, COUNT)
#define CHUNKS(name, type)                                                                         \
    START(name, (long first, long last, long step, long chunk, long *begin_at, long *end_at),      \
          (first, last, step, chunk, begin_at, end_at), type, COUNT)
#define WIDE_LOOP(name, type)                                                                      \
    START(name, (bool up, wide first, wide last, wide step, wide *begin_at, wide *end_at),         \
          (up, first, last, step, begin_at, end_at), type, WIDE_COUNT)
#define WIDE_CHUNKS(name, type)                                                                    \
    START(name,                                                                                    \
          (bool up, wide first, wide last, wide step, wide chunk, wide *begin_at, wide *end_at),   \
          (up, first, last, step, chunk, begin_at, end_at), type, WIDE_COUNT)

CHUNKS(GOMP_loop_static_start, PINSIGHT_LOOP_STATIC)
CHUNKS(GOMP_loop_dynamic_start, PINSIGHT_LOOP_DYNAMIC)
CHUNKS(GOMP_loop_guided_start, PINSIGHT_LOOP_GUIDED)
CHUNKS(GOMP_loop_nonmonotonic_dynamic_start, PINSIGHT_LOOP_DYNAMIC)
CHUNKS(GOMP_loop_nonmonotonic_guided_start, PINSIGHT_LOOP_GUIDED)
CHUNKS(GOMP_loop_ordered_static_start, PINSIGHT_LOOP_STATIC)
CHUNKS(GOMP_loop_ordered_dynamic_start, PINSIGHT_LOOP_DYNAMIC)
CHUNKS(GOMP_loop_ordered_guided_start, PINSIGHT_LOOP_GUIDED)
LOOP(GOMP_loop_runtime_start, PINSIGHT_LOOP_OTHER)
LOOP(GOMP_loop_ordered_runtime_start, PINSIGHT_LOOP_OTHER)
LOOP(GOMP_loop_nonmonotonic_runtime_start, PINSIGHT_LOOP_OTHER)
LOOP(GOMP_loop_maybe_nonmonotonic_runtime_start, PINSIGHT_LOOP_OTHER)

WIDE_CHUNKS(GOMP_loop_ull_static_start, PINSIGHT_LOOP_STATIC)
WIDE_CHUNKS(GOMP_loop_ull_dynamic_start, PINSIGHT_LOOP_DYNAMIC)
WIDE_CHUNKS(GOMP_loop_ull_guided_start, PINSIGHT_LOOP_GUIDED)
WIDE_CHUNKS(GOMP_loop_ull_nonmonotonic_dynamic_start, PINSIGHT_LOOP_DYNAMIC)
WIDE_CHUNKS(GOMP_loop_ull_nonmonotonic_guided_start, PINSIGHT_LOOP_GUIDED)
WIDE_CHUNKS(GOMP_loop_ull_ordered_static_start, PINSIGHT_LOOP_STATIC)
WIDE_CHUNKS(GOMP_loop_ull_ordered_dynamic_start, PINSIGHT_LOOP_DYNAMIC)
WIDE_CHUNKS(GOMP_loop_ull_ordered_guided_start, PINSIGHT_LOOP_GUIDED)
WIDE_LOOP(GOMP_loop_ull_runtime_start, PINSIGHT_LOOP_OTHER)
WIDE_LOOP(GOMP_loop_ull_ordered_runtime_start, PINSIGHT_LOOP_OTHER)
WIDE_LOOP(GOMP_loop_ull_nonmonotonic_runtime_start, PINSIGHT_LOOP_OTHER)
WIDE_LOOP(GOMP_loop_ull_maybe_nonmonotonic_runtime_start, PINSIGHT_LOOP_OTHER)

/* Returns the type of a loop. `schedule` is libgomp's enum gomp_schedule_type, with a bit for
 * monotonic. */
static unsigned type_of(long schedule) {
    long kind = schedule & 7;
    return kind >= 1 && kind <= 3 ? PINSIGHT_LOOP_STATIC - 1 + (unsigned)kind : PINSIGHT_LOOP_OTHER;
}

#define GENERAL(name)                                                                              \
    START(name,                                                                                    \
          (long first, long last, long step, long schedule, long chunk, long *begin_at,            \
           long *end_at, uintptr_t *reductions, void **memory),                                    \
          (first, last, step, schedule, chunk, begin_at, end_at, reductions, memory),              \
          type_of(schedule), COUNT)
#define WIDE_GENERAL(name)                                                                         \
    START(name,                                                                                    \
          (bool up, wide first, wide last, wide step, long schedule, wide chunk, wide *begin_at,   \
           wide *end_at, uintptr_t *reductions, void **memory),                                    \
          (up, first, last, step, schedule, chunk, begin_at, end_at, reductions, memory),          \
          type_of(schedule), WIDE_COUNT)

GENERAL(GOMP_loop_start)
GENERAL(GOMP_loop_ordered_start)
WIDE_GENERAL(GOMP_loop_ull_start)
WIDE_GENERAL(GOMP_loop_ull_ordered_start)

/* ---- loops whose iterations wait for others ---- */

#define ACROSS(name, number, type)                                                                 \
    START(name,                                                                                    \
          (unsigned dimensions, number *counts, number chunk, number *begin_at, number *end_at),   \
          (dimensions, counts, chunk, begin_at, end_at), type, (uint64_t)counts[0])
#define ACROSS_RUNTIME(name, number)                                                               \
    START(name, (unsigned dimensions, number *counts, number *begin_at, number *end_at),           \
          (dimensions, counts, begin_at, end_at), PINSIGHT_LOOP_OTHER, (uint64_t)counts[0])
#define ACROSS_GENERAL(name, number)                                                               \
    START(name,                                                                                    \
          (unsigned dimensions, number *counts, long schedule, number chunk, number *begin_at,     \
           number *end_at, uintptr_t *reductions, void **memory),                                  \
          (dimensions, counts, schedule, chunk, begin_at, end_at, reductions, memory),             \
          type_of(schedule), (uint64_t)counts[0])

ACROSS(GOMP_loop_doacross_static_start, long, PINSIGHT_LOOP_STATIC)
ACROSS(GOMP_loop_doacross_dynamic_start, long, PINSIGHT_LOOP_DYNAMIC)
ACROSS(GOMP_loop_doacross_guided_start, long, PINSIGHT_LOOP_GUIDED)
ACROSS_RUNTIME(GOMP_loop_doacross_runtime_start, long)
ACROSS_GENERAL(GOMP_loop_doacross_start, long)
ACROSS(GOMP_loop_ull_doacross_static_start, wide, PINSIGHT_LOOP_STATIC)
ACROSS(GOMP_loop_ull_doacross_dynamic_start, wide, PINSIGHT_LOOP_DYNAMIC)
ACROSS(GOMP_loop_ull_doacross_guided_start, wide, PINSIGHT_LOOP_GUIDED)
ACROSS_RUNTIME(GOMP_loop_ull_doacross_runtime_start, wide)
ACROSS_GENERAL(GOMP_loop_ull_doacross_start, wide)

static void report_dependence(ompt_dependence_type_t type, uint64_t iteration) {
    struct pinsight_ompt_thread *thread = pinsight_gomp_thread();
    if (!thread)
        return;
    ompt_data_t task = pinsight_gomp_task(thread);
    ompt_dependence_t one = {.variable = {.value = iteration}, .dependence_type = type};
    pinsight_omp_on_dependences(&task, &one, 1);
}

#define POST(name, number)                                                                         \
    static void name(number *counts) {                                                             \
        PINSIGHT_GOMP_NEXT(name, NULL);                                                            \
        report_dependence(ompt_dependence_type_source, (uint64_t)counts[0]);                       \
        next(counts);                                                                              \
    }                                                                                              \
    PINSIGHT_GOMP_WRAPPER(name)

POST(GOMP_doacross_post, long)
POST(GOMP_doacross_ull_post, wide)

static void watch_wait(long first, const void *codeptr) {
    (void)codeptr;
    report_dependence(ompt_dependence_type_sink, (uint64_t)first);
}
void *const pinsight_gomp_on_GOMP_doacross_wait = (void *)watch_wait;
void *const pinsight_gomp_on_GOMP_doacross_ull_wait = (void *)watch_wait;

/* ---- the ends of loops and sections ---- */

#define END_WITH_BARRIER(name, result_type, keep, result, type)                                    \
    static result_type name(void) {                                                                \
        PINSIGHT_GOMP_NEXT(name, NULL);                                                            \
        struct pinsight_ompt_thread *thread = pinsight_gomp_thread();                              \
        if (thread) {                                                                              \
            end(thread, type);                                                                     \
            pinsight_gomp_sync_begin(thread, ompt_sync_region_barrier_implicit_workshare,          \
                                     codeptr);                                                     \
        }                                                                                          \
        keep next();                                                                               \
        if (thread)                                                                                \
            pinsight_gomp_sync_end(ompt_sync_region_barrier_implicit_workshare, codeptr);          \
        result;                                                                                    \
    }                                                                                              \
    PINSIGHT_GOMP_WRAPPER(name)

#define END(name, type) END_WITH_BARRIER(name, void, , return, type)
#define END_CANCEL(name, type)                                                                     \
    END_WITH_BARRIER(name, bool, bool cancelled =, return cancelled, type)

#define END_NOWAIT(name, type)                                                                     \
    static void name(void) {                                                                       \
        PINSIGHT_GOMP_NEXT(name, NULL);                                                            \
        struct pinsight_ompt_thread *thread = pinsight_gomp_thread();                              \
        if (thread)                                                                                \
            end(thread, type);                                                                     \
        next();                                                                                    \
    }                                                                                              \
    PINSIGHT_GOMP_WRAPPER(name)

END(GOMP_loop_end, ompt_work_loop)
END_NOWAIT(GOMP_loop_end_nowait, ompt_work_loop)
END_CANCEL(GOMP_loop_end_cancel, ompt_work_loop)
END(GOMP_sections_end, ompt_work_sections)
END_NOWAIT(GOMP_sections_end_nowait, ompt_work_sections)
END_CANCEL(GOMP_sections_end_cancel, ompt_work_sections)

/* ---- sections ---- */

static unsigned GOMP_sections_start(unsigned count) {
    PINSIGHT_GOMP_NEXT(GOMP_sections_start, NULL);
    struct pinsight_ompt_thread *thread = pinsight_gomp_thread();
    if (thread)
        begin(thread, ompt_work_sections, count, codeptr);
    return next(count);
}
PINSIGHT_GOMP_WRAPPER(GOMP_sections_start)

static unsigned GOMP_sections2_start(unsigned count, uintptr_t *reductions, void **memory) {
    PINSIGHT_GOMP_NEXT(GOMP_sections2_start, NULL);
    struct pinsight_ompt_thread *thread = pinsight_gomp_thread();
    if (thread)
        begin(thread, ompt_work_sections, count, codeptr);
    return next(count, reductions, memory);
}
PINSIGHT_GOMP_WRAPPER(GOMP_sections2_start)

/* ---- single ---- */

/* Begins a single construct. libgomp does not report the end for the thread that executes it
 * (work.c). */
static void report_single(struct pinsight_ompt_thread *thread, bool executes, const void *codeptr) {
    begin(thread, executes ? ompt_work_single_executor : ompt_work_single_other, 1, codeptr);
    if (!executes)
        end(thread, ompt_work_single_other);
}

static bool GOMP_single_start(void) {
    PINSIGHT_GOMP_NEXT(GOMP_single_start, NULL);
    bool executes = next();
    struct pinsight_ompt_thread *thread = pinsight_gomp_thread();
    if (thread)
        report_single(thread, executes, codeptr);
    return executes;
}
PINSIGHT_GOMP_WRAPPER(GOMP_single_start)

/* The other threads wait here for the data that the executing thread copies. The compiler calls no
 * barrier for this wait. */
static void *GOMP_single_copy_start(void) {
    PINSIGHT_GOMP_NEXT(GOMP_single_copy_start, NULL);
    void *copied = next();
    struct pinsight_ompt_thread *thread = pinsight_gomp_thread();
    if (thread)
        report_single(thread, !copied, codeptr);
    return copied;
}
PINSIGHT_GOMP_WRAPPER(GOMP_single_copy_start)

static void GOMP_single_copy_end(void *data) {
    PINSIGHT_GOMP_NEXT(GOMP_single_copy_end, NULL);
    struct pinsight_ompt_thread *thread = pinsight_gomp_thread();
    if (thread)
        end(thread, ompt_work_single_executor);
    next(data);
}
PINSIGHT_GOMP_WRAPPER(GOMP_single_copy_end)
