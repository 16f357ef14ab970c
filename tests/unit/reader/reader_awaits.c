/* Work of threads without Python: it is of the Python that waits for it. */
#include "unit.h"

#include "made_model.h"
#include "reader/cuda/cuda.h"
#include "reader/kit/paths.h"
#include "reader/python/names.h"

enum { MAIN, STEP, TENSOR, AUTOGRAD, GRADS, ENGINE, OTHER, FUNCTIONS };

static const char *const names[] = {"main",     "step",       "Tensor.backward",
                                    "backward", "make_grads", "_engine_run_backward",
                                    "somewhere"};
static const char *const files[] = {"/u/train.py",
                                    "/u/train.py",
                                    "/lib/python3/dist-packages/torch/_tensor.py",
                                    "/lib/python3/dist-packages/torch/autograd/__init__.py",
                                    "/lib/python3/dist-packages/torch/autograd/__init__.py",
                                    "/lib/python3/dist-packages/torch/autograd/graph.py",
                                    "/u/train.py"};

struct fixture {
    struct pinsight_model *model;
    struct pinsight_process *process;
    struct pinsight_thread *main, *second, *worker;
    uint32_t functions[FUNCTIONS], run, launch;
    uint32_t correlation;
};

static uint32_t function(struct pinsight_model *model, int number) {
    return pinsight_names_function(
        model, pinsight_strings_add(&model->strings, names[number], strlen(names[number])),
        pinsight_strings_add(&model->strings, files[number], strlen(files[number])), number + 1);
}

static int setup(void **state) {
    static const char callee[] = "torch._C._EngineBase.run_backward";
    struct fixture *f = *state = calloc(1, sizeof(struct fixture));

    f->model = made_model();
    f->process = pinsight_model_process(f->model, 0, 100);
    f->main = pinsight_model_thread(f->process, 0, 100);
    f->second = pinsight_model_thread(f->process, 1, 101);
    f->worker = pinsight_model_thread_by_tid(f->model, 0, 102, f->process);
    for (int i = 0; i < FUNCTIONS; i++) {
        pinsight_names_code_info(f->process, (uint32_t)i + 1, 0, names[i], files[i], i + 1, "");
        f->functions[i] = function(f->model, i);
    }
    f->run = pinsight_names_site(
        f->model,
        pinsight_names_callee(f->model,
                              pinsight_strings_add(&f->model->strings, callee, strlen(callee))),
        f->functions[ENGINE], 824);
    f->launch = pinsight_cuda_function(f->model, "cudaKernelLaunch");
    /* main:50, step:21, Tensor.backward:647, backward:342 and make_grads:218. */
    pinsight_path_info(f->process, 1, 0, MAIN + 1, 50);
    pinsight_path_info(f->process, 2, 1, STEP + 1, 21);
    pinsight_path_info(f->process, 3, 2, TENSOR + 1, 647);
    pinsight_path_info(f->process, 4, 3, AUTOGRAD + 1, 342);
    pinsight_path_info(f->process, 5, 4, GRADS + 1, 218);
    return 0;
}

static void python(struct fixture *f, struct pinsight_thread *thread, int number, uint64_t ns) {
    pinsight_model_begin(thread, PINSIGHT_FUNCTION, f->functions[number], PINSIGHT_HOW_START, ns);
}

static void returns(struct fixture *f, struct pinsight_thread *thread, int number, uint64_t ns) {
    pinsight_model_end(thread, PINSIGHT_FUNCTION, f->functions[number], PINSIGHT_HOW_START, ns);
}

static void runs(struct fixture *f, struct pinsight_thread *thread, uint64_t ns) {
    pinsight_model_begin(thread, PINSIGHT_C_CALL, f->run, PINSIGHT_HOW_START, ns);
}

/* Launches something; returns the path that it came from. */
static uint32_t launches(struct fixture *f, struct pinsight_thread *thread, uint32_t path,
                         uint64_t ns) {
    struct pinsight_cuda_call call = {.function = f->launch,
                                      .path = pinsight_path_of(f->process, path),
                                      .forward = PINSIGHT_NONE,
                                      .correlation = ++f->correlation};
    uint32_t from;

    pinsight_cuda_begin(thread, f->process, &call, ns);
    from = thread->track->slices[thread->track->depth - 1].path;
    pinsight_cuda_end(thread, f->launch, f->correlation, 0, ns + 1);
    return from;
}

/* "main:50 step:21", the outermost first. */
static void path_is(const struct fixture *f, uint32_t path, const char *expected) {
    char text[512] = "";
    size_t count;
    uint32_t *frames = pinsight_path_frames(f->model, path, &count);

    for (size_t i = 0; i < count; i++) {
        const struct pinsight_path *frame = &f->model->paths[frames[i]];

        sprintf(text + strlen(text), "%s%s:%d", i ? " " : "",
                pinsight_function_name(f->model, frame->function), frame->line);
    }
    free(frames);
    assert_string_equal(text, expected);
}

/* As PyTorch does: the thread that waits has launched something on its way. */
static void a_backward_pass(void **state) {
    struct fixture *f = *state;
    uint32_t path;

    python(f, f->main, MAIN, 10);
    python(f, f->main, STEP, 20);
    python(f, f->main, TENSOR, 30);
    python(f, f->main, AUTOGRAD, 40);
    python(f, f->main, GRADS, 50);
    launches(f, f->main, 5, 60);
    returns(f, f->main, GRADS, 70);
    path_is(f, launches(f, f->worker, 0, 75), "main:50 step:21 Tensor.backward:647 backward:0");
    python(f, f->main, ENGINE, 80);
    runs(f, f->main, 90);
    path = launches(f, f->worker, 0, 100);
    path_is(f, path, "main:50 step:21 Tensor.backward:647 backward:0 _engine_run_backward:824");
    assert_int_equal(f->model->paths[pinsight_path_users_line(f->model, path)].line, 21);
    assert_int_equal(launches(f, f->worker, 0, 110), path);
    /* A hook in Python has its own. */
    assert_int_equal(launches(f, f->worker, 1, 120), pinsight_path_of(f->process, 1));
    pinsight_model_end(f->main, PINSIGHT_C_CALL, f->run, PINSIGHT_HOW_START, 130);
    /* The function waits, too. */
    path_is(f, launches(f, f->worker, 0, 140),
            "main:50 step:21 Tensor.backward:647 backward:0 _engine_run_backward:0");
    returns(f, f->main, ENGINE, 150);
    returns(f, f->main, AUTOGRAD, 160);
    assert_int_equal(launches(f, f->worker, 0, 170), PINSIGHT_NONE);
    assert_int_equal(pinsight_model_cuda(f->model)->awaited, 4);
    assert_int_equal(pinsight_model_cuda(f->model)->unclear, 0);
}

/* Lines that the thread may have left are not told. */
static void what_is_not_known_any_more(void **state) {
    struct fixture *f = *state;

    python(f, f->main, MAIN, 10);
    python(f, f->main, STEP, 20);
    launches(f, f->main, 2, 25);
    python(f, f->main, ENGINE, 30);
    runs(f, f->main, 40);
    path_is(f, launches(f, f->worker, 0, 50), "main:50 step:0 _engine_run_backward:824");
    pinsight_model_end(f->main, PINSIGHT_C_CALL, f->run, PINSIGHT_HOW_START, 60);
    returns(f, f->main, ENGINE, 70);
    returns(f, f->main, STEP, 80);
    python(f, f->main, STEP, 90);
    python(f, f->main, ENGINE, 100);
    runs(f, f->main, 110);
    path_is(f, launches(f, f->worker, 0, 120), "main:0 step:0 _engine_run_backward:824");
}

/* Functions that are not recorded are in paths alone. */
static void with_some_functions(void **state) {
    struct fixture *f = *state;

    python(f, f->main, MAIN, 10);
    python(f, f->main, AUTOGRAD, 40);
    launches(f, f->main, 5, 60);
    path_is(f, launches(f, f->worker, 0, 70), "main:50 step:21 Tensor.backward:647 backward:0");
}

static void several_wait(void **state) {
    struct fixture *f = *state;

    python(f, f->main, AUTOGRAD, 10);
    path_is(f, launches(f, f->worker, 0, 20), "backward:0");
    python(f, f->second, ENGINE, 30);
    runs(f, f->second, 40);
    assert_int_equal(launches(f, f->worker, 0, 50), PINSIGHT_NONE);
    returns(f, f->main, AUTOGRAD, 60);
    path_is(f, launches(f, f->worker, 0, 70), "_engine_run_backward:824");
    assert_int_equal(pinsight_model_cuda(f->model)->awaited, 2);
    assert_int_equal(pinsight_model_cuda(f->model)->unclear, 1);
    /* Those who wait ask for nothing but their own. */
    assert_int_equal(launches(f, f->second, 0, 80), PINSIGHT_NONE);
}

static void other_functions_wait_for_nobody(void **state) {
    struct fixture *f = *state;

    python(f, f->main, OTHER, 10);
    python(f, f->main, TENSOR, 20);
    assert_int_equal(launches(f, f->worker, 0, 30), PINSIGHT_NONE);
}

/* Of another process. */
static void each_process_for_itself(void **state) {
    struct fixture *f = *state;
    struct pinsight_process *other = pinsight_model_process(f->model, 0, 200);
    struct pinsight_thread *thread = pinsight_model_thread(other, 0, 200);

    pinsight_model_begin(thread, PINSIGHT_C_CALL, f->run, PINSIGHT_HOW_START, 10);
    assert_int_equal(launches(f, f->worker, 0, 20), PINSIGHT_NONE);
}

int main(void) {
    return RUN_TESTS_EACH(setup, free_with_model, a_backward_pass, what_is_not_known_any_more,
                          with_some_functions, several_wait, other_functions_wait_for_nobody,
                          each_process_for_itself);
}
