/* Feeds the model with any sequence of OpenMP's events, and of Python's beside them, and checks
 * what must hold of the times after each. Each step is six bytes: what, thread, region, a number,
 * and how much later. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "reader/kit/native.h"
#include "reader/kit/paths.h"
#include "reader/model.h"
#include "reader/openmp/openmp.h"
#include "reader/python/names.h"
#include "reader/python/stacks.h"

#define THREADS 4

static void check_region(const struct pinsight_omp_region *region) {
    const struct pinsight_omp_caller *caller = &region->caller;
    uint64_t work = 0;

    check(caller->total_ns ==
              caller->work_ns + caller->imbalance_ns + caller->waiting_ns + caller->runtime_ns,
          "what a caller's regions took adds up");
    check(caller->calls + region->nested == region->calls, "each call is nested or is not");
    check(!region->calls || region->min_ns <= region->max_ns, "min <= max");
    check(region->measured <= region->calls && region->joined <= region->measured,
          "no more calls are known well than there are");
    check(region->imbalance_ns <= region->wait_ns[PINSIGHT_OMP_WAIT_IMPLICIT_BARRIER],
          "imbalance is waiting in an implicit barrier");
    check(region->longest_ns <= region->work_ns, "the longest work is part of all");
    for (uint32_t i = 0; i < region->thread_work_count; i++)
        work += region->thread_work_ns[i];
    check(work <= region->work_ns, "the threads' work is no more than all");
}

static void check_all(const struct pinsight_model *model) {
    for (size_t i = 0;
         pinsight_model_openmp(model) && i < pinsight_model_openmp(model)->region_count; i++)
        check_region(&pinsight_model_openmp(model)->regions[i]);
    check(!pinsight_model_openmp(model) || pinsight_model_openmp(model)->open_instances == 0,
          "no region is open after the end");
    for (size_t i = 0; i < model->function_count; i++)
        check(model->functions[i].stats.openmp_ns <= model->functions[i].stats.self_ns,
              "regions are part of a function's own time");
    for (size_t i = 0; i < model->path_count; i++) {
        size_t count;

        free(pinsight_path_frames(model, (uint32_t)i, &count));
        pinsight_path_users_line(model, (uint32_t)i);
    }
}

static void python(struct pinsight_thread *thread, const uint8_t *data, uint64_t ns) {
    struct pinsight_process *process = thread->process;
    uint32_t function = pinsight_names_code(process, data[2] % 8);

    switch (data[3] % 6) {
    case 0:
    case 1:
        pinsight_model_begin(thread, PINSIGHT_FUNCTION, function, 0, ns);
        break;
    case 2:
    case 3:
        pinsight_model_end(thread, PINSIGHT_FUNCTION, function, 0, ns);
        break;
    case 4:
        pinsight_path_info(process, data[2], data[3] >> 4, data[2] % 8, data[4]);
        break;
    default:
        pinsight_native_info(process, READER_OPENMP, data[2], data[2] % 4,
                             data[3] & 64 ? "a.so" : "", data[3] >> 4, "f");
    }
}

static void other(struct pinsight_model *model, struct pinsight_process *process,
                  const uint8_t *data, uint64_t ns) {
    switch (data[3] % 3) {
    case 0:
        pinsight_model_thread_info(model, process, data[1] % THREADS, data[2] % 3 - 1, "t", ns);
        break;
    case 1:
        pinsight_model_process_info(model, 0, data[1] >> 7, ns, 0, 0, "h", data[2] % 16 ? "p" : "q",
                                    "p", "0", NULL);
        break;
    default:
        pinsight_model_pause(process, ns - data[2], ns);
    }
}

static void step(struct pinsight_model *model, const uint8_t *data, uint64_t ns) {
    struct pinsight_process *process = pinsight_model_process(model, 0, data[1] >> 7);
    struct pinsight_thread *thread =
        pinsight_model_thread_by_tid(model, 0, data[1] % THREADS, process);
    struct pinsight_omp_thread *omp;
    uint64_t id = data[2] % 16, number = data[3];
    enum pinsight_omp_wait wait = (enum pinsight_omp_wait)(number % PINSIGHT_OMP_WAIT_COUNT);

    if (thread->process != process)
        thread = pinsight_model_thread(process, -1, data[1] % THREADS);
    pinsight_model_touch(process, ns);
    pinsight_openmp_of(model);
    omp = pinsight_omp_thread_of(thread, process);
    switch (data[0] % 16) {
    case 0:
    case 1:
        pinsight_omp_region_begin(omp, id, number % 8, pinsight_native_at(process, number % 4),
                                  pinsight_path_of(process, number >> 5),
                                  (enum pinsight_omp_kind)(number >> 3 & 1), ns);
        break;
    case 2:
        pinsight_omp_region_end(omp, id, ns);
        break;
    case 3:
    case 4:
        pinsight_omp_part_begin(omp, id, number, number % 8, number >> 4, ns);
        break;
    case 5:
        pinsight_omp_part_end(omp, id, ns);
        break;
    case 6:
    case 7:
        pinsight_omp_sync(omp, id, wait, number >> 4, number & 8, ns);
        break;
    case 8:
        pinsight_omp_sync_wait(omp, id, wait, number & 8, ns);
        break;
    case 9:
        pinsight_omp_acquire(omp, id, wait, ns);
        break;
    case 10:
        pinsight_omp_acquired(omp, id, wait, ns);
        break;
    case 11:
        pinsight_omp_task_switch(omp, id, number % 16, number >> 4, data[2] >> 4, ns);
        break;
    case 12:
        pinsight_omp_task_made(omp, id, ns);
        break;
    case 13:
    case 14:
        python(thread, data, ns);
        break;
    default:
        other(model, process, data, ns);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct pinsight_model_options options = {.thread = -1, .process = -1};
    struct pinsight_model *model = pinsight_model_new(&options);
    uint64_t ns = 1000;

    for (; size >= 6; data += 6, size -= 6) {
        ns += (uint64_t)data[4] << (data[5] % 16);
        step(model, data, data[5] & 0x80 ? ns - data[4] : ns);
    }
    pinsight_model_finish(model);
    check_all(model);
    pinsight_model_free(model);
    return 0;
}
