/* CUDA's calls and records in any order: what is told stays nested and in time, all that begins
 * ends, and the sums are those of what was told. */
#include "unit.h"

#include "made_model.h"
#include "reader/cuda/cuda.h"
#include "told.h"

#define TURNS 200000

struct seen {
    struct told told; /* first: callbacks get its address */
    uint64_t works, busy_ns;
};

static void on_end(void *data, struct pinsight_track *track, const struct pinsight_slice *slice,
                   uint64_t ns) {
    struct seen *seen = data;

    assert_true(!track->stream || track->depth == 1);
    seen_end(&seen->told, track, slice, ns);
    seen->works += track->stream != NULL;
    seen->busy_ns += track->stream ? ns - slice->begin_ns : 0;
}

/* One that is all of it; `thread` is of that process or of one before it. */
static void step(struct pinsight_model *model, struct pinsight_thread *thread, uint64_t ns) {
    struct pinsight_process *process = pinsight_model_process(model, 0, 100);
    uint32_t correlation = (uint32_t)(rand() % 200);
    uint32_t function =
        pinsight_cuda_function(model, rand() % 3 ? "cudaKernelLaunch" : "cudaStreamSync");
    uint64_t from =
        rand() % 50 ? ns - (uint64_t)(rand() % (int)(ns < 3000 ? ns : 3000)) : (uint64_t)rand();
    struct pinsight_cuda_call call = {.function = function,
                                      .path = PINSIGHT_NONE,
                                      .forward = PINSIGHT_NONE,
                                      .correlation = correlation};
    struct pinsight_cuda_record record = {.stream = (uint32_t)(rand() % 3),
                                          .correlation = correlation,
                                          .from_ns = from,
                                          .to_ns = from + (uint64_t)(rand() % 100)};

    record.work = pinsight_cuda_work(model, PINSIGHT_CUDA_KERNEL, "k", PINSIGHT_CUDA_ELSEWHERE);
    switch (rand() % 8) {
    case 0:
    case 1:
        pinsight_cuda_begin(thread, process, &call, ns);
        break;
    case 2:
    case 3:
        pinsight_cuda_end(thread, function, correlation, rand() % 10 == 0, ns);
        break;
    case 4:
        if (rand() % 500 == 0)
            pinsight_model_process_info(model, 0, 100, ns, 1, -1, "h", "p", rand() % 2 ? "c" : "d",
                                        "0", NULL);
        else if (rand() % 100 == 0)
            pinsight_model_thread_info(model, process, 100 + (uint32_t)(rand() % 4), rand() % 4, "",
                                       ns);
        else if (rand() % 100 == 0)
            pinsight_stack_pause(thread, ns, 10);
        break;
    default:
        pinsight_cuda_worked(process, &record, ns);
    }
}

static void anything_is_told_nested(void **state) {
    struct pinsight_model *model = made_model();
    struct pinsight_process *process = pinsight_model_process(model, 0, 100);
    struct pinsight_thread *threads[] = {pinsight_model_thread(process, 0, 100),
                                         pinsight_model_thread(process, 1, 101)};
    struct seen seen = {.told.quiet = true};
    uint64_t busy = 0, works = 0;

    (void)state;
    srand(11);
    seen_listen(&seen.told, model);
    seen.told.timeline.streams = true;
    seen.told.timeline.end = on_end;
    for (uint64_t turn = 1; turn < TURNS; turn++)
        step(model, threads[rand() % 2], turn * 4 + (uint64_t)(rand() % 40));
    pinsight_model_finish(model);
    assert_int_equal(seen.told.begins, seen.told.ends);
    assert_true(seen.told.flows > 1000 && pinsight_model_cuda(model)->shortened > 100);
    for (size_t i = 0; i < pinsight_model_cuda(model)->stream_count; i++) {
        busy += pinsight_model_cuda(model)->streams[i]->busy_ns[PINSIGHT_CUDA_KERNEL];
        works += pinsight_model_cuda(model)->streams[i]->count[PINSIGHT_CUDA_KERNEL];
        assert_int_equal(pinsight_model_cuda(model)->streams[i]->held_count, 0);
    }
    assert_int_equal(busy, seen.busy_ns);
    assert_int_equal(works, seen.works);
    assert_int_equal(pinsight_model_cuda(model)->works[0].total_ns, busy);
    assert_int_equal(pinsight_model_cuda(model)->records,
                     works + pinsight_model_cuda(model)->without_times);
    pinsight_model_free(model);
}

int main(void) {
    return RUN_TESTS(anything_is_told_nested);
}
