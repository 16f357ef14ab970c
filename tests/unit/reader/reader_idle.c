/* Devices that are idle, in long runs: what is kept is bounded, and the sums stay exact. */
#include "unit.h"

#include "base/memory.h"
#include "made_model.h"
#include "reader/cuda/cuda.h"
#include "views/attribution_walk.h"
#include "views/cuda/idle.h"

#include <string.h>

struct fixture {
    struct pinsight_model *model;
    struct pinsight_process *process;
    struct pinsight_thread *thread;
    struct pinsight_attribution_walk walk;
    struct pinsight_idle_view *view;
    uint32_t launch, kernel, correlation;
    uint64_t now;
};

static uint32_t text_of(struct pinsight_model *model, const char *text) {
    return pinsight_strings_add(&model->strings, text, strlen(text));
}

static int setup(void **state) {
    struct fixture *f = *state = calloc(1, sizeof(struct fixture));
    struct pinsight_model *model = f->model = made_model();

    pinsight_attribution_walk_start(&f->walk, model);
    f->process = pinsight_model_process(model, 0, 100);
    f->thread = pinsight_model_thread(f->process, 0, 100);
    f->launch = pinsight_cuda_function(model, "cudaKernelLaunch");
    f->kernel = pinsight_cuda_work(model, PINSIGHT_CUDA_KERNEL, "k", PINSIGHT_CUDA_ELSEWHERE);
    *PINSIGHT_ADD(model->functions, model->function_count, model->function_capacity) =
        (struct pinsight_function){.name = text_of(model, "main"),
                                   .file = text_of(model, "/home/u/app.py"),
                                   .line = 1,
                                   .known = true};
    for (int line = 10; line < 12; line++)
        *PINSIGHT_ADD(model->sites, model->site_count, model->site_capacity) =
            (struct pinsight_site){.line = line, .callee = (uint32_t)line};
    f->now = 1000;
    return 0;
}

static int teardown(void **state) {
    struct fixture *f = *state;

    pinsight_idle_free(f->view);
    pinsight_model_free(f->model);
    pinsight_attribution_walk_clear(&f->walk);
    free(f);
    return 0;
}

/* The rows, which the sums have to agree with. */
static const struct pinsight_cuda_device *finish(struct fixture *f) {
    const struct pinsight_cuda_device *device;
    uint64_t idle = 0;

    pinsight_model_finish(f->model);
    f->view = pinsight_attribution_walk_followed(&f->walk);
    for (size_t i = 0; i < f->view->count; i++)
        idle += f->view->rows[i].ns;
    device = pinsight_model_cuda(f->model)->devices;
    assert_int_equal(idle, device->idle_ns);
    assert_int_equal(device->busy_ns + device->idle_ns, device->last_ns - device->first_ns);
    return device;
}

static void worked(struct fixture *f, uint32_t stream, uint32_t correlation, uint64_t from,
                   uint64_t to, uint64_t ns) {
    made_work(f->process, f->kernel, stream, correlation, from, to, ns);
}

#define TURNS 400000u
#define BLOCK 1000u

/* Two streams beside each other, whose records come in blocks that are turned round, and a third
 * that does little: more than is kept, and nothing comes late. */
static void many_works(void **state) {
    struct fixture *f = *state;
    const struct pinsight_cuda_device *device;
    uint64_t end = 1000 + 100 * (uint64_t)TURNS, filled = 0;

    for (uint32_t block = 0; block < TURNS; block += BLOCK) {
        for (uint32_t i = block + BLOCK; i-- > block;) {
            uint64_t at = 1000 + 100 * (uint64_t)i;

            worked(f, 7, 0, at, at + 60, end);
            worked(f, 8, 0, at + 30, at + 80, end);
            if (i % 20000 == 5) {
                worked(f, 9, 0, at + 80, at + 90, end);
                filled += 10;
            }
        }
    }
    device = finish(f);
    assert_int_equal(device->gaps, TURNS - 1);
    assert_int_equal(device->idle_ns, 20 * (uint64_t)(TURNS - 1) - filled);
    assert_int_equal(device->late, 0);
    assert_true(device->pending_capacity <= 2 * PINSIGHT_CUDA_PENDING);
}

/* All begin at one time: nothing of it is late. */
static void works_of_one_moment(void **state) {
    struct fixture *f = *state;
    const struct pinsight_cuda_device *device;

    for (uint32_t i = 0; i < TURNS; i++)
        worked(f, 7 + i % 3, 0, 1000, 1000, 5000);
    worked(f, 7, 0, 1100, 1200, 5000);
    device = finish(f);
    assert_int_equal(device->idle_ns, 100);
    assert_int_equal(device->late, 0);
}

static void slice(struct fixture *f, enum pinsight_slice_kind kind, uint32_t id, uint64_t ns) {
    struct pinsight_slice slice = pinsight_slice_of(kind, id, 0);

    pinsight_slice_begin(f->thread, &slice, f->now);
    f->now += ns;
    pinsight_slice_end(f->thread, kind, 0, f->now);
}

static void launch(struct fixture *f) {
    pinsight_cuda_begin(f->thread, f->process,
                        &(struct pinsight_cuda_call){.function = f->launch,
                                                     .path = PINSIGHT_NONE,
                                                     .correlation = ++f->correlation},
                        f->now);
    pinsight_cuda_end(f->thread, f->launch, f->correlation, 0, f->now + 10);
    f->now += 10;
}

/* A thread that does more than is kept between calls; its records come all `behind` turns. */
static const struct pinsight_cuda_device *busy_thread(struct fixture *f, uint32_t turns,
                                                      uint32_t behind) {
    struct pinsight_slice main = pinsight_slice_of(PINSIGHT_SLICE_FUNCTION, 0, 1);
    uint64_t *asked = calloc(turns, sizeof(*asked));
    uint32_t told = 0;

    pinsight_slice_begin(f->thread, &main, f->now);
    for (uint32_t turn = 0; turn < turns; turn++) {
        asked[turn] = f->now;
        launch(f);
        for (int i = 0; i < 100; i++) {
            slice(f, PINSIGHT_SLICE_C_CALL, 0, 3000);
            slice(f, PINSIGHT_SLICE_C_CALL, 1, 1000);
        }
        for (; (turn + 1) % behind == 0 && told <= turn; told++)
            worked(f, 7, told + 1, asked[told] + 20, asked[told] + 50, f->now);
    }
    for (; told < turns; told++)
        worked(f, 7, told + 1, asked[told] + 20, asked[told] + 50, f->now);
    free(asked);
    return finish(f);
}

static uint64_t time_of(const struct fixture *f, enum pinsight_idle_cause cause, int line) {
    for (size_t i = 0; i < f->view->count; i++)
        if (f->view->rows[i].doing.cause == cause && f->view->rows[i].doing.place.line == line)
            return f->view->rows[i].ns;
    return 0;
}

#define CALLS 5000u

static void much_is_done_meanwhile(void **state) {
    struct fixture *f = *state;
    const struct pinsight_cuda_device *device = busy_thread(f, CALLS, 20);

    assert_int_equal(device->gaps, CALLS - 1);
    assert_int_equal(f->view->coarse_ns, 0);
    assert_int_equal(time_of(f, PINSIGHT_IDLE_ASKED, 0), 20 * (CALLS - 1));
    assert_int_equal(time_of(f, PINSIGHT_IDLE_PYTHON, 11), 100 * 1000 * (uint64_t)(CALLS - 1));
    /* The work's first 40 ns are in the first call's time. */
    assert_int_equal(time_of(f, PINSIGHT_IDLE_PYTHON, 10),
                     (100 * 3000 - 40) * (uint64_t)(CALLS - 1));
}

/* All records come at the end: part of it is known roughly, and said to be. */
static void records_that_come_last(void **state) {
    struct fixture *f = *state;
    const struct pinsight_cuda_device *device = busy_thread(f, CALLS, UINT32_MAX);

    assert_int_equal(device->gaps, CALLS - 1);
    assert_true(f->view->coarse_ns > 0 && f->view->coarse_ns < device->idle_ns);
    assert_true(time_of(f, PINSIGHT_IDLE_PYTHON, 10) > device->idle_ns / 2);
}

int main(void) {
    return RUN_TESTS_EACH(setup, teardown, many_works, works_of_one_moment, much_is_done_meanwhile,
                          records_that_come_last);
}
