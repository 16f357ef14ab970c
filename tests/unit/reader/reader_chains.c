/* Chains of frames in a thread's stack: what each domain's frames take, whatever cuts them. */
#include "unit.h"

#include "made_model.h"
#include "reader/frame.h"
#include "told.h"

enum { OUTER = READER_PYTHON, INNER = PINSIGHT_IMPORTS };

struct fixture {
    struct pinsight_model *model;
    struct told told;
    struct pinsight_thread *thread, *other;
};

static int setup(void **state) {
    struct fixture *f = *state = calloc(1, sizeof(*f));
    struct pinsight_process *process;

    f->model = made_model();
    f->told.quiet = true;
    seen_listen(&f->told, f->model);
    process = pinsight_model_process(f->model, 0, 100);
    f->thread = pinsight_model_thread(process, 0, 100);
    f->other = pinsight_model_thread(process, 1, 101);
    return 0;
}

static int teardown(void **state) {
    struct fixture *f = *state;

    pinsight_track_close(f->thread, 1000);
    pinsight_model_free(f->model);
    free(f);
    return 0;
}

static void push(struct fixture *f, unsigned chain, uint32_t id, uint64_t ns) {
    pinsight_chain_push(f->thread, chain, PINSIGHT_SLICE_FUNCTION, id, ns);
    pinsight_track_reported(f->thread->track);
}

static void popped(struct pinsight_thread *thread, unsigned chain, uint64_t ns, uint32_t id,
                   uint64_t total, uint64_t self) {
    struct pinsight_frame_times times;
    const struct pinsight_slice *frame = pinsight_chain_pop(thread, chain, ns, &times);

    assert_int_equal(frame->id, id);
    assert_int_equal(times.total_ns, total);
    assert_int_equal(times.self_ns, self);
}

/* Frames of other chains are in a slice's self time, but not in that of a chain. */
static void self_is_without_the_chains_own(void **state) {
    struct fixture *f = *state;

    push(f, OUTER, 1, 10);
    push(f, INNER, 2, 20);
    push(f, OUTER, 3, 30);
    popped(f->thread, OUTER, 40, 3, 10, 10);
    popped(f->thread, INNER, 60, 2, 40, 40);
    assert_int_equal(f->thread->track->slices[0].children_ns, 40);
    popped(f->thread, OUTER, 100, 1, 90, 80);
    assert_false(pinsight_stack_has_frames(f->thread));
}

/* A frame that is cut leaves the stack, and its chain when its domain ends it. */
static void a_frame_that_is_cut_goes_on_in_its_chain(void **state) {
    struct fixture *f = *state;

    push(f, INNER, 1, 10);
    push(f, OUTER, 2, 20);
    popped(f->thread, INNER, 30, 1, 20, 20);
    assert_int_equal(f->thread->track->depth, 0);
    push(f, OUTER, 3, 40);
    assert_int_equal(pinsight_chain_outer(f->thread, pinsight_chain_top(f->thread, OUTER))->id, 2);
    popped(f->thread, OUTER, 50, 3, 10, 10);
    assert_true(pinsight_chain_top(f->thread, OUTER)->cut);
    popped(f->thread, OUTER, 60, 2, 40, 30);
    assert_null(pinsight_chain_top(f->thread, OUTER));
}

/* The order of a chain is that of its begins, in the stack or out of it. */
static void cut_frames_keep_their_order(void **state) {
    struct fixture *f = *state;

    push(f, INNER, 1, 10);
    push(f, OUTER, 2, 11);
    push(f, INNER, 3, 12);
    push(f, OUTER, 4, 13);
    popped(f->thread, INNER, 14, 3, 2, 2);
    push(f, OUTER, 5, 15);
    popped(f->thread, INNER, 16, 1, 6, 4);
    for (uint32_t id = 5; id > 1; id -= id == 4 ? 2 : 1) {
        assert_int_equal(pinsight_chain_top(f->thread, OUTER)->id, id);
        pinsight_chain_drop(f->thread, OUTER);
    }
    assert_false(pinsight_stack_has_frames(f->thread));
}

static void a_pause_is_of_no_frame(void **state) {
    struct fixture *f = *state;

    push(f, INNER, 1, 10);
    push(f, OUTER, 2, 20);
    popped(f->thread, INNER, 30, 1, 20, 20);
    push(f, OUTER, 3, 40);
    pinsight_stack_pause(f->thread, 45, 100);
    popped(f->thread, OUTER, 150, 3, 10, 10);
    popped(f->thread, OUTER, 160, 2, 40, 30);
}

static void a_chain_goes_to_a_thread_that_has_none(void **state) {
    struct fixture *f = *state;

    push(f, OUTER, 1, 10);
    push(f, INNER, 2, 20);
    pinsight_chain_move(f->thread, f->other, OUTER);
    assert_null(pinsight_chain_top(f->thread, OUTER));
    assert_int_equal(f->thread->track->depth, 2); /* as slices they go on where they are */
    popped(f->other, OUTER, 50, 1, 40, 40);
    popped(f->thread, INNER, 60, 2, 40, 40);
    push(f, OUTER, 3, 70);
    pinsight_chain_move(f->thread, f->other, OUTER);
    assert_int_equal(pinsight_chain_top(f->thread, OUTER)->id, 3);
}

int main(void) {
    return RUN_TESTS_EACH(setup, teardown, self_is_without_the_chains_own,
                          a_frame_that_is_cut_goes_on_in_its_chain, cut_frames_keep_their_order,
                          a_pause_is_of_no_frame, a_chain_goes_to_a_thread_that_has_none);
}
