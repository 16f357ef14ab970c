/* Links: whose every moment of every thread is, for slices that are made up. */
#include "unit.h"

#include "base/memory.h"
#include "made_model.h"
#include "reader/kit/paths.h"
#include "reader/openmp/openmp.h"
#include "reader/python/names.h"
#include "reader/python/stacks.h"
#include "reader/timeline.h"
#include "views/attribution_walk.h"
#include "views/cuda/cuda.h"
#include "views/openmp/openmp.h"

enum { MAIN, LIBRARY, HELPER, FROZEN, BODY, MODELS, FUNCTIONS };
enum { SITE_MAIN, SITE_LIBRARY };
enum { PATH_MAIN, PATH_LIBRARY };

struct fixture {
    struct pinsight_report report;
    struct pinsight_attribution_walk walk;
    struct pinsight_process *process;
    struct pinsight_thread *python, *worker;
    uint64_t keys;
};

static uint32_t text_of(struct pinsight_model *model, const char *text) {
    return pinsight_strings_add(&model->strings, text, strlen(text));
}

static void add_functions(struct pinsight_model *model) {
    static const char *const functions[FUNCTIONS][2] = {
        [MAIN] = {"main", "/home/me/app.py"},
        [LIBRARY] = {"solve", "/usr/lib/python3/dist-packages/numpy/linalg.py"},
        [HELPER] = {"helper", "/home/me/help.py"},
        [FROZEN] = {"_run_code", "<frozen runpy>"},
        [BODY] = {"<module>", "/usr/lib/python3/dist-packages/numpy/linalg.py"},
        [MODELS] = {"<module>", "/home/me/models.py"},
    };

    for (size_t i = 0; i < FUNCTIONS; i++) {
        model->functions = pinsight_grow(model->functions, model->function_count,
                                         &model->function_capacity, sizeof(*model->functions));
        model->functions[model->function_count++] =
            (struct pinsight_function){.name = text_of(model, functions[i][0]),
                                       .file = text_of(model, functions[i][1]),
                                       .module = text_of(model, i == BODY ? "numpy.linalg" : ""),
                                       .line = (int32_t)i + 1,
                                       .known = true};
    }
    pinsight_names_callee(model, text_of(model, "solve"));
    for (uint32_t i = 0; i < 2; i++) {
        model->sites = pinsight_grow(model->sites, model->site_count, &model->site_capacity,
                                     sizeof(*model->sites));
        model->sites[model->site_count++] = (struct pinsight_site){.caller = i, .line = 50};
    }
}

static int setup(void **state) {
    struct fixture *f = *state = calloc(1, sizeof(struct fixture));
    struct pinsight_model *model = made_model();

    f->report.model = model;
    pinsight_attribution_walk_start(&f->walk, model);
    f->process = pinsight_model_process(model, 0, 100);
    f->python = pinsight_model_thread(f->process, 0, 100);
    f->worker = pinsight_model_thread(f->process, -1, 101);
    add_functions(model);
    /* Path 1 is main at line 20; path 2 a library at line 30, called from there. */
    pinsight_path_of(f->process, 1);
    pinsight_path_of(f->process, 2);
    model->paths[PATH_MAIN] = (struct pinsight_path){MAIN, PINSIGHT_NONE, 20};
    model->paths[PATH_LIBRARY] = (struct pinsight_path){LIBRARY, PATH_MAIN, 30};
    return 0;
}

static int teardown(void **state) {
    struct fixture *f = *state;

    pinsight_model_free(f->report.model);
    pinsight_omp_view_free(f->report.openmp);
    pinsight_attribution_free(f->report.attribution);
    pinsight_attribution_walk_clear(&f->walk);
    free(f);
    return 0;
}

static uint64_t begin(struct fixture *f, struct pinsight_thread *thread,
                      enum pinsight_slice_kind kind, uint32_t id, uint32_t path, uint64_t ns) {
    struct pinsight_slice slice = pinsight_slice_of(kind, id, ++f->keys);

    slice.path = path;
    slice.waited_ns = kind == PINSIGHT_SLICE_WAIT ? PINSIGHT_WAITS_ALWAYS : 0;
    pinsight_slice_begin(thread, &slice, ns);
    return f->keys;
}

static uint64_t function(struct fixture *f, uint32_t id, uint64_t ns) {
    return begin(f, f->python, PINSIGHT_SLICE_FUNCTION, id, PINSIGHT_NONE, ns);
}

static uint64_t import(struct fixture *f, const char *module, uint32_t path, uint64_t ns) {
    return begin(f, f->python, PINSIGHT_SLICE_IMPORT, text_of(f->report.model, module), path, ns);
}

static void imported(struct fixture *f, uint64_t key, uint64_t ns) {
    pinsight_slice_end(f->python, PINSIGHT_SLICE_IMPORT, key, ns);
}

static const struct pinsight_attribution_view *made(struct fixture *f) {
    pinsight_model_finish(f->report.model);
    f->report.openmp = pinsight_omp_view_make(&f->report);
    f->report.attribution = pinsight_attribution_make(&f->report, &f->walk);
    return f->report.attribution;
}

static const struct pinsight_attribution_function *
named(const struct pinsight_attribution_view *view, const char *name) {
    for (size_t i = 0; i < view->function_count; i++)
        if (view->functions[i].name && !strcmp(view->functions[i].name, name))
            return &view->functions[i];
    return NULL;
}

static void adds_up(const struct pinsight_attribution_view *view) {
    uint64_t functions = pinsight_attribution_import_ns(&view->all_imports), alone = 0;

    for (size_t i = 0; i < view->function_count; i++)
        functions += pinsight_attribution_function_ns(&view->functions[i]);
    for (size_t d = 0; d < PINSIGHT_ATTRIBUTION_DOMAINS; d++)
        alone += view->alone[d].wall_ns;
    assert_int_equal(functions + alone, view->recorded_ns);
    assert_int_equal(view->recorded_ns + view->elsewhere_ns, view->wall_ns);
}

/* Libraries and the interpreter count with the user's function around them; calls into C with a
 * line where that function made them. */
static void test_python(void **state) {
    struct fixture *f = *state;
    const struct pinsight_attribution_view *view;
    uint64_t main = function(f, MAIN, 100), library, call, frozen, helper;

    library = function(f, LIBRARY, 110);
    call = begin(f, f->python, PINSIGHT_SLICE_C_CALL, SITE_LIBRARY, PINSIGHT_NONE, 120);
    pinsight_slice_end(f->python, PINSIGHT_SLICE_C_CALL, call, 125);
    helper = function(f, HELPER, 130);
    pinsight_slice_end(f->python, PINSIGHT_SLICE_FUNCTION, helper, 137);
    pinsight_slice_end(f->python, PINSIGHT_SLICE_FUNCTION, library, 140);
    call = begin(f, f->python, PINSIGHT_SLICE_C_CALL, SITE_MAIN, PINSIGHT_NONE, 150);
    frozen = function(f, FROZEN, 151);
    pinsight_slice_end(f->python, PINSIGHT_SLICE_FUNCTION, frozen, 153);
    pinsight_slice_end(f->python, PINSIGHT_SLICE_C_CALL, call, 160);
    pinsight_slice_end(f->python, PINSIGHT_SLICE_FUNCTION, main, 200);
    view = made(f);
    adds_up(view);
    assert_int_equal(view->function_count, 2);
    assert_int_equal(named(view, "main")->python_ns, 100 - 7 - 5 - 8);
    assert_int_equal(named(view, "main")->c_ns, 5 + 8);
    assert_int_equal(named(view, "helper")->python_ns, 7);
    assert_int_equal(view->line_count, 1);
    assert_int_equal(view->lines[0].line, 50);
    assert_int_equal(view->lines[0].c_ns, 8);
    assert_int_equal(view->lines[0].c_calls, 1);
    assert_int_equal(view->callers, 1);
    assert_int_equal(view->wall_ns, 100);
}

static void leave(struct fixture *f, uint64_t key, uint64_t ns) {
    pinsight_slice_end(f->python, PINSIGHT_SLICE_FUNCTION, key, ns);
}

/* What a line calls has the time of libraries, and not that of other functions of the user's. */
static void test_calls(void **state) {
    struct fixture *f = *state;
    const struct pinsight_attribution_view *view;
    const struct pinsight_attribution_call *most, *other;
    uint64_t main = function(f, MAIN, 100), library, helper;

    library = function(f, LIBRARY, 110);
    helper = function(f, HELPER, 120);
    leave(f, helper, 123);
    leave(f, library, 140);
    library = function(f, LIBRARY, 150);
    leave(f, library, 160);
    helper = function(f, HELPER, 170);
    leave(f, helper, 175);
    leave(f, main, 200);
    view = made(f);
    assert_int_equal(view->call_count, 2);
    most = &view->calls[named(view, "main")->call];
    other = most + 1;
    assert_string_equal(most->callee, "solve");
    assert_int_equal(most->calls, 2);
    assert_int_equal(most->total_ns, 30 + 10);
    assert_int_equal(most->ns, 30 + 10 - 3);
    assert_string_equal(other->callee, "helper");
    assert_int_equal(other->calls, 1);
    assert_int_equal(other->total_ns, 5);
    assert_int_equal(other->ns, 0);
    assert_int_equal(named(view, "helper")->call, PINSIGHT_NONE);
    assert_ptr_equal(pinsight_attribution_most(view, named(view, "main")), most);
}

/* An import is of the outermost module; a module of the user's is not part of it. */
static void test_imports(void **state) {
    struct fixture *f = *state;
    const struct pinsight_attribution_view *view;
    uint64_t main = function(f, MAIN, 100), numpy, linalg, body, models, inner;

    numpy = import(f, "numpy.linalg", PATH_MAIN, 110);
    linalg = import(f, "linalg", PINSIGHT_NONE, 115);
    body = function(f, BODY, 120);
    models = function(f, MODELS, 130);
    inner = import(f, "math", PINSIGHT_NONE, 135);
    imported(f, inner, 137);
    leave(f, models, 140);
    leave(f, body, 150);
    imported(f, linalg, 153);
    imported(f, numpy, 155);
    leave(f, main, 200);
    view = made(f);
    adds_up(view);
    assert_int_equal(view->import_count, 2);
    assert_string_equal(view->imports[0].package, "numpy");
    assert_int_equal(pinsight_attribution_import_ns(&view->imports[0]), 45 - 10);
    assert_string_equal(view->imports[0].file, "/home/me/app.py");
    assert_int_equal(view->imports[0].line, 20);
    assert_string_equal(view->imports[1].package, "math");
    assert_null(view->imports[1].file);
    assert_int_equal(pinsight_attribution_import_ns(&view->imports[1]), 2);
    assert_int_equal(pinsight_attribution_import_ns(&view->all_imports), 37);
    assert_int_equal(named(view, "main")->python_ns, 100 - 45);
    assert_int_equal(named(view, "<module>")->python_ns, 10 - 2);
}

/* A region that a library started, with MPI in it, and its part in another thread. */
static void test_region(void **state) {
    struct fixture *f = *state;
    const struct pinsight_attribution_view *view;
    const struct pinsight_attribution_work *openmp, *mpi;
    struct pinsight_thread *python = f->python, *worker = f->worker;
    uint64_t main = function(f, MAIN, 100), region, part, other, wait, call;

    region = begin(f, python, PINSIGHT_SLICE_REGION, 0, PATH_LIBRARY, 110);
    part = begin(f, python, PINSIGHT_SLICE_PART, 0, PATH_LIBRARY, 112);
    other = begin(f, worker, PINSIGHT_SLICE_PART, 0, PATH_LIBRARY, 115);
    call = begin(f, python, PINSIGHT_SLICE_MPI, 0, PATH_MAIN, 120);
    pinsight_slice_end(python, PINSIGHT_SLICE_MPI, call, 126);
    wait = begin(f, worker, PINSIGHT_SLICE_WAIT, 0, PINSIGHT_NONE, 140);
    wait = begin(f, python, PINSIGHT_SLICE_WAIT, 0, PINSIGHT_NONE, 150);
    pinsight_slice_end(python, PINSIGHT_SLICE_WAIT, wait, 160);
    pinsight_slice_end(python, PINSIGHT_SLICE_PART, part, 161);
    pinsight_slice_end(worker, PINSIGHT_SLICE_PART, other, 163);
    pinsight_slice_end(python, PINSIGHT_SLICE_REGION, region, 163);
    pinsight_slice_end(python, PINSIGHT_SLICE_FUNCTION, main, 200);
    view = made(f);
    adds_up(view);
    assert_int_equal(view->line_count, 1);
    assert_int_equal(view->lines[0].line, 20);
    openmp = &view->lines[0].work[PINSIGHT_ATTRIBUTION_OPENMP];
    mpi = &view->lines[0].work[PINSIGHT_ATTRIBUTION_MPI];
    assert_int_equal(openmp->calls, 1);
    assert_int_equal(openmp->wall_ns, 53 - 6);
    assert_int_equal(openmp->wall_waiting_ns, 10);
    assert_int_equal(openmp->thread_ns, 53 - 6 + 48);
    assert_int_equal(openmp->waiting_ns, 10 + 23);
    assert_int_equal(mpi->calls, 1);
    assert_int_equal(mpi->wall_ns, 6);
    assert_int_equal(named(view, "main")->python_ns, 100 - 53);
    assert_int_equal(view->alone[PINSIGHT_ATTRIBUTION_OPENMP].thread_ns, 0);
    assert_int_equal(view->callers, 1);
    for (size_t i = 0; i < view->thread_count; i++) {
        bool is_python = view->threads[i].thread == python;

        assert_int_equal(view->threads[i].under_ns[PINSIGHT_ATTRIBUTION_OPENMP],
                         is_python ? 47 : 0);
        assert_int_equal(view->threads[i].team_ns[PINSIGHT_ATTRIBUTION_OPENMP], is_python ? 0 : 48);
        assert_int_equal(view->threads[i].wall_ns, is_python ? 100 : 0);
    }
}

/* Python that a region calls back, in the caller and in a thread of the team, is Python. */
static void test_called_back(void **state) {
    struct fixture *f = *state;
    const struct pinsight_attribution_view *view;
    uint64_t main = function(f, MAIN, 100), region, other, back;

    region = begin(f, f->python, PINSIGHT_SLICE_REGION, 0, PATH_MAIN, 110);
    other = begin(f, f->worker, PINSIGHT_SLICE_PART, 0, PATH_MAIN, 112);
    back = function(f, HELPER, 120);
    pinsight_slice_end(f->python, PINSIGHT_SLICE_FUNCTION, back, 125);
    back = begin(f, f->worker, PINSIGHT_SLICE_FUNCTION, HELPER, PINSIGHT_NONE, 125);
    pinsight_slice_end(f->worker, PINSIGHT_SLICE_FUNCTION, back, 128);
    pinsight_slice_end(f->worker, PINSIGHT_SLICE_PART, other, 130);
    pinsight_slice_end(f->python, PINSIGHT_SLICE_REGION, region, 130);
    pinsight_slice_end(f->python, PINSIGHT_SLICE_FUNCTION, main, 140);
    view = made(f);
    adds_up(view);
    assert_int_equal(named(view, "helper")->python_ns, 5 + 3);
    assert_int_equal(view->lines[0].work[PINSIGHT_ATTRIBUTION_OPENMP].wall_ns, 20 - 5);
    assert_int_equal(view->lines[0].work[PINSIGHT_ATTRIBUTION_OPENMP].thread_ns, 20 - 5 + 18 - 3);
    assert_int_equal(view->callers, 2);
}

/* Native work of a thread that has no Python; a nested region is in the outer one's calls. */
static void test_alone(void **state) {
    struct fixture *f = *state;
    const struct pinsight_attribution_view *view;
    uint64_t outer, inner;

    outer = begin(f, f->worker, PINSIGHT_SLICE_REGION, 0, PINSIGHT_NONE, 10);
    inner = begin(f, f->worker, PINSIGHT_SLICE_REGION, 0, PINSIGHT_NONE, 12);
    pinsight_slice_end(f->worker, PINSIGHT_SLICE_REGION, inner, 15);
    pinsight_slice_end(f->worker, PINSIGHT_SLICE_REGION, outer, 20);
    view = made(f);
    adds_up(view);
    assert_int_equal(view->function_count, 0);
    assert_int_equal(view->alone[PINSIGHT_ATTRIBUTION_OPENMP].calls, 1);
    assert_int_equal(view->alone[PINSIGHT_ATTRIBUTION_OPENMP].wall_ns, 10);
    assert_int_equal(view->threads[0].alone_ns[PINSIGHT_ATTRIBUTION_OPENMP], 10);
}

/* What is no work of its own belongs to what it is in; a pause to nothing. */
static void test_passed_through(void **state) {
    struct fixture *f = *state;
    const struct pinsight_attribution_view *view;
    uint64_t outer = import(f, "app", PINSIGHT_NONE, 100), main;

    main = function(f, MAIN, 110);
    begin(f, f->python, PINSIGHT_SLICE_MARKED, 0, PINSIGHT_NONE, 120);
    begin(f, f->python, PINSIGHT_SLICE_C_CALL, SITE_MAIN, PINSIGHT_NONE, 130);
    pinsight_model_pause(f->process, 135, 1135);
    pinsight_slice_end(f->python, PINSIGHT_SLICE_FUNCTION, main, 1200);
    imported(f, outer, 1210);
    view = made(f);
    adds_up(view);
    assert_int_equal(named(view, "main")->python_ns, 20);
    assert_int_equal(named(view, "main")->c_ns, 70);
    assert_int_equal(pinsight_attribution_import_ns(&view->all_imports), 20);
    assert_int_equal(view->recorded_ns, 110);
    assert_int_equal(view->wall_ns, 1110);
}

/* What devices do is thread time of the line that called, and the host's wall time is its own. */
static void test_cuda(void **state) {
    struct fixture *f = *state;
    struct pinsight_model *model = f->report.model;
    const struct pinsight_attribution_view *view;
    const struct pinsight_attribution_work *work;
    struct pinsight_cuda_call call = {.path = PATH_LIBRARY,
                                      .forward = PINSIGHT_NONE,
                                      .correlation = 1,
                                      .bytes = 4096,
                                      .direction = PINSIGHT_CUDA_TO_DEVICE};
    struct pinsight_cuda_record record = {
        .stream = 7, .correlation = 1, .from_ns = 150, .to_ns = 350, .bytes = 4096};
    uint64_t main = function(f, MAIN, 100);
    char *said = NULL;
    size_t size = 0;
    FILE *out;

    call.function = pinsight_cuda_function(model, "cudaMemcpyAsync");
    pinsight_cuda_begin(f->python, f->process, &call, 110);
    pinsight_cuda_end(f->python, call.function, 1, 0, 120);
    call.function = pinsight_cuda_function(model, "cudaStreamSync");
    call.correlation = 2;
    call.bytes = 0;
    pinsight_cuda_begin(f->python, f->process, &call, 130);
    pinsight_cuda_end(f->python, call.function, 2, 0, 360);
    pinsight_slice_end(f->python, PINSIGHT_SLICE_FUNCTION, main, 400);
    record.work = pinsight_cuda_work(model, PINSIGHT_CUDA_COPY, "c", PINSIGHT_CUDA_TO_DEVICE);
    pinsight_cuda_worked(f->process, &record, 500);
    record.correlation = 77; /* of nothing that was seen */
    record.work = pinsight_cuda_work(model, PINSIGHT_CUDA_KERNEL, "k", PINSIGHT_CUDA_ELSEWHERE);
    record.from_ns = 360;
    record.to_ns = 365;
    pinsight_cuda_worked(f->process, &record, 500);
    view = made(f);
    adds_up(view);
    assert_int_equal(view->line_count, 1);
    assert_int_equal(view->lines[0].line, 20);
    work = &view->lines[0].work[READER_CUDA];
    assert_int_equal(work->calls, 2);
    assert_int_equal(work->wall_ns, 10 + 230);
    assert_int_equal(work->waiting_ns, 230);
    assert_int_equal(work->thread_ns, 200);
    assert_int_equal(work->sent_bytes, 4096);
    assert_int_equal(view->alone[READER_CUDA].thread_ns, 5);
    assert_int_equal(view->alone[READER_CUDA].wall_ns, 0);
    assert_int_equal(named(view, "main")->python_ns, 60);
    assert_int_equal(view->thread_count, 1);
    out = open_memstream(&said, &size);
    f->report.options.width = 100;
    pinsight_cuda_lines(&f->report, out, false);
    fclose(out);
    assert_string_equal(said, "CUDA 240 ns in 2 calls, of it 230 ns waiting for devices\n"
                              "   1 stream of devices busy for 205 ns: 1 kernel, 1 copy (4.00 KiB "
                              "to it, 0 bytes back)\n"
                              "   GPU 0 busy 95.3 % of 215 ns\n");
    free(said);
}

int main(void) {
    return RUN_TESTS_EACH(setup, teardown, test_python, test_calls, test_imports, test_region,
                          test_called_back, test_alone, test_passed_through, test_cuda);
}
