/* What the program marks: begins and ends that are seen in frames of their own, and are not within
 * those. */
#include "unit.h"

#include "made_model.h"
#include "reader/core/ranges.h"
#include "reader/frame.h"
#include "told.h"

struct fixture {
    struct pinsight_model *model;
    struct told told;
    struct pinsight_thread *thread;
};

static int setup(void **state) {
    struct fixture *f = *state = calloc(1, sizeof(*f));

    f->model = made_model();
    seen_listen(&f->told, f->model);
    f->thread = pinsight_model_thread(pinsight_model_process(f->model, 0, 100), 0, 100);
    return 0;
}

static void call(struct fixture *f, uint32_t id, uint64_t ns) {
    pinsight_chain_push(f->thread, READER_PYTHON, PINSIGHT_SLICE_FUNCTION, id, ns);
    pinsight_track_reported(f->thread->track);
}

static void leave(struct fixture *f, uint64_t ns, uint64_t total) {
    struct pinsight_frame_times times;

    pinsight_chain_pop(f->thread, READER_PYTHON, ns, &times);
    assert_int_equal(times.total_ns, total);
}

/* As with a context manager: __enter__ (2) calls something (3), as does __exit__ (5). */
static void it_is_beside_the_frames_that_mark_it(void **state) {
    struct fixture *f = *state;

    call(f, 1, 10);
    call(f, 2, 20);
    call(f, 3, 21);
    pinsight_marked_begin(f->thread, 9, 22);
    leave(f, 23, 2);
    leave(f, 24, 4);
    call(f, 4, 30);
    leave(f, 40, 10);
    call(f, 5, 50);
    pinsight_marked_end(f->thread, 9, 51);
    leave(f, 52, 2);
    call(f, 6, 60);
    seen_is(
        &f->told,
        "1 +f1@10 1 +f2@20 1 +f3@21 1 -f3@23 1 -f2@24 1 +m9@24 1 +f4@30 1 -f4@40 1 +f5@50 1 -f5@52 "
        "1 -m9@52 1 +f6@60 ");
    leave(f, 61, 1);
    leave(f, 62, 52);
}

/* Both in one frame, and nothing else in it. */
static void it_is_within_a_frame_that_has_both(void **state) {
    struct fixture *f = *state;

    call(f, 1, 10);
    for (int i = 0; i < 2; i++) {
        pinsight_marked_begin(f->thread, 9, 20 + (uint64_t)i * 20);
        pinsight_marked_end(f->thread, 9, 30 + (uint64_t)i * 20);
    }
    leave(f, 60, 50);
    seen_is(&f->told, "1 +f1@10 1 +m9@20 1 -m9@30 1 +m9@40 1 -m9@50 1 -f1@60 ");
}

/* A frame of its own was not alone: it is cut there, and goes on. */
static void it_goes_on_when_its_frame_ends(void **state) {
    struct fixture *f = *state;

    call(f, 1, 10);
    call(f, 2, 20);
    pinsight_marked_begin(f->thread, 9, 21);
    call(f, 3, 22);
    leave(f, 23, 1);
    leave(f, 24, 4);
    seen_is(&f->told, "1 +f1@10 1 +f2@20 1 +m9@21 1 +f3@22 1 -f3@23 1 -m9@24! 1 -f2@24 ");
    call(f, 4, 30);
    pinsight_marked_end(f->thread, 9, 31);
    leave(f, 32, 2);
    leave(f, 40, 30);
    seen_is(&f->told, "1 +m9@24 1 +f4@30 1 -f4@32 1 -m9@32 1 -f1@40 ");
}

/* It ends before anything else begins: there is no slice for the rest. */
static void it_does_not_go_on_for_nothing(void **state) {
    struct fixture *f = *state;

    call(f, 1, 10);
    pinsight_marked_begin(f->thread, 9, 11);
    call(f, 2, 12);
    leave(f, 13, 1);
    leave(f, 14, 4);
    pinsight_marked_end(f->thread, 9, 15);
    call(f, 3, 20);
    leave(f, 21, 1);
    seen_is(&f->told, "1 +f1@10 1 +m9@11 1 +f2@12 1 -f2@13 1 -m9@14! 1 -f1@14 1 +f3@20 1 -f3@21 ");
}

/* An end that waits is that of an outer one: the frame that leaves is not ended by it. */
static void an_end_waits_until_its_frames_are_gone(void **state) {
    struct fixture *f = *state;

    call(f, 1, 10);
    pinsight_marked_begin(f->thread, 8, 11);
    call(f, 2, 20);
    pinsight_marked_begin(f->thread, 9, 21);
    call(f, 3, 22);
    leave(f, 23, 1);
    pinsight_marked_end(f->thread, 8, 24);
    leave(f, 25, 5);
    pinsight_marked_end(f->thread, 9, 26);
    leave(f, 30, 20);
    pinsight_track_close(f->thread, 40);
    seen_is(&f->told, "1 +f1@10 1 +m8@11 1 +f2@20 1 +m9@21 1 +f3@22 1 -f3@23 1 -m9@25! 1 -f2@25 1 "
                      "-m8@25 1 -f1@30 ");
}

/* What a damaged trace has: ends of nothing, and begins without an end. */
static void any_number_of_them(void **state) {
    struct fixture *f = *state;

    f->told.quiet = true;
    call(f, 1, 10);
    for (uint32_t i = 0; i < 100000; i++)
        pinsight_marked_end(f->thread, i, 20);
    for (uint32_t i = 0; i < 200; i++)
        pinsight_marked_begin(f->thread, i, 30);
    leave(f, 40, 30);
    pinsight_track_close(f->thread, 50);
    assert_int_equal(f->told.begins, f->told.ends);
    assert_in_range(f->told.begins, 201, 401);
    assert_int_equal(f->thread->track->depth, 0);
}

/* Of the process, in tracks in which they do not overlap, in whatever order they end. */
static void ranges_that_overlap(void **state) {
    struct fixture *f = *state;
    struct pinsight_process *process = f->thread->process;

    f->told.timeline.ranges = true;
    pinsight_ranges_begin(process, 1, 5, 10);
    pinsight_ranges_begin(process, 2, 6, 20);
    pinsight_ranges_end(process, 1, 30);
    pinsight_ranges_begin(process, 3, 7, 40);
    pinsight_ranges_end(process, 3, 50);
    pinsight_ranges_end(process, 3, 51);
    pinsight_ranges_end(process, 9, 52);
    pinsight_ranges_end(process, 2, 60);
    pinsight_ranges_begin(process, 4, 8, 70);
    pinsight_model_touch(process, 80);
    pinsight_ranges_close(process);
    seen_is(&f->told, "1 +m5@10 1 -m5@30 1 +m7@40 1 -m7@50 2 +m6@20 2 -m6@60 1 +m8@70 1 -m8@80! ");
    pinsight_ranges_close(process);
    seen_is(&f->told, "");
}

static void ranges_that_nobody_asks_for(void **state) {
    struct fixture *f = *state;
    struct pinsight_process *process = f->thread->process;

    f->told.quiet = true;
    pinsight_ranges_begin(process, 1, 5, 10);
    pinsight_ranges_end(process, 1, 30);
    assert_int_equal(f->told.begins, 0);
    f->told.timeline.ranges = true;
    for (uint64_t i = 0; i < 20000; i++) /* whose ends are missing */
        pinsight_ranges_begin(process, 10 + i, 5, 40 + i);
    pinsight_model_touch(process, 30000);
    pinsight_ranges_close(process);
    assert_int_equal(f->told.begins, 20000);
    assert_int_equal(f->told.ends, 20000);
}

int main(void) {
    return RUN_TESTS_EACH(setup, free_with_model, it_is_beside_the_frames_that_mark_it,
                          it_is_within_a_frame_that_has_both, it_goes_on_when_its_frame_ends,
                          it_does_not_go_on_for_nothing, an_end_waits_until_its_frames_are_gone,
                          any_number_of_them, ranges_that_overlap, ranges_that_nobody_asks_for);
}
