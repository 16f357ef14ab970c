/*
 * Empty parallel regions: what one costs, and what the events of the first thread cost at the
 * least. Linked with LLVM's libomp, which also has the entry points that GCC calls; with BENCH_GOMP
 * it is linked with GCC's libgomp.
 *
 *   region BATCH REPEATS [THREADS]
 *       writes {"region": [ns ...], "floor": [ns ...]} to $PINSIGHT_BENCH_RESULT, or to stdout
 *
 * "floor" is there while a session listens: the events that an empty region has on the first
 * thread, of the same shape and from a C loop, under another provider's name. PINSIGHT_BENCH_TOOL
 * makes the program its own tool of OMPT: "idle" registers no callback, "joined" records those
 * events, in every thread, and does nothing else; without it the runtime finds PInsight, or none.
 * libgomp has no tools: there each thread records two events in its part of the region if
 * PINSIGHT_BENCH_TOOL is "joined".
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../floor/clock.h"
#include "../floor/recorder.h"
#include "tracer/openmp/ompt.h"
#include "tracer/record/floor_openmp.h"

#ifndef BENCH_GOMP

/* ---- the program as its own tool ---- */

static void on_parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *data,
                              unsigned requested, int flags, const void *codeptr) {
    (void)task, (void)frame, (void)data;
    pinsight_record_floor_openmp_parallel_begin(0, 0, 0, 1, 1, (uintptr_t)codeptr, requested,
                                                (uint32_t)flags, 0);
}

static void on_parallel_end(ompt_data_t *data, ompt_data_t *task, int flags, const void *codeptr) {
    (void)data, (void)task, (void)flags;
    pinsight_record_floor_openmp_parallel_end(0, 0, 0, 1, 1, (uintptr_t)codeptr);
}

/* Of the thread in its team. What the runtime tells other threads than the first at one moment they
 * record in one event, as PInsight does. */
static __thread unsigned number;

static void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *data, ompt_data_t *task,
                             unsigned size, unsigned index, int flags) {
    (void)data, (void)task;
    if (endpoint == ompt_scope_begin) {
        number = index;
        pinsight_record_floor_openmp_implicit_task_begin(0, 0, index, 1, 1, 0x1234, size,
                                                         (uint32_t)flags);
    } else if (!number)
        pinsight_record_floor_openmp_implicit_task_end(0, 0, index, 1, 1, 0x1234);
}

static void on_sync(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *data,
                    ompt_data_t *task, const void *codeptr) {
    (void)data, (void)task, (void)codeptr;
    if (number)
        return;
    if (endpoint == ompt_scope_begin)
        pinsight_record_floor_openmp_barrier_implicit_sync_begin(0, 0, 0, 1, 1, 0x1234, kind);
    else
        pinsight_record_floor_openmp_barrier_implicit_sync_end(0, 0, 0, 1, 1, 0x1234, kind);
}

static void on_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *data,
                    ompt_data_t *task, const void *codeptr) {
    (void)data, (void)task, (void)codeptr;
    if (endpoint == ompt_scope_begin)
        pinsight_record_floor_openmp_barrier_implicit_sync_wait_begin(0, 0, 0, 1, 1, 0x1234, kind);
    else if (!number)
        pinsight_record_floor_openmp_barrier_implicit_sync_wait_end(0, 0, 0, 1, 1, 0x1234, kind);
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data) {
    (void)device, (void)data;
    const char *tool = getenv("PINSIGHT_BENCH_TOOL");
    ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    if (strcmp(tool, "joined") == 0) {
        floor_join();
        set(ompt_callback_parallel_begin, (ompt_callback_t)on_parallel_begin);
        set(ompt_callback_parallel_end, (ompt_callback_t)on_parallel_end);
        set(ompt_callback_implicit_task, (ompt_callback_t)on_implicit_task);
        set(ompt_callback_sync_region, (ompt_callback_t)on_sync);
        set(ompt_callback_sync_region_wait, (ompt_callback_t)on_wait);
    }
    return 1;
}

static void finalize(ompt_data_t *data) {
    (void)data;
}

__attribute__((visibility("default"))) ompt_start_tool_result_t *
ompt_start_tool(unsigned version, const char *runtime) {
    static ompt_start_tool_result_t result = {.initialize = initialize, .finalize = finalize};
    ompt_start_tool_result_t *(*next)(unsigned, const char *) =
        (ompt_start_tool_result_t * (*)(unsigned, const char *))
            dlsym(RTLD_NEXT, "ompt_start_tool");
    if (getenv("PINSIGHT_BENCH_TOOL"))
        return &result;
    return next ? next(version, runtime) : NULL;
}

#endif

/* ---- what is measured ---- */

static int threads = 2;

static void region(void) {
#pragma omp parallel num_threads(threads)
    __asm__ volatile("" ::: "memory");
}

#ifdef BENCH_GOMP
static void region_with_two(void) {
#pragma omp parallel num_threads(threads)
    {
        pinsight_record_floor_openmp_implicit_task_begin(0, 0, 0, 1, 1, 0x1234, 2, 2);
        pinsight_record_floor_openmp_barrier_implicit_begin(0, 0, 0, 1, 1, 0x1234, 9);
    }
}

static void events(uint64_t id) {
    pinsight_record_floor_openmp_parallel_begin(0, 0, 0, id, 1, 0x1234, 2, 0, 0);
    pinsight_record_floor_openmp_parallel_end(0, 0, 0, id, 1, 0x1234);
}
#else
static void region_with_two(void) {
    region();
}

static void events(uint64_t id) {
    pinsight_record_floor_openmp_parallel_begin(0, 0, 0, id, 1, 0x1234, 2, 0, 0);
    pinsight_record_floor_openmp_implicit_task_begin(0, 0, 0, id, 1, 0x1234, 2, 2);
    if (threads > 1) {
        pinsight_record_floor_openmp_barrier_implicit_sync_begin(0, 0, 0, id, 1, 0x1234, 2);
        pinsight_record_floor_openmp_barrier_implicit_sync_wait_begin(0, 0, 0, id, 1, 0x1234, 2);
        pinsight_record_floor_openmp_barrier_implicit_sync_wait_end(0, 0, 0, id, 1, 0x1234, 2);
        pinsight_record_floor_openmp_barrier_implicit_sync_end(0, 0, 0, id, 1, 0x1234, 2);
    }
    pinsight_record_floor_openmp_implicit_task_end(0, 0, 0, id, 1, 0x1234);
    pinsight_record_floor_openmp_parallel_end(0, 0, 0, id, 1, 0x1234);
}
#endif

int main(int argc, char **argv) {
    long n = argc > 1 ? atol(argv[1]) : 100;
    int repeats = argc > 2 ? atoi(argv[2]) : 400;
    threads = argc > 3 ? atoi(argv[3]) : 2;
    FLOOR_RECORDER(floor_openmp);
    const char *tool = getenv("PINSIGHT_BENCH_TOOL");
    bool joined = tool && strcmp(tool, "joined") == 0;
    void (*measured)(void) = joined ? region_with_two : region;
#ifdef BENCH_GOMP
    if (joined)
        floor_join();
#endif
    const char *path = getenv("PINSIGHT_BENCH_RESULT");
    FILE *file = path ? fopen(path, "w") : stdout;
    if (!file)
        return 1;
    for (long i = 0; i < 10 * n; i++)
        measured();
    fprintf(file, "{\"region\": [");
    for (int r = 0; r < repeats; r++) {
        double start = clock_ns(CLOCK_MONOTONIC);
        for (long i = 0; i < n; i++)
            measured();
        fprintf(file, "%s%.1f", r ? ", " : "", (clock_ns(CLOCK_MONOTONIC) - start) / (double)n);
    }
    fprintf(file, "], \"floor\": [");
    for (int r = 0; r < repeats && pinsight_record_floor_openmp_parallel_begin_enabled(); r++) {
        double start = clock_ns(CLOCK_MONOTONIC);
        for (long i = 0; i < n; i++)
            events((uint64_t)i);
        fprintf(file, "%s%.1f", r ? ", " : "", (clock_ns(CLOCK_MONOTONIC) - start) / (double)n);
    }
    fprintf(file, "]}\n");
    return fclose(file) != 0;
}
