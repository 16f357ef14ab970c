/* Changes of single calls: told from what slows some calls, and from what slows whole runs. The
 * noise is simulated, and the same in each run of the test. */
#include "unit.h"
#include <math.h>

#include "base/memory.h"
#include "views/diff/state.h"
#include "views/mpi/mpi.h"
#include "views/openmp/openmp.h"

#define FUNCTIONS 12
#define CALLS 600

static uint64_t seed;
/* How many functions a program has, and each side runs. */
static size_t functions = FUNCTIONS, runs = 3;

/* From 0 to 1. */
static double uniform(void) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (double)(seed >> 11) / 9007199254740992.0;
}

/* From the normal distribution with a deviation of 1. */
static double normal(void) {
    return sqrt(-2 * log(uniform() + 1e-300)) * cos(6.283185307179586 * uniform());
}

/* What disturbs a run. All zero is a quiet machine. */
struct noise {
    double call;            /* deviation of the logarithm of a call's time */
    double row;             /* of that of a function's, in one run */
    double run;             /* of that of all of a run */
    double burst, burst_ns; /* share of the calls that are interrupted, and for how long at most */
};

static const struct noise quiet = {0.02, 0.002, 0.002, 0, 0};
static const struct noise busy = {0.1, 0.01, 0.1, 0.03, 200000};

/* One function of a run. Its time of a call; times[1] is that of a share of the calls. */
struct work {
    double times[2], share;
    uint32_t calls;
};

struct made {
    struct pinsight_report report;
    struct pinsight_model model;
    struct pinsight_omp_view openmp;
    struct pinsight_mpi_view mpi;
    struct pinsight_function_row functions[FUNCTIONS];
};

static double disturbed(double ns, const struct noise *noise) {
    ns *= exp(noise->call * normal());
    return uniform() < noise->burst ? ns + noise->burst_ns * uniform() : ns;
}

static void add_function(struct made *made, const char *name, const struct work *work,
                         double slower, const struct noise *noise) {
    struct pinsight_function_row *row = &made->functions[made->report.function_count++];

    *row = (struct pinsight_function_row){.name = name, .file = "/app.py", .line = 1};
    for (uint32_t call = 0; call < work->calls; call++) {
        double ns = work->times[uniform() < work->share] * slower;
        uint64_t took = (uint64_t)disturbed(ns, noise);

        pinsight_histogram_add(&row->histogram, took);
        row->times.self_ns += took;
    }
    row->times.calls = work->calls;
    row->times.total_ns = row->times.self_ns;
    made->report.python_ns += row->times.self_ns;
}

/* Adds a run in which `work` is of the first function; the others are as ever. */
static void add_run(struct pinsight_diff *diff, unsigned side, const struct work *work, double all,
                    const struct noise *noise) {
    static const char *const names[FUNCTIONS] = {"work", "f1", "f2", "f3", "f4",  "f5",
                                                 "f6",   "f7", "f8", "f9", "f10", "f11"};
    struct made made;
    double run = all * exp(noise->run * normal());

    memset(&made, 0, sizeof(made));
    made.report.model = &made.model;
    made.report.openmp = &made.openmp;
    made.report.mpi = &made.mpi;
    made.report.functions = made.functions;
    made.report.options.trace = "run";
    for (size_t i = 0; i < functions; i++) {
        struct work usual = {{5000.0 + 1000.0 * (double)i, 0}, 0, CALLS};

        add_function(&made, names[i], i ? &usual : work, run * exp(noise->row * normal()), noise);
    }
    pinsight_diff_add(diff, side, &made.report);
    for (size_t i = 0; i < functions; i++)
        pinsight_histogram_free(made.functions[i].histogram);
}

static struct pinsight_diff *new_diff(void) {
    return pinsight_diff_new(&(struct pinsight_diff_options){
        .min_change = 5, .min_share = 0.5, .min_ns = 100000, .width = 100, .limit = -1});
}

/* Runs of each side, in turn. */
static struct pinsight_diff *compare(const struct work *a, const struct work *b, double b_all,
                                     const struct noise *noise) {
    struct pinsight_diff *diff = new_diff();

    for (size_t i = 0; i < runs; i++) {
        add_run(diff, 0, a, 1, noise);
        add_run(diff, 1, b, b_all, noise);
    }
    pinsight_diff_finish(diff);
    return diff;
}

static const struct pinsight_diff_row *row_of(const struct pinsight_diff *diff, const char *name) {
    for (size_t i = 0; i < diff->row_count; i++)
        if (!strcmp(diff->rows[i].name, name))
            return &diff->rows[i];
    fail_msg("no row %s", name);
    return NULL;
}

static size_t changes(const struct pinsight_diff *diff) {
    size_t count = 0;

    for (size_t i = 0; i < diff->row_count; i++)
        count += diff->rows[i].verdict != PINSIGHT_DIFF_SAME;
    return count;
}

static double percent(const struct pinsight_diff_row *row) {
    return (double)pinsight_diff_judged_change(row) * 100 /
           (double)pinsight_diff_judged(row, 0)->median;
}

static void keep_note(void *data, const char *sentence) {
    char **all = data, *longer = pinsight_format("%s%s\n", *all, sentence);

    free(*all);
    *all = longer;
}

static char *notes_of(const struct pinsight_diff *diff) {
    char *notes = pinsight_strdup("");

    pinsight_diff_notes(diff, keep_note, &notes);
    return notes;
}

/* The verdict on `work` with nothing else changed; `on` is what it is on. */
static enum pinsight_diff_verdict verdict(const struct work *a, const struct work *b,
                                          const struct noise *noise, enum pinsight_diff_basis *on) {
    struct pinsight_diff *diff;
    enum pinsight_diff_verdict found;

    seed = 88172645463325252u;
    diff = compare(a, b, 1, noise);
    found = row_of(diff, "work")->verdict;
    *on = row_of(diff, "work")->basis;
    assert_int_equal(changes(diff), found != PINSIGHT_DIFF_SAME);
    pinsight_diff_free(diff);
    return found;
}

static void a_quiet_machine(void **state) {
    const struct work a = {{10000, 0}, 0, CALLS}, b = {{12000, 0}, 0, CALLS};
    enum pinsight_diff_basis on;

    (void)state;
    assert_int_equal(verdict(&a, &b, &quiet, &on), PINSIGHT_DIFF_MORE);
    assert_int_equal(on, PINSIGHT_DIFF_ON_RELATIVE);
    assert_int_equal(verdict(&b, &a, &quiet, &on), PINSIGHT_DIFF_LESS);
    assert_int_equal(verdict(&a, &a, &quiet, &on), PINSIGHT_DIFF_SAME);
}

/* What many comparisons on a machine with noise come to, of a function that is slower by `slower`.
 */
struct score {
    size_t first;  /* it was named first, and by how much is about right */
    size_t alarms; /* of twice as many: something that is equal had a change */
};

static struct score score_of(size_t comparisons, double slower, const struct noise *noise) {
    const struct work a = {{10000, 0}, 0, CALLS}, b = {{10000 * slower, 0}, 0, CALLS};
    struct score score = {0, 0};

    seed = 0x9e3779b97f4a7c15u;
    for (size_t i = 0; i < comparisons; i++) {
        struct pinsight_diff *diff = compare(&a, &b, 1, noise);
        const struct pinsight_diff_row *row = row_of(diff, "work");
        bool found = row->verdict == PINSIGHT_DIFF_MORE, right = false;

        if (found)
            right = fabs(percent(row) - (slower - 1) * 100) < 10;
        score.first += right && row == diff->rows;
        score.alarms += changes(diff) > found;
        pinsight_diff_free(diff);
        diff = compare(&a, &a, 1, noise);
        score.alarms += changes(diff) > 0;
        pinsight_diff_free(diff);
    }
    print_message("of %zu: first %zu, false alarms %zu\n", comparisons, score.first, score.alarms);
    return score;
}

/* A machine on which totals tell nothing. */
static void a_busy_machine(void **state) {
    struct score score = score_of(300, 1.2, &busy);

    (void)state;
    assert_true(score.first >= 285);
    assert_true(score.alarms <= 12);
}

/* What slows whole runs down cannot be taken out: little is found, and nothing made up. */
static void few_functions(void **state) {
    const struct work a = {{10000, 0}, 0, CALLS}, b = {{12000, 0}, 0, CALLS};
    enum pinsight_diff_basis on;

    (void)state;
    functions = 3;
    assert_true(score_of(300, 1.2, &busy).alarms <= 12);
    assert_int_equal(verdict(&a, &b, &quiet, &on), PINSIGHT_DIFF_MORE);
    assert_int_equal(on, PINSIGHT_DIFF_ON_STEADY);
    functions = FUNCTIONS;
}

static void other_numbers_of_runs(void **state) {
    struct score score;

    (void)state;
    runs = 2;
    assert_true(score_of(200, 1.2, &busy).alarms <= 8);
    runs = 5;
    score = score_of(100, 1.2, &busy);
    assert_true(score.first >= 95);
    assert_true(score.alarms <= 4);
    runs = 3;
}

static void one_call_has_its_total(void **state) {
    const struct work a = {{5e6, 0}, 0, 1}, b = {{6e6, 0}, 0, 1};
    enum pinsight_diff_basis on;

    (void)state;
    assert_int_equal(verdict(&a, &b, &(struct noise){0.005, 0, 0, 0, 0}, &on), PINSIGHT_DIFF_MORE);
    assert_int_equal(on, PINSIGHT_DIFF_ON_TOTAL);
    assert_int_equal(verdict(&a, &a, &busy, &on), PINSIGHT_DIFF_SAME);
}

static void two_kinds_of_calls(void **state) {
    const double shares[] = {0.1, 0.24, 0.25, 0.26, 0.5, 0.74, 0.75, 0.76, 0.9};

    (void)state;
    seed = 0xd1b54a32d192ed03u;
    for (size_t i = 0; i < sizeof(shares) / sizeof(*shares); i++)
        for (int j = 0; j < 20; j++) {
            const struct work a = {{1000, 50000}, shares[i], CALLS};
            struct pinsight_diff *diff = compare(&a, &a, 1, j % 2 ? &quiet : &busy);

            pinsight_diff_free(diff);
        }
}

static void rare_slow_calls_are_in_the_total(void **state) {
    const struct work a = {{10000, 0}, 0, 10 * CALLS}, b = {{10000, 100000}, 0.1, 10 * CALLS};
    enum pinsight_diff_basis on;

    (void)state;
    assert_int_equal(verdict(&a, &b, &quiet, &on), PINSIGHT_DIFF_MORE);
    assert_int_equal(on, PINSIGHT_DIFF_ON_TOTAL);
    /* Also those that were there before. */
    assert_int_equal(verdict(&(struct work){{10000, 500000}, 0.1, 10 * CALLS},
                             &(struct work){{10000, 1500000}, 0.1, 10 * CALLS}, &quiet, &on),
                     PINSIGHT_DIFF_MORE);
    assert_int_equal(on, PINSIGHT_DIFF_ON_TOTAL);
}

static void work_that_is_divided_otherwise_is_the_same(void **state) {
    enum pinsight_diff_basis on;

    (void)state;
    /* The same number of calls, half of them now quick and half slow. */
    assert_int_equal(verdict(&(struct work){{10000, 10000}, 0.5, CALLS},
                             &(struct work){{200, 19800}, 0.5, CALLS}, &quiet, &on),
                     PINSIGHT_DIFF_SAME);
    /* Twice the calls. */
    assert_int_equal(verdict(&(struct work){{10000, 0}, 0, CALLS},
                             &(struct work){{5000, 0}, 0, 2 * CALLS}, &quiet, &on),
                     PINSIGHT_DIFF_SAME);
    assert_int_equal(verdict(&(struct work){{10000, 0}, 0, CALLS},
                             &(struct work){{10000, 0}, 0, 2 * CALLS}, &quiet, &on),
                     PINSIGHT_DIFF_MORE);
}

/* More calls are a change also where what else the machine does hides the change of the whole. */
static void more_calls_on_a_busy_machine(void **state) {
    const struct work a = {{10000, 0}, 0, CALLS}, b = {{10000, 0}, 0, CALLS + CALLS / 3};
    const struct work c = {{7500, 0}, 0, CALLS + CALLS / 3};
    enum pinsight_diff_basis on;

    (void)state;
    assert_int_equal(verdict(&a, &b, &busy, &on), PINSIGHT_DIFF_MORE);
    assert_int_equal(on, PINSIGHT_DIFF_ON_RELATIVE);
    assert_int_equal(verdict(&b, &a, &busy, &on), PINSIGHT_DIFF_LESS);
    assert_int_equal(verdict(&a, &c, &busy, &on), PINSIGHT_DIFF_SAME);
}

static void a_change_of_everything_is_told(void **state) {
    const struct work a = {{10000, 0}, 0, CALLS};
    struct pinsight_diff *diff;
    char *notes;

    (void)state;
    seed = 12345;
    diff = compare(&a, &a, 1.2, &quiet);
    assert_int_equal(changes(diff), FUNCTIONS);
    notes = notes_of(diff);
    assert_non_null(strstr(notes, "Calls take 20 % more in B than in A throughout"));
    free(notes);
    pinsight_diff_free(diff);
}

static void slow_runs_are_said(void **state) {
    const struct work a = {{10000, 0}, 0, CALLS}, b = {{12000, 0}, 0, CALLS};
    struct pinsight_diff *diff = new_diff();
    const struct pinsight_diff_row *row;
    char *notes;

    (void)state;
    seed = 4711;
    for (int i = 0; i < 3; i++) {
        add_run(diff, 0, &a, i == 0 ? 1.4 : 1, &quiet);
        add_run(diff, 1, &b, i > 0 ? 1.4 : 1, &quiet);
    }
    pinsight_diff_finish(diff);
    row = row_of(diff, "work");
    assert_true(row->verdict == PINSIGHT_DIFF_MORE && row->basis == PINSIGHT_DIFF_ON_RELATIVE);
    assert_int_equal(changes(diff), 1);
    assert_true(percent(row) > 18 && percent(row) < 22);
    notes = notes_of(diff);
    assert_non_null(strstr(notes, "Run 1 of A, run, was"));
    assert_non_null(strstr(notes, "Run 2 of B, run, was"));
    assert_null(strstr(notes, "Run 1 of B"));
    assert_null(strstr(notes, "Calls take"));
    free(notes);
    pinsight_diff_free(diff);
}

/* The runs of A were interrupted so much more that all totals are less in B. */
static void totals_may_say_the_reverse(void **state) {
    const struct work a = {{10000, 0}, 0, CALLS}, b = {{12000, 0}, 0, CALLS};
    const struct noise worse = {0.1, 0.01, 0.01, 0.3, 400000};
    struct pinsight_diff *diff = new_diff();
    const struct pinsight_diff_row *row;

    (void)state;
    seed = 31337;
    for (size_t i = 0; i < runs; i++) {
        add_run(diff, 0, &a, 1, &worse);
        add_run(diff, 1, &b, 1, &(struct noise){0.1, 0.01, 0.01, 0.1, 400000});
    }
    pinsight_diff_finish(diff);
    row = row_of(diff, "work");
    assert_true(row->sides[0].stats[PINSIGHT_DIFF_SELF].min >
                row->sides[1].stats[PINSIGHT_DIFF_SELF].max);
    assert_int_equal(row->verdict, PINSIGHT_DIFF_MORE);
    pinsight_diff_free(diff);
}

/* All of B on a slower machine, from which one function does not suffer. */
static void what_does_not_suffer_is_no_faster(void **state) {
    const struct work a = {{10000, 0}, 0, CALLS}, b = {{10000 / 1.15, 0}, 0, CALLS};
    struct pinsight_diff *diff;

    (void)state;
    seed = 271828;
    diff = compare(&a, &b, 1.15, &quiet);
    assert_int_equal(row_of(diff, "work")->verdict, PINSIGHT_DIFF_SAME);
    pinsight_diff_free(diff);
}

int main(void) {
    return RUN_TESTS(a_quiet_machine, a_busy_machine, few_functions, other_numbers_of_runs,
                     one_call_has_its_total, two_kinds_of_calls, rare_slow_calls_are_in_the_total,
                     more_calls_on_a_busy_machine, work_that_is_divided_otherwise_is_the_same,
                     a_change_of_everything_is_told, slow_runs_are_said, totals_may_say_the_reverse,
                     what_does_not_suffer_is_no_faster);
}
