/* Call stacks and the times that follow from them. */
#include "unit.h"

#include "reader/model.h"
#include "reader/python/names.h"

struct fixture {
    struct pinsight_model *model;
    struct pinsight_process *process;
    struct pinsight_thread *thread;
};

static uint32_t function(struct fixture *f, const char *name) {
    struct pinsight_strings *strings = &f->model->strings;

    return pinsight_names_function(f->model, pinsight_strings_add(strings, name, strlen(name)),
                                   pinsight_strings_add(strings, "a.py", 4), 1);
}

static uint32_t site(struct fixture *f, const char *callee, uint32_t caller, int line) {
    uint32_t name = pinsight_strings_add(&f->model->strings, callee, strlen(callee));

    return pinsight_names_site(f->model, pinsight_names_callee(f->model, name), caller, line);
}

static void begin(struct fixture *f, uint32_t id, uint64_t ns) {
    pinsight_model_begin(f->thread, PINSIGHT_FUNCTION, id, PINSIGHT_HOW_START, ns);
}

static void end(struct fixture *f, uint32_t id, uint64_t ns) {
    pinsight_model_end(f->thread, PINSIGHT_FUNCTION, id, 0, ns);
}

static struct pinsight_stats *stats(struct fixture *f, uint32_t id) {
    return &f->model->functions[id].stats;
}

static void make(struct fixture *f, struct pinsight_model_options options) {
    f->model = pinsight_model_new(&options);
    f->process = pinsight_model_process(f->model, 0, 100);
    f->thread = pinsight_model_thread(f->process, 0, 100);
}

static int setup(void **state) {
    static struct fixture fixture;

    make(&fixture, (struct pinsight_model_options){.thread = -1, .process = -1, .tree = true});
    *state = &fixture;
    return 0;
}

static int teardown(void **state) {
    pinsight_model_free(((struct fixture *)*state)->model);
    return 0;
}

/* "+a@0 -a@10": the function a begins at 0 and ends at 10. */
static void play(struct fixture *f, const char *script) {
    char sign, name[2];
    unsigned ns;

    for (int used; sscanf(script, " %c%1[a-z]@%u%n", &sign, name, &ns, &used) == 3; script += used)
        (sign == '+' ? begin : end)(f, function(f, name), ns);
}

static void self_and_total(void **state) {
    struct fixture *f = *state;
    uint32_t a = function(f, "a"), b = function(f, "b");

    play(f, "+a@100 +b@110 -b@150 +b@160 -b@170 -a@200");
    assert_int_equal(stats(f, a)->calls, 1);
    assert_int_equal(stats(f, a)->total_ns, 100);
    assert_int_equal(stats(f, a)->self_ns, 50);
    assert_int_equal(stats(f, b)->calls, 2);
    assert_int_equal(stats(f, b)->total_ns, 50);
    assert_int_equal(stats(f, b)->min_ns, 10);
    assert_int_equal(stats(f, b)->max_ns, 40);
    assert_int_equal(f->thread->busy_ns, 100);
    assert_int_equal(f->thread->max_depth, 2);
}

static void recursion_counts_once(void **state) {
    struct fixture *f = *state;
    uint32_t a = function(f, "a");

    for (uint64_t i = 0; i < 5000; i++)
        begin(f, a, 1000 + i);
    for (uint64_t i = 0; i < 5000; i++)
        end(f, a, 10000 + i);
    assert_int_equal(stats(f, a)->calls, 5000);
    assert_int_equal(stats(f, a)->total_ns, 14999 - 1000);
    assert_int_equal(stats(f, a)->self_ns, 14999 - 1000);
    assert_int_equal(stats(f, a)->max_ns, 14999 - 1000);
    assert_int_equal(f->thread->max_depth, 5000);
}

static void mutual_recursion_counts_once(void **state) {
    struct fixture *f = *state;
    uint32_t a = function(f, "a"), b = function(f, "b");

    play(f, "+a@0 +b@10 +a@20 +b@30 -b@40 -a@50 -b@60 -a@70");
    assert_int_equal(stats(f, a)->total_ns, 70);
    assert_int_equal(stats(f, b)->total_ns, 50);
    assert_int_equal(stats(f, a)->self_ns + stats(f, b)->self_ns, 70);
    assert_int_equal(stats(f, a)->calls, 2);
}

static void generators_add_up(void **state) {
    struct fixture *f = *state;
    uint32_t g = function(f, "g");

    pinsight_model_begin(f->thread, PINSIGHT_FUNCTION, g, PINSIGHT_HOW_START, 0);
    pinsight_model_end(f->thread, PINSIGHT_FUNCTION, g, 1, 10);
    pinsight_model_begin(f->thread, PINSIGHT_FUNCTION, g, PINSIGHT_HOW_RESUME, 100);
    pinsight_model_end(f->thread, PINSIGHT_FUNCTION, g, 1, 120);
    pinsight_model_begin(f->thread, PINSIGHT_FUNCTION, g, PINSIGHT_HOW_THROW, 200);
    pinsight_model_end(f->thread, PINSIGHT_FUNCTION, g, 2, 205);
    assert_int_equal(stats(f, g)->calls, 1);
    assert_int_equal(stats(f, g)->slices, 3);
    assert_int_equal(stats(f, g)->total_ns, 35);
    assert_int_equal(stats(f, g)->max_ns, 20);
}

static void c_calls_are_not_the_callers(void **state) {
    struct fixture *f = *state;
    uint32_t a = function(f, "a"), k = function(f, "key");
    uint32_t s = site(f, "sorted", a, 7);

    begin(f, a, 0);
    pinsight_model_begin(f->thread, PINSIGHT_C_CALL, s, PINSIGHT_HOW_START, 10);
    begin(f, k, 20);
    assert_int_equal(pinsight_model_top_function(f->thread), k);
    end(f, k, 25);
    assert_int_equal(pinsight_model_top_function(f->thread), a);
    pinsight_model_end(f->thread, PINSIGHT_C_CALL, s, 0, 40);
    end(f, a, 50);
    assert_int_equal(stats(f, a)->self_ns, 20);
    assert_int_equal(f->model->sites[s].stats.total_ns, 30);
    assert_int_equal(f->model->sites[s].stats.self_ns, 25);
    assert_int_equal(f->thread->self_ns[PINSIGHT_C_CALL], 25);
    assert_int_equal(f->thread->self_ns[PINSIGHT_FUNCTION], 25);
}

static void lost_ends_close_what_is_above(void **state) {
    struct fixture *f = *state;
    uint32_t a = function(f, "a"), c = function(f, "c");

    play(f, "+a@0 +b@10 +c@20 -a@100");
    assert_int_equal(f->thread->depth, 0);
    assert_int_equal(f->model->unmatched_begins, 2);
    assert_int_equal(stats(f, c)->total_ns, 80);
    assert_int_equal(stats(f, a)->total_ns, 100);
    assert_int_equal(stats(f, a)->self_ns, 10);
}

static void lost_begins_drop_the_end(void **state) {
    struct fixture *f = *state;
    uint32_t a = function(f, "a"), b = function(f, "b");

    play(f, "-b@5 +a@10 -b@20 -a@30 -a@40");
    assert_int_equal(f->model->unmatched_ends, 3);
    assert_int_equal(f->model->unmatched_begins, 0);
    assert_int_equal(stats(f, a)->total_ns, 20);
    assert_int_equal(stats(f, b)->calls, 0);
}

static void time_does_not_run_back(void **state) {
    struct fixture *f = *state;
    uint32_t a = function(f, "a");

    play(f, "+a@100 -a@50");
    assert_int_equal(stats(f, a)->total_ns, 0);
    assert_int_equal(f->model->late_events, 1);
}

static void open_frames_end_with_the_trace(void **state) {
    struct fixture *f = *state;
    uint32_t a = function(f, "a"), b = function(f, "b");

    pinsight_model_touch(f->process, 10);
    play(f, "+a@10 +b@20");
    pinsight_model_touch(f->process, 500);
    pinsight_model_finish(f->model);
    assert_int_equal(f->model->open_at_end, 2);
    assert_int_equal(stats(f, a)->total_ns, 490);
    assert_int_equal(stats(f, b)->total_ns, 480);
}

static void tree_has_paths(void **state) {
    struct fixture *f = *state;

    play(f, "+a@0 +b@10 -b@20 +b@30 -b@50 -a@60 +b@70 -b@80");
    assert_int_equal(f->model->node_count, 3);
    assert_int_equal(f->model->nodes[1].parent, 0);
    assert_int_equal(f->model->nodes[1].calls, 2);
    assert_int_equal(f->model->nodes[1].total_ns, 30);
    assert_int_equal(f->model->nodes[0].self_ns, 30);
    assert_int_equal(f->model->nodes[2].parent, PINSIGHT_NONE);
}

static void groups_count_once(void **state) {
    struct fixture other;
    struct fixture *f = &other;

    (void)state;
    make(f, (struct pinsight_model_options){
                .thread = -1, .process = -1, .group_by = PINSIGHT_BY_FILE});
    play(f, "+a@0 +b@10 -b@20 -a@60");
    assert_int_equal(f->model->group_count, 1);
    assert_int_equal(f->model->groups[0].total_ns, 60);
    assert_int_equal(f->model->groups[0].self_ns[PINSIGHT_FUNCTION], 60);
    assert_int_equal(f->model->groups[0].calls, 2);
    pinsight_model_free(f->model);
}

static void threads_are_filtered(void **state) {
    struct fixture other;
    struct fixture *f = &other;
    struct pinsight_thread *second;
    uint32_t a;

    (void)state;
    make(f, (struct pinsight_model_options){.thread = 1, .process = -1});
    second = pinsight_model_thread(f->process, 1, 0);
    a = function(f, "a");
    play(f, "+a@0 -a@60");
    pinsight_model_begin(second, PINSIGHT_FUNCTION, a, PINSIGHT_HOW_START, 5);
    pinsight_model_end(second, PINSIGHT_FUNCTION, a, 0, 7);
    assert_int_equal(stats(f, a)->calls, 1);
    assert_int_equal(stats(f, a)->total_ns, 2);
    pinsight_model_free(f->model);
}

/* Of single calls the times without what they call are kept, if asked for. */
static void histograms(void **state) {
    struct fixture *f = *state;
    uint32_t a = function(f, "a"), b = function(f, "b"), at;

    play(f, "+a@100 -a@110");
    assert_null(f->model->functions[a].histogram);
    pinsight_model_free(f->model);
    make(f, (struct pinsight_model_options){.thread = -1, .process = -1, .histograms = true});
    a = function(f, "a");
    b = function(f, "b");
    at = site(f, "len", a, 7);
    for (uint64_t ns = 1000; ns < 101000; ns += 1000) {
        begin(f, a, ns);
        begin(f, b, ns + 100);
        end(f, b, ns + 200);
        pinsight_model_begin(f->thread, PINSIGHT_C_CALL, at, PINSIGHT_HOW_START, ns + 250);
        pinsight_model_end(f->thread, PINSIGHT_C_CALL, at, 0, ns + 300);
        end(f, a, ns + 500);
    }
    assert_int_equal(pinsight_histogram_count(f->model->functions[a].histogram), 100);
    assert_true(pinsight_histogram_mean(f->model->functions[a].histogram, 0, 0.25) == 350);
    assert_true(pinsight_histogram_mean(f->model->functions[b].histogram, 0, 1) == 100);
    assert_true(pinsight_histogram_mean(f->model->sites[at].histogram, 0, 1) == 50);
}

int main(void) {
    return RUN_TESTS_EACH(
        setup, teardown, self_and_total, recursion_counts_once, mutual_recursion_counts_once,
        generators_add_up, c_calls_are_not_the_callers, lost_ends_close_what_is_above,
        lost_begins_drop_the_end, time_does_not_run_back, open_frames_end_with_the_trace,
        tree_has_paths, groups_count_once, threads_are_filtered, histograms);
}
