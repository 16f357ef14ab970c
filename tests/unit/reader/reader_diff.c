/* Two versions side by side: what is the same row, and what is a change. */
#include "unit.h"

#include "base/memory.h"
#include "views/diff/state.h"
#include "views/mpi/mpi.h"
#include "views/openmp/openmp.h"

#define MS UINT64_C(1000000)
#define MOST 16

/* A report with rows that a test sets, and nothing else. */
struct made {
    struct pinsight_report report;
    struct pinsight_model model;
    struct pinsight_omp_view openmp;
    struct pinsight_mpi_view mpi;
    struct pinsight_function_row functions[MOST];
    struct pinsight_c_row c_calls[MOST];
};

static void start(struct made *made, const char *trace) {
    memset(made, 0, sizeof(*made));
    made->report.model = &made->model;
    made->report.openmp = &made->openmp;
    made->report.mpi = &made->mpi;
    made->report.functions = made->functions;
    made->report.c_calls = made->c_calls;
    made->report.options.trace = trace;
}

static void function(struct made *made, const char *name, const char *file, int32_t line,
                     uint64_t self_ms) {
    made->functions[made->report.function_count++] = (struct pinsight_function_row){
        .name = name,
        .file = file,
        .line = line,
        .times = {.calls = 10, .total_ns = self_ms * MS, .self_ns = self_ms * MS}};
    made->report.python_ns += self_ms * MS;
}

static void c_call(struct made *made, const char *name, const char *caller, const char *file,
                   int32_t line, uint64_t self_ms) {
    made->c_calls[made->report.c_call_count++] = (struct pinsight_c_row){
        .name = name,
        .caller = caller,
        .caller_file = file,
        .caller_line = line,
        .times = {.calls = 10, .total_ns = self_ms * MS, .self_ns = self_ms * MS}};
    made->report.c_ns += self_ms * MS;
}

static struct pinsight_diff *new_diff(void) {
    return pinsight_diff_new(&(struct pinsight_diff_options){
        .min_change = 5, .min_share = 0.5, .min_ns = 100000, .width = 100, .limit = -1});
}

static int setup(void **state) {
    *state = new_diff();
    return 0;
}

static int teardown(void **state) {
    pinsight_diff_free(*state);
    return 0;
}

/* Compares three runs of each side, whose rows `fill` sets. */
static void compare(struct pinsight_diff *diff,
                    void (*fill)(struct made *made, unsigned side, unsigned run)) {
    struct made made;

    for (unsigned side = 0; side < 2; side++)
        for (unsigned run = 0; run < 3; run++) {
            start(&made, "run");
            fill(&made, side, run);
            pinsight_diff_add(diff, side, &made.report);
        }
    pinsight_diff_finish(diff);
}

static const struct pinsight_diff_row *find(const struct pinsight_diff *diff, const char *name,
                                            int32_t line_a, int32_t line_b) {
    for (size_t i = 0; i < diff->row_count; i++) {
        const struct pinsight_diff_row *row = &diff->rows[i];

        if (!strcmp(row->name, name) && row->sides[0].line == line_a &&
            row->sides[1].line == line_b)
            return row;
    }
    fail_msg("no row %s of lines %d and %d", name, line_a, line_b);
    return NULL;
}

static void add_runs(struct pinsight_diff *diff, unsigned side, const uint64_t *slow,
                     const uint64_t *other, size_t count) {
    struct made made;

    for (size_t i = 0; i < count; i++) {
        start(&made, "run");
        function(&made, "slow", "/home/me/app.py", 10 + (int32_t)side, slow[i]);
        function(&made, "other", "/home/me/app.py", 50, other[i]);
        pinsight_diff_add(diff, side, &made.report);
    }
}

/* What is said of `slow`, with its times in the runs of both sides. */
static enum pinsight_diff_verdict verdict(const uint64_t *a, size_t a_count, const uint64_t *b,
                                          size_t b_count) {
    static const uint64_t equal[] = {500, 500, 500, 500, 500, 500, 500, 500, 500, 500};
    struct pinsight_diff *diff = new_diff();
    enum pinsight_diff_verdict found;

    add_runs(diff, 0, a, equal, a_count);
    add_runs(diff, 1, b, equal, b_count);
    pinsight_diff_finish(diff);
    found = find(diff, "slow", 10, 11)->verdict;
    assert_int_equal(find(diff, "other", 50, 50)->verdict, PINSIGHT_DIFF_SAME);
    pinsight_diff_free(diff);
    return found;
}

#define RUNS(...)                                                                                  \
    (const uint64_t[]) {                                                                           \
        __VA_ARGS__                                                                                \
    }

static void a_change_is_larger_than_the_noise(void **state) {
    (void)state;
    assert_int_equal(verdict(RUNS(100, 101, 99), 3, RUNS(120, 121, 119), 3), PINSIGHT_DIFF_MORE);
    assert_int_equal(verdict(RUNS(120, 121, 119), 3, RUNS(100, 101, 99), 3), PINSIGHT_DIFF_LESS);
    /* Apart, and by less than twice what the runs of one side differ by. */
    assert_int_equal(verdict(RUNS(100, 108, 96), 3, RUNS(120, 121, 119), 3), PINSIGHT_DIFF_SAME);
    /* Ten times as long, with ten times the noise. */
    assert_int_equal(verdict(RUNS(100, 110, 120), 3, RUNS(1000, 1600, 1300), 3),
                     PINSIGHT_DIFF_MORE);
    /* One run of each was disturbed, and the others are much alike; or not so much. */
    assert_int_equal(verdict(RUNS(100, 101, 180), 3, RUNS(120, 121, 170), 3), PINSIGHT_DIFF_MORE);
    assert_int_equal(verdict(RUNS(100, 104, 180), 3, RUNS(120, 124, 170), 3), PINSIGHT_DIFF_SAME);
    assert_int_equal(verdict(RUNS(120, 121, 170), 3, RUNS(100, 101, 180), 3), PINSIGHT_DIFF_LESS);
    /* One of A is as slow as B. */
    assert_int_equal(verdict(RUNS(100, 103, 120), 3, RUNS(120, 122, 119), 3), PINSIGHT_DIFF_SAME);
    /* Beyond the noise, and less than 5 %. */
    assert_int_equal(verdict(RUNS(100, 100, 100), 3, RUNS(104, 104, 104), 3), PINSIGHT_DIFF_SAME);
    /* Less than 0.5 % of the run. */
    assert_int_equal(verdict(RUNS(2, 2, 2), 3, RUNS(4, 4, 4), 3), PINSIGHT_DIFF_SAME);
}

static void more_runs_bear_more_noise(void **state) {
    (void)state;
    assert_int_equal(verdict(RUNS(100, 102), 2, RUNS(108, 110), 2), PINSIGHT_DIFF_SAME);
    assert_int_equal(verdict(RUNS(100, 102), 2, RUNS(120, 122), 2), PINSIGHT_DIFF_MORE);
    assert_int_equal(verdict(RUNS(100, 110, 96, 104), 4, RUNS(120, 121, 125, 126), 4),
                     PINSIGHT_DIFF_MORE);
    /* Of five runs the slowest does not count. */
    assert_int_equal(verdict(RUNS(100, 101, 99, 180, 100), 5, RUNS(120, 121, 119, 120, 119), 5),
                     PINSIGHT_DIFF_MORE);
}

static void one_run_says_nothing_of_noise(void **state) {
    (void)state;
    assert_int_equal(verdict(RUNS(100), 1, RUNS(120), 1), PINSIGHT_DIFF_UNCLEAR);
    assert_int_equal(verdict(RUNS(100, 100, 100), 3, RUNS(120), 1), PINSIGHT_DIFF_UNCLEAR);
    assert_int_equal(verdict(RUNS(100), 1, RUNS(101), 1), PINSIGHT_DIFF_SAME);
}

static void fill_new_and_gone(struct made *made, unsigned side, unsigned run) {
    function(made, side ? "fresh" : "stale", "/a.py", 1, 100);
    function(made, "both", "/a.py", 9, 100);
    if (side && run)
        function(made, "sometimes", "/a.py", 20, 100);
}

static void new_and_gone(void **state) {
    struct pinsight_diff *diff = *state;

    compare(diff, fill_new_and_gone);
    assert_int_equal(find(diff, "fresh", 0, 1)->verdict, PINSIGHT_DIFF_NEW);
    assert_int_equal(find(diff, "stale", 1, 0)->verdict, PINSIGHT_DIFF_GONE);
    assert_int_equal(find(diff, "both", 9, 9)->verdict, PINSIGHT_DIFF_SAME);
    /* Not in every run of B: noise. */
    assert_int_equal(find(diff, "sometimes", 0, 20)->verdict, PINSIGHT_DIFF_SAME);
}

static void a_function_may_move(void **state) {
    struct pinsight_diff *diff = *state;
    static const struct {
        const char *name;
        struct {
            const char *file;
            int32_t line;
        } sides[2];
        uint64_t self_ms;
    } cases[] = {
        {"solve", {{"/home/me/old/src/app.py", 10}, {"/scratch/new/src/app.py", 14}}, 100},
        {"<lambda>", {{"/home/me/old/src/app.py", 20}, {"/scratch/new/src/app.py", 24}}, 10},
        {"<lambda>", {{"/home/me/old/src/app.py", 30}, {"/scratch/new/src/app.py", 44}}, 20},
        {"helper", {{"/home/me/old/tools/app.py", 5}, {"/scratch/new/tools/app.py", 6}}, 1},
        {"dot",
         {{"/usr/lib/python3/dist-packages/numpy/core.py", 7},
          {"/opt/venv/lib/python3.13/site-packages/numpy/core.py", 9}},
         1},
        {"run",
         {{"/usr/lib/python3.11/threading.py", 8},
          {"/opt/python/lib/python3.13t/threading.py", 12}},
         1},
    };
    struct made made;

    for (unsigned side = 0; side < 2; side++) {
        start(&made, side ? "b" : "a");
        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
            function(&made, cases[i].name, cases[i].sides[side].file, cases[i].sides[side].line,
                     cases[i].self_ms);
        pinsight_diff_add(diff, side, &made.report);
    }
    pinsight_diff_finish(diff);
    assert_int_equal(diff->row_count, 6);
    find(diff, "solve", 10, 14);
    find(diff, "<lambda>", 20, 24);
    find(diff, "<lambda>", 30, 44);
    assert_string_equal(find(diff, "helper", 5, 6)->sides[1].file, "/scratch/new/tools/app.py");
    find(diff, "dot", 7, 9);
    find(diff, "run", 8, 12);
}

static void lines_are_paired_up_by_what_they_call(void **state) {
    static const char *const before[] = {"numpy.multiply", "numpy.add", "numpy.add", "numpy.dot"};
    static const int32_t before_lines[] = {21, 22, 23, 25};
    /* A line before all of them, another add at the end, and no dot. */
    static const char *const after[] = {"numpy.empty", "numpy.multiply", "numpy.add", "numpy.add",
                                        "numpy.add"};
    static const int32_t after_lines[] = {31, 32, 33, 34, 38};
    struct pinsight_diff *diff = *state;
    struct made made;

    start(&made, "a");
    function(&made, "step", "/app.py", 20, 100);
    for (size_t i = 0; i < 4; i++)
        c_call(&made, before[i], "step", "/app.py", before_lines[i], 10);
    pinsight_diff_add(diff, 0, &made.report);
    start(&made, "b");
    function(&made, "step", "/app.py", 30, 100);
    for (size_t i = 0; i < 5; i++)
        c_call(&made, after[i], "step", "/app.py", after_lines[i], 10);
    pinsight_diff_add(diff, 1, &made.report);
    pinsight_diff_finish(diff);
    find(diff, "numpy.empty", 0, 31);
    find(diff, "numpy.multiply", 21, 32);
    find(diff, "numpy.dot", 25, 0);
    /* 33 is as far from the first line as 23 was, but that way one pair less would be found. */
    find(diff, "numpy.add", 22, 33);
    find(diff, "numpy.add", 23, 34);
    find(diff, "numpy.add", 0, 38);
    assert_string_equal(find(diff, "numpy.multiply", 21, 32)->function, "step");
}

static void equal_lines_stay_together(void **state) {
    struct pinsight_diff *diff = *state;
    struct made made;

    for (unsigned side = 0; side < 2; side++) {
        start(&made, "run");
        function(&made, "step", "/app.py", 20 + (int32_t)side * 100, 100);
        for (int32_t i = 0; i < 5; i++)
            if (!side || i != 2)
                c_call(&made, "numpy.add", "step", "/app.py", 21 + i + (int32_t)side * 100, 10);
        pinsight_diff_add(diff, side, &made.report);
    }
    pinsight_diff_finish(diff);
    find(diff, "numpy.add", 21, 121);
    find(diff, "numpy.add", 22, 122);
    find(diff, "numpy.add", 23, 0);
    find(diff, "numpy.add", 24, 124);
    find(diff, "numpy.add", 25, 125);
}

/* A damaged trace may name any line. */
static void lines_at_the_ends_of_their_range(void **state) {
    struct pinsight_diff *diff = *state;
    struct made made;

    start(&made, "a");
    function(&made, "step", "/app.py", INT32_MIN, 100);
    c_call(&made, "numpy.add", "step", "/app.py", INT32_MAX, 10);
    pinsight_diff_add(diff, 0, &made.report);
    start(&made, "b");
    function(&made, "step", "/app.py", INT32_MAX, 100);
    c_call(&made, "numpy.add", "step", "/app.py", INT32_MIN, 10);
    pinsight_diff_add(diff, 1, &made.report);
    pinsight_diff_finish(diff);
    find(diff, "step", INT32_MIN, INT32_MAX);
    find(diff, "numpy.add", INT32_MAX, INT32_MIN);
}

static void fill_waiting(struct made *made, unsigned side, unsigned run) {
    (void)run;
    function(made, "slow", "/app.py", 1, side ? 120 : 100);
    c_call(made, "_thread.lock.acquire", "wait", "/app.py", 9, side ? 140 : 100);
}

static void waiting_is_told_from_work(void **state) {
    struct pinsight_diff *diff = *state;

    compare(diff, fill_waiting);
    assert_string_equal(diff->rows[0].name, "slow");
    assert_true(pinsight_diff_is_work(&diff->rows[0]));
    assert_true(pinsight_diff_is_wait(&diff->rows[1]));
    assert_false(pinsight_diff_is_work(&diff->rows[1]));
}

static void mpi_and_openmp_are_matched_by_the_users_line(void **state) {
    struct pinsight_diff *diff = *state;
    const struct pinsight_diff_row *row;
    struct made made;

    for (unsigned side = 0; side < 2; side++)
        for (unsigned run = 0; run < 3; run++) {
            struct pinsight_mpi_place place = {
                .name = "exchange", .file = "/app.py", .line = side ? 35 : 30, .python = true};
            struct pinsight_mpi_caller caller = {.name = "exchange", .file = "/app.py", .line = 25};
            struct pinsight_mpi_row line = {
                .name = "MPI_Sendrecv",
                .sums = {.calls = 4, .total_ns = (side ? 300 : 200) * MS, .wait_ns = 150 * MS}};
            struct pinsight_omp_row region = {.name = (char *)"work",
                                              .object = side ? "/opt/lib/libx.so" : "/usr/libx.so",
                                              .path = PINSIGHT_NONE,
                                              .users = PINSIGHT_NONE,
                                              .sums = {.calls = 7, .total_ns = 40 * MS}};

            if (side)
                line.sums.wait_ns = 250 * MS;
            start(&made, "run");
            made.mpi.places = &place;
            made.mpi.place_count = made.mpi.line_count = made.mpi.caller_count = 1;
            made.mpi.lines = &line;
            made.mpi.callers = &caller;
            made.openmp.places = &region;
            made.openmp.place_count = 1;
            function(&made, "main", "/app.py", 1, 1000);
            pinsight_diff_add(diff, side, &made.report);
        }
    pinsight_diff_finish(diff);
    row = find(diff, "MPI_Sendrecv", 30, 35);
    assert_string_equal(row->function, "exchange");
    assert_int_equal(row->sides[0].stats[PINSIGHT_DIFF_SELF].median, 50 * MS);
    assert_int_equal(row->verdict, PINSIGHT_DIFF_SAME);
    assert_int_equal(row->wait_verdict, PINSIGHT_DIFF_MORE);
    assert_true(pinsight_diff_is_wait(row) && !pinsight_diff_is_work(row));
    row = find(diff, "work", 0, 0);
    assert_int_equal(row->kind, PINSIGHT_DIFF_REGION);
    assert_int_equal(row->verdict, PINSIGHT_DIFF_SAME);
    assert_string_equal(row->sides[1].file, "libx.so");
    assert_null(row->function);
}

static void keep_note(void *data, const char *sentence) {
    char **all = data, *longer = pinsight_format("%s%s\n", *all, sentence);

    free(*all);
    *all = longer;
}

static void fill_one_side(struct made *made, unsigned side, unsigned run) {
    (void)run;
    function(made, "solve", "/app.py", 1, 100);
    if (!side)
        c_call(made, "numpy.dot", "solve", "/app.py", 9, 100);
}

static void what_is_in_one_side_alone_is_not_compared(void **state) {
    struct pinsight_diff *diff = *state;
    char *notes = pinsight_strdup("");

    compare(diff, fill_one_side);
    assert_int_equal(find(diff, "numpy.dot", 9, 0)->verdict, PINSIGHT_DIFF_SAME);
    assert_false(find(diff, "numpy.dot", 9, 0)->compared);
    pinsight_diff_notes(diff, keep_note, &notes);
    assert_non_null(strstr(notes, "C calls: in A alone, not compared"));
    free(notes);
}

static void many_rows_bear_more_noise(void **state) {
    (void)state;
    assert_true(pinsight_diff_factors(3, 5, 10).range == 2);
    assert_true(pinsight_diff_factors(3, 3, 160).range == 4);
    assert_true(pinsight_diff_factors(3, 3, 160).low == 40);
    assert_true(pinsight_diff_factors(6, 9, 1).range == 1);
    assert_true(pinsight_diff_factors(2, 3, 40).range == 12);
    assert_true(pinsight_diff_factors(2, 3, 40).low == 0);
    assert_true(pinsight_diff_factors(1, 9, 40).range == 0);
}

static void noisy_runs_are_said(void **state) {
    struct pinsight_diff *diff = *state;
    char *notes = pinsight_strdup("");

    add_runs(diff, 0, RUNS(100, 101, 99), RUNS(500, 500, 500), 3);
    add_runs(diff, 1, RUNS(100, 101, 99), RUNS(500, 640, 500), 3);
    pinsight_diff_finish(diff);
    pinsight_diff_notes(diff, keep_note, &notes);
    assert_non_null(strstr(notes, "The runs of B differ by 24 % among themselves"));
    assert_null(strstr(notes, "The runs of A"));
    free(notes);
}

static void medians_and_ranges(void **state) {
    uint64_t odd[] = {5, 1, 3}, even[] = {4, 1, 2, 8}, many[] = {9, 1, 2, 3, 4}, largest[2];
    struct pinsight_diff_stat stat;

    (void)state;
    assert_int_equal(pinsight_diff_stat(odd, 3).median, 3);
    assert_int_equal(pinsight_diff_stat(even, 4).median, 3);
    stat = pinsight_diff_stat(many, 5);
    assert_int_equal(stat.median, 3);
    assert_int_equal(stat.max, 9);
    assert_int_equal(stat.high, 4);
    assert_int_equal(pinsight_diff_stat(NULL, 0).median, 0);
    largest[0] = largest[1] = UINT64_MAX;
    assert_int_equal(pinsight_diff_stat(largest, 2).median, UINT64_MAX);
}

int main(void) {
    return RUN_TESTS_EACH(setup, teardown, a_change_is_larger_than_the_noise,
                          more_runs_bear_more_noise, one_run_says_nothing_of_noise, new_and_gone,
                          a_function_may_move, lines_are_paired_up_by_what_they_call,
                          equal_lines_stay_together, lines_at_the_ends_of_their_range,
                          waiting_is_told_from_work, mpi_and_openmp_are_matched_by_the_users_line,
                          what_is_in_one_side_alone_is_not_compared, many_rows_bear_more_noise,
                          noisy_runs_are_said, medians_and_ranges);
}
