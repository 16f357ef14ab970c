/* Feeds the model with any sequence of CUDA's calls and records of work, and checks what must hold
 * of what a view is told, and of the sums after it. Each step is eight bytes: what, thread, stream,
 * correlation, two for when the work began, how long it took, and how much later it is. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "reader/cuda/cuda.h"
#include "reader/timeline.h"

#define STEP 8
#define TRACKS 4096

static const char *const names[] = {"cudaKernelLaunch",
                                    "cudaGraphLaunch",
                                    "cudaMemcpyAsync",
                                    "cudaStreamSync",
                                    "cudaFree",
                                    "cudaMemset",
                                    "cudaDeviceSync",
                                    "cudaStreamBeginCapture",
                                    "cudaStreamEndCapture"};
#define NAMES (sizeof(names) / sizeof(names[0]))

struct seen {
    uint64_t last_ns[TRACKS];
    size_t depth[TRACKS];
    uint64_t works, busy_ns, linked;
};

static void check(int holds, const char *what) {
    if (holds)
        return;
    fprintf(stderr, "does not hold: %s\n", what);
    abort();
}

static void on_begin(void *data, struct pinsight_track *track, const struct pinsight_slice *slice) {
    struct seen *seen = data;

    check(track->number < TRACKS, "few tracks");
    check(slice->begin_ns >= seen->last_ns[track->number], "time does not run back");
    check(track->depth == ++seen->depth[track->number], "begins nest");
    check(!track->stream || track->depth == 1, "work is in no other");
    check((track->stream != NULL) == (slice->kind == PINSIGHT_SLICE_WORK), "work is in streams");
    seen->last_ns[track->number] = slice->begin_ns;
}

static void on_end(void *data, struct pinsight_track *track, const struct pinsight_slice *slice,
                   uint64_t ns) {
    struct seen *seen = data;

    check(ns >= seen->last_ns[track->number] && ns >= slice->begin_ns, "likewise of ends");
    check(track->depth == seen->depth[track->number]--, "ends nest");
    seen->last_ns[track->number] = ns;
    if (!track->stream)
        return;
    seen->works++;
    seen->busy_ns += ns - slice->begin_ns;
}

static void on_flow(void *data, const struct pinsight_flow *flow) {
    ((struct seen *)data)->linked++;
    check(flow->from->thread && flow->to->stream, "from threads to streams");
    check(flow->from_ns <= flow->to_ns, "forwards");
}

static void take(struct pinsight_model *model, const uint8_t *step, uint64_t ns) {
    struct pinsight_process *process = pinsight_model_process(model, 0, 1 + step[1] % 3);
    struct pinsight_thread *thread = pinsight_model_thread(process, step[1] >> 6, 10 + step[1] / 4);
    uint32_t function = pinsight_cuda_function(model, names[step[0] / 16 % NAMES]);
    uint64_t back = (uint64_t)step[4] << 8 | step[5];

    switch (step[0] % 16) {
    case 0: /* another program */
        if (step[2] == 0)
            pinsight_model_process_info(model, 0, process->pid, ns, 1, 0, "h", "p",
                                        step[3] % 2 ? "a" : "b", "0", NULL);
        break;
    case 1: /* a thread of that number */
        pinsight_model_thread_info(model, process, 10 + step[2] % 8, step[3] % 4 - 1, "", ns);
        break;
    case 2:
        pinsight_stack_pause(thread, ns, step[6]);
        break;
    case 3:
        if (step[2] % 4)
            pinsight_cuda_waited(process, ns - back, ns);
        else
            pinsight_cuda_kernel_info(process, step[3] % 4, step[4] % 2 ? "_Z1fIiEvT_" : "k");
        break;
    case 4:
    case 5:
    case 6:
    case 7:
        pinsight_cuda_begin(
            thread, process,
            &(struct pinsight_cuda_call){.function = function,
                                         .path = PINSIGHT_NONE,
                                         .forward = step[7] % 3 ? PINSIGHT_NONE : step[5],
                                         .context = step[2] / 2 % 2,
                                         .stream = step[2] / 4 % 3,
                                         .correlation = step[3],
                                         .bytes = step[6],
                                         .direction = step[2] % 4},
            ns);
        break;
    case 8:
    case 9:
    case 10:
        pinsight_cuda_end(thread, function, step[3], step[6] == 0, ns);
        break;
    default: {
        struct pinsight_cuda_record record = {
            .device = step[2] % 2,
            .context = step[2] / 2 % 2,
            .stream = step[2] / 4 % 3,
            .correlation = step[3],
            .from_ns = back == UINT16_MAX ? 0 : ns - back + step[7] % 8,
            .work = step[0] & 128 ? pinsight_cuda_kernel(process, step[6] % 4)
                                  : pinsight_cuda_work(model, PINSIGHT_CUDA_COPY, "c", step[6] % 4),
            .bytes = step[6]};

        record.to_ns = record.from_ns + step[6] - (step[6] == 255 ? 600 : 0);
        pinsight_cuda_worked(process, &record, ns);
    }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct seen seen;
    struct pinsight_model *model =
        pinsight_model_new(&(struct pinsight_model_options){.thread = -1, .process = -1});
    struct pinsight_timeline timeline = {
        .data = &seen, .streams = true, .begin = on_begin, .end = on_end, .flow = on_flow};
    uint64_t ns = 100000, works = 0, busy = 0, of_sites = 0, of_kinds = 0;

    seen = (struct seen){.works = 0};
    pinsight_model_show(model, &timeline);
    for (; size >= STEP; data += STEP, size -= STEP) {
        take(model, data, ns);
        ns += data[7];
    }
    pinsight_model_finish(model);
    for (size_t i = 0; i < TRACKS; i++)
        check(!seen.depth[i], "all that begins ends");
    for (size_t i = 0; pinsight_model_cuda(model) && i < pinsight_model_cuda(model)->stream_count;
         i++) {
        for (size_t type = 0; type < PINSIGHT_CUDA_TYPES; type++) {
            works += pinsight_model_cuda(model)->streams[i]->count[type];
            busy += pinsight_model_cuda(model)->streams[i]->busy_ns[type];
        }
        check(!pinsight_model_cuda(model)->streams[i]->held_count,
              "nothing is held back at the end");
    }
    for (size_t i = 0; pinsight_model_cuda(model) && i < pinsight_model_cuda(model)->site_count;
         i++)
        of_sites += pinsight_model_cuda(model)->sites[i].works;
    check(works == seen.works && busy == seen.busy_ns, "sums are those of the slices");
    check(!pinsight_model_cuda(model) || works + pinsight_model_cuda(model)->without_times ==
                                             pinsight_model_cuda(model)->records,
          "each record is told, or has no times");
    check(!pinsight_model_cuda(model) ||
              of_sites + pinsight_model_cuda(model)->without_call == works,
          "each piece of work has its call, or none");
    check(seen.linked <= of_sites, "flows are those of calls");
    for (size_t i = 0; pinsight_model_cuda(model) && i < pinsight_model_cuda(model)->work_count;
         i++)
        of_kinds += pinsight_model_cuda(model)->works[i].count;
    check(of_kinds == works, "each piece of work is of a kind");
    pinsight_model_free(model);
    return 0;
}
