/* CUDA in the model: calls, records that come late, and what a view is told of both. */
#include "unit.h"

#include "made_model.h"
#include "reader/cuda/cuda.h"
#include "told.h"

struct fixture {
    struct pinsight_model *model;
    struct pinsight_process *process;
    struct pinsight_thread *thread;
    uint32_t launch, sync, kernel, copy;
    struct told told;
};

static int setup(void **state) {
    struct fixture *f = *state = calloc(1, sizeof(struct fixture));

    f->model = made_model();
    f->process = pinsight_model_process(f->model, 0, 100);
    f->thread = pinsight_model_thread(f->process, 0, 100);
    seen_listen(&f->told, f->model);
    f->told.timeline.streams = true;
    f->launch = pinsight_cuda_function(f->model, "cudaKernelLaunch");
    f->sync = pinsight_cuda_function(f->model, "cudaStreamSync");
    f->kernel = pinsight_cuda_work(f->model, PINSIGHT_CUDA_KERNEL, "k", PINSIGHT_CUDA_ELSEWHERE);
    f->copy = pinsight_cuda_work(f->model, PINSIGHT_CUDA_COPY, "c", PINSIGHT_CUDA_TO_DEVICE);
    return 0;
}

static void begin(struct fixture *f, struct pinsight_thread *thread, uint32_t function,
                  uint32_t correlation, uint64_t ns) {
    pinsight_cuda_begin(thread, f->process,
                        &(struct pinsight_cuda_call){.function = function,
                                                     .path = PINSIGHT_NONE,
                                                     .forward = PINSIGHT_NONE,
                                                     .correlation = correlation},
                        ns);
}

static void call(struct fixture *f, uint32_t function, uint32_t correlation, uint64_t from,
                 uint64_t to) {
    begin(f, f->thread, function, correlation, from);
    pinsight_cuda_end(f->thread, function, correlation, 0, to);
}

static void worked(struct fixture *f, uint32_t stream, uint32_t correlation, uint64_t from,
                   uint64_t to, uint64_t ns) {
    made_work(f->process, f->kernel, stream, correlation, from, to, ns);
}

static void a_launch_and_its_work(void **state) {
    struct fixture *f = *state;

    call(f, f->launch, 5, 10, 20);
    call(f, f->sync, 6, 30, 90);
    worked(f, 7, 5, 40, 80, 100);
    seen_is(&f->told, "1 +call0@10>1 1 -call0@20 1 +call1@30 1 -call1@90 ");
    pinsight_model_finish(f->model);
    seen_is(&f->told, "1=1>2@10-40 2 +work0@40<1 2 -work0@80 ");
    assert_int_equal(pinsight_model_cuda(f->model)->sites[0].works, 1);
    assert_int_equal(pinsight_model_cuda(f->model)->sites[0].device_ns, 40);
    assert_int_equal(pinsight_model_cuda(f->model)->unanswered, 0);
}

/* Records of a stream in the order of time, whatever order they come in; each stream has a track.
 */
static void records_out_of_order(void **state) {
    struct fixture *f = *state;

    for (uint32_t i = 1; i <= 3; i++)
        call(f, f->launch, i, 10 * i, 10 * i + 5);
    f->told.length = 0;
    worked(f, 7, 3, 300, 350, 1000);
    worked(f, 8, 2, 110, 290, 1001);
    worked(f, 7, 1, 100, 150, 1002);
    pinsight_model_finish(f->model);
    seen_is(&f->told, "1=1>2@10-100 2 +work0@100<1 2 -work0@150 1=3>2@30-300 2 +work0@300<3 2 "
                      "-work0@350 1=2>3@20-110 3 +work0@110<2 3 -work0@290 ");
    assert_int_equal(pinsight_model_cuda(f->model)->shortened, 0);
}

/* All work of a graph has the number of its launch. */
static void a_graph(void **state) {
    struct fixture *f = *state;

    call(f, pinsight_cuda_function(f->model, "cudaGraphLaunch"), 1, 10, 20);
    f->told.length = 0;
    worked(f, 7, 1, 30, 40, 100);
    worked(f, 7, 1, 40, 50, 100);
    pinsight_model_finish(f->model);
    seen_is(&f->told,
            "1=1>2@10-30 2 +work0@30<1 2 -work0@40 1=1>2@10-40 2 +work0@40<1 2 -work0@50 ");
}

static void a_call_that_failed(void **state) {
    struct fixture *f = *state;

    begin(f, f->thread, f->launch, 1, 10);
    pinsight_cuda_end(f->thread, f->launch, 1, 700, 20);
    call(f, f->launch, 2, 30, 40);
    call(f, f->sync, 3, 50, 60);
    pinsight_model_finish(f->model);
    assert_int_equal(pinsight_model_cuda(f->model)->unanswered, 1);
    assert_int_equal(pinsight_model_cuda(f->model)->sites[0].failed, 1);
    assert_int_equal(pinsight_model_cuda(f->model)->sites[0].failure, 700);
}

/* Its number may be known at its end only. */
static void a_number_that_comes_late(void **state) {
    struct fixture *f = *state;

    begin(f, f->thread, f->launch, 0, 10);
    pinsight_cuda_end(f->thread, f->launch, 4, 0, 20);
    worked(f, 7, 4, 30, 40, 100);
    pinsight_model_finish(f->model);
    assert_int_equal(f->told.flows, 1);
}

static void times_are_bounded(void **state) {
    struct fixture *f = *state;

    call(f, f->launch, 1, 3000100, 3000120);
    f->told.length = 0;
    worked(f, 7, 1, 3000090, 3000130, 3001000);
    worked(f, 7, 1, 3000900, 3002000, 3001001);
    worked(f, 7, 1, 0, 0, 3001002);
    worked(f, 7, 1, 3000900, UINT64_MAX / 2, 3001002);
    worked(f, 7, 1, 50, 60, 3001003); /* of an earlier call with the number */
    pinsight_model_finish(f->model);
    seen_is(&f->told,
            "2 +work0@50 2 -work0@60 1=1>2@3000100-3000100 2 +work0@3000100<1 2 -work0@3000130 "
            "1=1>2@3000100-3000900 2 +work0@3000900<1 2 -work0@3001001 ");
    assert_int_equal(pinsight_model_cuda(f->model)->without_times, 2);
    assert_int_equal(pinsight_model_cuda(f->model)->without_call, 1);
    assert_int_equal(pinsight_model_cuda(f->model)->shortened, 2);
    assert_int_equal(pinsight_model_cuda(f->model)->shortened_ns, 10 + 999);
}

/* A call on a stream of the first context, whole. */
static void on_stream(struct fixture *f, struct pinsight_thread *thread, const char *name,
                      uint32_t stream, uint32_t correlation, int32_t value, uint64_t from,
                      uint64_t to) {
    uint32_t function = pinsight_cuda_function(f->model, name);

    pinsight_cuda_begin(thread, f->process,
                        &(struct pinsight_cuda_call){.function = function,
                                                     .path = PINSIGHT_NONE,
                                                     .forward = PINSIGHT_NONE,
                                                     .context = 1,
                                                     .stream = stream,
                                                     .correlation = correlation},
                        from);
    pinsight_cuda_end(thread, function, correlation, value, to);
}

static void wait_for(struct fixture *f, struct pinsight_thread *thread, const char *name,
                     uint32_t stream, int32_t value, uint64_t from, uint64_t to) {
    on_stream(f, thread, name, stream, 0, value, from, to);
}

/* Work is not before its launch, nor after the call with which its thread waited for it. */
static void clocks_are_compared(void **state) {
    struct fixture *f = *state;
    const struct pinsight_cuda *cuda;
    struct pinsight_thread *other = pinsight_model_thread(f->process, 1, 101);

    f->told.quiet = true;
    call(f, f->launch, 1, 1000, 1010);
    call(f, f->launch, 2, 1020, 1030);
    wait_for(f, other, "cudaStreamSync", 7, 0, 1035,
             1036); /* of another thread: nothing is known */
    wait_for(f, f->thread, "cudaStreamSync", 8, 0, 1040, 1050);
    wait_for(f, f->thread, "cudaStreamSync", 7, 700, 1060, 1070); /* fails */
    wait_for(f, f->thread, "cudaEventSync", 7, 0, 1072, 1074);
    wait_for(f, f->thread, "cudaStreamSync", 7, 0, 1080, 1200);
    wait_for(f, f->thread, "cudaDeviceSync", PINSIGHT_CUDA_NO_STREAM, 0, 1300, 1400);
    call(f, f->launch, 3, 1500, 1510);
    worked(f, 7, 1, 1001, 1200, 2000);
    worked(f, 7, 2, 1005, 1207, 2000); /* 15 early, 7 late */
    worked(f, 9, 1, 990, 995, 2000);   /* 10 early */
    worked(f, 9, 2, 1380, 1450, 2000); /* 50 late */
    worked(f, 7, 3, 1520, 1900, 2000);
    worked(f, 7, 3, 1490, 1499, 2000); /* early, by 10 */
    cuda = pinsight_model_cuda(f->model);
    assert_int_equal(cuda->early.checked, 6);
    assert_int_equal(cuda->early.count, 3);
    assert_int_equal(cuda->early.most_ns, 15);
    assert_int_equal(cuda->late.checked, 4);
    assert_int_equal(cuda->late.count, 2);
    assert_int_equal(cuda->late.most_ns, 50);
    assert_int_equal(cuda->without_call, 0);
    /* The number comes again: work before the call is of the one before. */
    call(f, f->launch, 3, 3000, 3010);
    worked(f, 7, 3, 2990, 2995, 4000);
    assert_int_equal(cuda->without_call, 1);
    pinsight_model_finish(f->model);
    assert_int_equal(f->told.begins, f->told.ends);
}

/* Of many calls that waited the last ones are known. */
static void many_waits(void **state) {
    struct fixture *f = *state;

    f->told.quiet = true;
    call(f, f->launch, 1, 1000, 1010);
    for (uint32_t i = 0; i < 20000; i++) {
        wait_for(f, f->thread, "cudaStreamSync", 7, 0, 2000 + 10 * i, 2005 + 10 * i);
        wait_for(f, f->thread, "cudaStreamSync", 10 + i, 0, 2006 + 10 * i, 2007 + 10 * i);
    }
    call(f, f->launch, 2, 202001, 202002);
    wait_for(f, f->thread, "cudaStreamSync", 7, 0, 202003, 202100);
    worked(f, 7, 1, 1500, 300000, 400000);
    worked(f, 7, 2, 202050, 202101, 400000);
    assert_int_equal(pinsight_model_cuda(f->model)->late.checked, 2);
    assert_int_equal(pinsight_model_cuda(f->model)->late.count, 2);
}

static void work_that_overlaps(void **state) {
    struct fixture *f = *state;

    worked(f, 7, 0, 10, 50, 100);
    worked(f, 7, 0, 20, 40, 100);
    worked(f, 7, 0, 30, 70, 100);
    pinsight_model_finish(f->model);
    seen_is(&f->told, "1 +work0@10 1 -work0@50 1 +work0@50 1 -work0@50 1 +work0@50 1 -work0@70 ");
    assert_int_equal(pinsight_model_cuda(f->model)->shortened, 2);
    assert_int_equal(pinsight_model_cuda(f->model)->shortened_ns, 20 + 20);
    assert_int_equal(pinsight_model_cuda(f->model)->streams[0]->busy_ns[PINSIGHT_CUDA_KERNEL], 60);
}

/* Calls within calls, and ends that are not there. */
static void calls_nest(void **state) {
    struct fixture *f = *state;

    begin(f, f->thread, f->sync, 1, 10);
    begin(f, f->thread, f->launch, 2, 20);
    pinsight_cuda_end(f->thread, f->sync, 1, 0, 30);
    pinsight_cuda_end(f->thread, f->launch, 2, 0, 40);
    for (uint32_t i = 0; i < PINSIGHT_CUDA_DEEPEST + 3; i++)
        begin(f, f->thread, f->sync, 0, 50 + i);
    assert_int_equal(pinsight_model_cuda(f->model)->unmatched_begins, 1 + 3);
    assert_int_equal(pinsight_model_cuda(f->model)->unmatched_ends, 1);
    pinsight_model_touch(f->process, 100);
    pinsight_model_finish(f->model);
    assert_int_equal(f->told.begins, f->told.ends);
    assert_int_equal(f->model->open_at_end, PINSIGHT_CUDA_DEEPEST);
}

/* What waits for a record is bounded; the calls that were heard of last stay. */
static void calls_are_forgotten(void **state) {
    struct fixture *f = *state;
    uint32_t count = PINSIGHT_CUDA_WAITING + 10;

    f->told.quiet = true;
    for (uint32_t i = 1; i <= count; i++)
        call(f, f->launch, i, 10 * i, 10 * i + 5);
    assert_int_equal(pinsight_model_cuda(f->model)->unanswered, 10);
    for (uint32_t i = 1; i <= count; i++)
        worked(f, 7, i, UINT64_C(1000000000) + 10 * i, UINT64_C(1000000005) + 10 * i,
               UINT64_C(2000000000));
    assert_int_equal(pinsight_model_cuda(f->model)->without_call, 10);
    /* Each has one record; a second one is known of the last ones. */
    for (uint32_t i = 1; i <= count; i++)
        worked(f, 8, i, UINT64_C(1000000000), UINT64_C(1000000000), UINT64_C(2000000000));
    assert_int_equal(pinsight_model_cuda(f->model)->without_call, 10 + count - PINSIGHT_CUDA_MET);
    pinsight_model_finish(f->model);
    assert_int_equal(pinsight_model_cuda(f->model)->unanswered, 10);
    assert_int_equal(f->told.begins, f->told.ends);
}

/* Another program under the same number: what the first one asked for is over. */
static void a_process_ends(void **state) {
    struct fixture *f = *state;

    pinsight_model_process_info(f->model, 0, 100, 1, 1, -1, "h", "first", "first", "0", NULL);
    call(f, f->launch, 1, 10, 20);
    call(f, f->launch, 2, 30, 40);
    worked(f, 7, 1, 15, 25, 50);
    f->told.length = 0;
    f->process = pinsight_model_process_info(f->model, 0, 100, 60, 1, -1, "h", "second", "second",
                                             "0", NULL);
    seen_is(&f->told, "1=1>2@10-15 2 +work0@15<1 2 -work0@25 ");
    assert_int_equal(pinsight_model_cuda(f->model)->unanswered, 1);
    worked(f, 7, 2, 70, 80, 90);
    pinsight_model_finish(f->model);
    seen_is(&f->told, "3 +work0@70 3 -work0@80 ");
    assert_int_equal(pinsight_model_cuda(f->model)->without_call, 1);
}

static void work_of(struct fixture *f, uint32_t work, uint64_t from, uint64_t to) {
    pinsight_cuda_worked(
        f->process,
        &(struct pinsight_cuda_record){.stream = 7, .from_ns = from, .to_ns = to, .work = work},
        1000);
}

static const struct pinsight_cuda_work *kind_of(const struct fixture *f, const char *name) {
    const struct pinsight_cuda *cuda = pinsight_model_cuda(f->model);
    const struct pinsight_cuda_work *found = NULL;

    for (size_t i = 0; i < cuda->work_count; i++)
        if (cuda->works[i].count &&
            !strcmp(pinsight_strings_text(&f->model->strings, cuda->works[i].name), name)) {
            assert_null(found);
            found = &cuda->works[i];
        }
    return found;
}

/* A kernel's number is one of its process; a name that comes late is that of what was before, too.
 */
static void kernels_have_numbers(void **state) {
    struct fixture *f = *state;
    struct pinsight_process *other = pinsight_model_process(f->model, 0, 200);

    f->told.quiet = true;
    pinsight_cuda_kernel_info(other, 3, "scale");
    pinsight_cuda_kernel_info(f->process, 1, "add");
    work_of(f, pinsight_cuda_kernel(f->process, 1), 10, 20);
    work_of(f, pinsight_cuda_kernel(f->process, 3), 20, 25);
    work_of(f, pinsight_cuda_kernel(f->process, 9), 30, 40);
    work_of(f, pinsight_cuda_kernel(other, 3), 40, 43);
    for (uint64_t i = 0; i < PINSIGHT_CUDA_HELD; i++) /* so that those are told */
        work_of(f, f->copy, 100, 100);
    pinsight_cuda_kernel_info(f->process, 3, "scale");
    work_of(f, pinsight_cuda_kernel(f->process, 3), 200, 203);
    pinsight_model_finish(f->model);
    assert_int_equal(kind_of(f, "add")->total_ns, 10);
    assert_int_equal(kind_of(f, "scale")->count, 3);
    assert_int_equal(kind_of(f, "scale")->total_ns, 5 + 3 + 3);
    assert_int_equal(kind_of(f, "scale")->max_ns, 5);
    assert_int_equal(kind_of(f, "kernel 9")->total_ns, 10);
    assert_null(kind_of(f, "kernel 3"));
}

static void a_whole_graph(void **state) {
    struct fixture *f = *state;

    work_of(f, pinsight_cuda_graph(f->model, 3), 10, 20);
    work_of(f, pinsight_cuda_graph(f->model, 3), 30, 40);
    pinsight_model_finish(f->model);
    assert_int_equal(kind_of(f, "graph 3")->total_ns, 20);
    assert_int_equal(kind_of(f, "graph 3")->type, PINSIGHT_CUDA_GRAPH);
    assert_int_equal(pinsight_model_cuda(f->model)->streams[0]->count[PINSIGHT_CUDA_GRAPH], 2);
}

static void put(struct fixture *f, struct pinsight_thread *thread, const char *name,
                uint32_t stream, uint32_t correlation, int32_t value, uint64_t ns) {
    on_stream(f, thread, name, stream, correlation, value, ns, ns + 1);
}

/* What is captured is not done: no record of it is missing. */
static void work_that_becomes_a_graph(void **state) {
    struct fixture *f = *state;
    struct pinsight_thread *other = pinsight_model_thread(f->process, 1, 101);

    f->told.quiet = true;
    put(f, f->thread, "cudaKernelLaunch", 7, 1, 0, 10);
    put(f, f->thread, "cudaStreamBeginCapture", 7, 2, 0, 20);
    put(f, f->thread, "cudaKernelLaunch", 7, 3, 0, 30);
    put(f, f->thread, "cudaMemsetAsync", 8, 4, 0, 40); /* of a stream that joined */
    put(f, other, "cudaKernelLaunch", 7, 5, 0, 50);
    put(f, other, "cudaKernelLaunch", 9, 6, 0, 60); /* of no concern */
    put(f, f->thread, "cudaKernelLaunch", 8, 7, 0, 70);
    put(f, f->thread, "cudaStreamEndCapture", 7, 8, 0, 80);
    put(f, f->thread, "cudaKernelLaunch", 7, 9, 0, 90);
    put(f, f->thread, "cudaStreamBeginCapture", 7, 10, 901, 100); /* fails */
    put(f, f->thread, "cudaKernelLaunch", 7, 11, 0, 110);
    worked(f, 8, 7, 75, 80, 1000); /* it was done after all */
    pinsight_model_finish(f->model);
    assert_int_equal(pinsight_model_cuda(f->model)->captured, 3);
    assert_int_equal(pinsight_model_cuda(f->model)->unanswered, 4);
    assert_int_equal(pinsight_model_cuda(f->model)->records, 1);
    assert_int_equal(pinsight_model_cuda(f->model)->without_call, 0);
}

/* Of a backward pass: each operation's gradient is apart. */
static void gradients_of_operations(void **state) {
    struct fixture *f = *state;
    struct pinsight_cuda_call call = {
        .function = f->launch, .path = PINSIGHT_NONE, .correlation = 1};

    for (uint32_t i = 0; i < 4; i++, call.correlation++) {
        call.forward = i % 2;
        pinsight_cuda_begin(f->thread, f->process, &call, 10 * i + 10);
        pinsight_cuda_end(f->thread, f->launch, call.correlation, 0, 10 * i + 15);
    }
    assert_int_equal(pinsight_model_cuda(f->model)->site_count, 2);
    assert_int_equal(pinsight_model_cuda(f->model)->sites[1].forward, 1);
    assert_int_equal(pinsight_model_cuda(f->model)->sites[1].calls, 2);
}

/* A view that does not ask for streams is told of threads alone. */
static void views_that_do_not_ask(void **state) {
    struct fixture *f = *state;

    f->told.timeline.streams = false;
    call(f, f->launch, 1, 10, 20);
    worked(f, 7, 1, 15, 25, 50);
    pinsight_model_finish(f->model);
    seen_is(&f->told, "1 +call0@10>1 1 -call0@20 ");
    assert_int_equal(pinsight_model_cuda(f->model)->streams[0]->busy_ns[PINSIGHT_CUDA_KERNEL], 10);
}

static void a_pause_is_no_call(void **state) {
    struct fixture *f = *state;

    begin(f, f->thread, f->sync, 1, 10);
    pinsight_stack_pause(f->thread, 20, 100);
    pinsight_cuda_end(f->thread, f->sync, 1, 0, 150);
    assert_int_equal(pinsight_model_cuda(f->model)->sites[0].total_ns, 40);
}

/* A thread whose number becomes known while it calls; `had`: there were events of the number. */
static void get_number(struct fixture *f, bool had) {
    struct pinsight_thread *bare = pinsight_model_thread_by_tid(f->model, 0, 103, f->process);
    struct pinsight_thread *named;

    if (had)
        pinsight_model_thread(f->process, 2, 0);
    begin(f, bare, f->launch, 1, 10);
    named = pinsight_model_thread_info(f->model, f->process, 103, 2, "two", 15);
    assert_int_equal(bare != named, had);
    pinsight_cuda_end(named, f->launch, 1, 0, 20);
    worked(f, 7, 1, 15, 25, 50);
    pinsight_model_finish(f->model);
    assert_int_equal(f->told.flows, 1);
    assert_int_equal(f->told.begins, f->told.ends);
    assert_int_equal(pinsight_model_cuda(f->model)->sites[0].calls, 1);
}

static void a_thread_gets_its_number(void **state) {
    get_number(*state, false);
}

static void a_thread_gets_a_number_with_events(void **state) {
    get_number(*state, true);
}

/* A thread of a team has no Python of its own: its region's is that of what it calls. */
static void a_call_in_a_region(void **state) {
    struct fixture *f = *state;
    struct pinsight_slice part = pinsight_slice_of(PINSIGHT_SLICE_PART, PINSIGHT_NONE, 1);

    part.path = 3;
    pinsight_slice_begin(f->thread, &part, 5);
    call(f, f->launch, 1, 10, 20);
    assert_int_equal(pinsight_model_cuda(f->model)->sites[0].path, 3);
}

int main(void) {
    return RUN_TESTS_EACH(setup, free_with_model, a_launch_and_its_work, records_out_of_order,
                          a_graph, a_call_that_failed, a_number_that_comes_late, times_are_bounded,
                          clocks_are_compared, many_waits, work_that_overlaps, calls_nest,
                          calls_are_forgotten, a_process_ends, kernels_have_numbers, a_whole_graph,
                          work_that_becomes_a_graph, gradients_of_operations, views_that_do_not_ask,
                          a_pause_is_no_call, a_thread_gets_its_number,
                          a_thread_gets_a_number_with_events, a_call_in_a_region);
}
