/* Calling contexts: the tree that profiles are made of, and its sums by function. */
#include "unit.h"

#include "base/escape.h"
#include "made_model.h"
#include "reader/kit/native.h"
#include "reader/kit/paths.h"
#include "reader/openmp/openmp.h"
#include "reader/python/names.h"
#include "views/contexts.h"
#include "views/profile/context_sums.h"
#include "views/slice_text.h"

#define IMPLICIT PINSIGHT_OMP_WAIT_IMPLICIT_BARRIER

struct fixture {
    struct pinsight_model *model;
    struct pinsight_process *process;
    struct pinsight_thread *threads[3]; /* two of Python, one of OpenMP */
    struct pinsight_timeline timeline;
    struct pinsight_contexts contexts;
    struct pinsight_slice_texts texts;
    struct pinsight_context_sums sums;
    char told[4096];
};

static int setup(void **state) {
    struct fixture *f = *state = calloc(1, sizeof(struct fixture));

    f->model = made_model();
    f->process = pinsight_model_process(f->model, 0, 100);
    pinsight_contexts_make(&f->contexts, f->model, &f->timeline);
    pinsight_model_show(f->model, &f->timeline);
    for (uint32_t i = 0; i < 3; i++)
        f->threads[i] = pinsight_model_thread(f->process, i < 2 ? (int64_t)i : -1, 100 + i);
    pinsight_openmp_of(f->model);
    pinsight_slice_texts_make(&f->texts, f->model);
    return 0;
}

static int teardown(void **state) {
    struct fixture *f = *state;

    pinsight_context_sums_clear(&f->sums);
    pinsight_slice_texts_clear(&f->texts);
    pinsight_model_free(f->model);
    pinsight_contexts_clear(&f->contexts);
    free(f);
    return 0;
}

static uint32_t function(struct fixture *f, const char *name, int32_t line) {
    struct pinsight_strings *strings = &f->model->strings;

    return pinsight_names_function(f->model, pinsight_strings_add(strings, name, strlen(name)),
                                   pinsight_strings_add(strings, "a.py", 4), line);
}

static void begin(struct fixture *f, int thread, const char *name, uint64_t ns) {
    pinsight_model_begin(f->threads[thread], PINSIGHT_FUNCTION, function(f, name, 1),
                         PINSIGHT_HOW_START, ns);
}

static void end(struct fixture *f, int thread, const char *name, uint64_t ns) {
    pinsight_model_end(f->threads[thread], PINSIGHT_FUNCTION, function(f, name, 1), 0, ns);
}

/* "+a@0 -a@10": the function a begins at 0 and ends at 10. */
static void play(struct fixture *f, int thread, const char *script) {
    char sign, name[16];
    unsigned ns;

    for (int used; sscanf(script, " %c%15[a-z]@%u%n", &sign, name, &ns, &used) == 3; script += used)
        (sign == '+' ? begin : end)(f, thread, name, ns);
}

static void c_call(struct fixture *f, const char *callee, const char *caller, int32_t line,
                   bool begins, uint64_t ns) {
    uint32_t name = pinsight_strings_add(&f->model->strings, callee, strlen(callee));
    uint32_t site = pinsight_names_site(f->model, pinsight_names_callee(f->model, name),
                                        function(f, caller, 1), line);

    if (begins)
        pinsight_model_begin(f->threads[0], PINSIGHT_C_CALL, site, PINSIGHT_HOW_START, ns);
    else
        pinsight_model_end(f->threads[0], PINSIGHT_C_CALL, site, 0, ns);
}

static struct pinsight_omp_thread *omp(struct fixture *f, int thread) {
    return pinsight_omp_thread_of(f->threads[thread], f->process);
}

/* A region of two threads from 10 to 50 in the first one, from 12 in the other one. */
static void region(struct fixture *f, uint32_t path) {
    pinsight_omp_region_begin(omp(f, 0), 7, 1, pinsight_native_at(f->process, 0x10), path,
                              PINSIGHT_OMP_PARALLEL, 10);
    pinsight_omp_part_begin(omp(f, 0), 7, 70, 0, 2, 11);
    pinsight_omp_part_begin(omp(f, 2), 7, 71, 1, 2, 12);
    pinsight_omp_sync(omp(f, 0), 7, IMPLICIT, PINSIGHT_SYNC_IMPLICIT_PARALLEL, true, 20);
    pinsight_omp_sync(omp(f, 2), 7, IMPLICIT, PINSIGHT_SYNC_IMPLICIT_PARALLEL, true, 40);
    pinsight_omp_sync(omp(f, 0), 7, IMPLICIT, PINSIGHT_SYNC_IMPLICIT_PARALLEL, false, 41);
    pinsight_omp_part_end(omp(f, 0), 7, 42);
    pinsight_omp_region_end(omp(f, 0), 7, 50);
}

static void put(struct fixture *f, const char *format, ...) {
    size_t length = strlen(f->told);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(f->told + length, sizeof(f->told) - length, format, arguments);
    va_end(arguments);
}

static void put_path(struct fixture *f, uint32_t node) {
    const struct pinsight_context *at = &f->contexts.nodes[node];

    if (at->parent == PINSIGHT_NONE)
        return;
    put_path(f, at->parent);
    put(f, f->contexts.nodes[at->parent].parent == PINSIGHT_NONE ? "%s" : ">%s",
        f->contexts.frames[at->frame].name);
    if (at->line)
        put(f, "@%d", at->line);
    if (at->remote)
        put(f, "*");
}

/* The tree: "a>b 2 30": called twice, 30 of its own. */
static void tree(struct fixture *f, const char *expected) {
    struct pinsight_context_links *links;

    pinsight_contexts_name(&f->contexts, &f->texts, ";");
    for (uint32_t i = 0; i < f->contexts.node_count; i++) {
        if (f->contexts.nodes[i].parent == PINSIGHT_NONE)
            continue;
        put_path(f, i);
        put(f, " %d %d\n", (int)f->contexts.nodes[i].calls, (int)f->contexts.nodes[i].self_ns);
    }
    assert_string_equal(f->told, expected);
    links = pinsight_contexts_links(&f->contexts);
    for (uint32_t i = 0; i < f->contexts.node_count; i++) {
        uint32_t count = 0, found = 0;

        for (uint32_t j = links[i].first; j != PINSIGHT_NONE; j = links[j].next, found++)
            assert_int_equal(f->contexts.nodes[j].parent, i);
        for (uint32_t j = 0; j < f->contexts.node_count; j++)
            count += f->contexts.nodes[j].parent == i;
        assert_int_equal(found, count);
    }
    free(links);
    pinsight_context_sums_make(&f->sums, &f->contexts);
}

static const struct pinsight_context_sum *sum(struct fixture *f, const char *name) {
    for (uint32_t i = 0; i < f->contexts.frame_count; i++)
        if (!strcmp(f->contexts.frames[i].name, name))
            return &f->sums.frames[f->contexts.frames[i].same];
    fail_msg("no %s", name);
    return NULL;
}

static void is(struct fixture *f, const char *name, int calls, int outermost, int self, int total,
               int threads) {
    const struct pinsight_context_sum *of = sum(f, name);
    int told[] = {(int)of->calls, (int)of->outermost, (int)of->self_ns, (int)of->total_ns,
                  (int)of->threads_ns};

    assert_memory_equal(told, ((int[]){calls, outermost, self, total, threads}), sizeof(told));
}

/* The only arc between two. */
static const struct pinsight_context_arc *arc(struct fixture *f, const char *caller,
                                              const char *callee) {
    const struct pinsight_context_arc *found = NULL;

    for (size_t i = 0; i < f->sums.arc_count; i++) {
        const struct pinsight_context_arc *at = &f->sums.arcs[i];
        const char *from = at->caller == PINSIGHT_NONE ? "" : f->contexts.frames[at->caller].name;

        if (strcmp(from, caller) || strcmp(f->contexts.frames[at->callee].name, callee))
            continue;
        assert_null(found);
        found = at;
    }
    assert_non_null(found);
    return found;
}

static void calls_add_up(void **state) {
    struct fixture *f = *state;

    play(f, 0, "+a@0 +b@10 -b@20 +b@30 -b@50 -a@60");
    play(f, 1, "+b@5 -b@6");
    tree(f, "a 1 30\na>b 2 30\nb 1 1\n");
    is(f, "a", 1, 1, 30, 60, 60);
    is(f, "b", 3, 3, 31, 31, 31);
    assert_int_equal(arc(f, "a", "b")->own_ns, 30);
    assert_int_equal(arc(f, "", "b")->sum.calls, 1);
    assert_int_equal(f->sums.self_ns, 61);
}

static void recursion_counts_once(void **state) {
    struct fixture *f = *state;

    play(f, 0, "+a@0 +a@10 +b@20 +a@30 -a@40 -b@50 -a@60 -a@70");
    tree(f, "a 1 20\na>a 1 20\na>a>b 1 20\na>a>b>a 1 10\n");
    is(f, "a", 3, 1, 50, 70, 70);
    is(f, "b", 1, 1, 20, 30, 30);
    /* As called by one: what is not within another such call. By all: what adds up to its total. */
    assert_int_equal(arc(f, "a", "a")->own_ns, 50);
    assert_int_equal(arc(f, "b", "a")->own_ns, 10);
    assert_int_equal(arc(f, "", "a")->sum.total_ns, 70);
    assert_int_equal(arc(f, "a", "a")->sum.total_ns, 0);
    assert_int_equal(arc(f, "b", "a")->sum.total_ns, 0);
    assert_int_equal(arc(f, "b", "a")->sum.outermost, 1);
}

static void deep_recursion(void **state) {
    struct fixture *f = *state;

    for (uint64_t i = 0; i < 20000; i++)
        begin(f, 0, "a", i);
    for (uint64_t i = 0; i < 20000; i++)
        end(f, 0, "a", 20000 + i);
    pinsight_contexts_name(&f->contexts, &f->texts, "");
    pinsight_context_sums_make(&f->sums, &f->contexts);
    is(f, "a", 20000, 1, 39999, 39999, 39999);
    assert_int_equal(f->contexts.node_count, 20001);
}

static void generators_are_called_once(void **state) {
    struct fixture *f = *state;
    uint32_t g = function(f, "g", 1);

    play(f, 0, "+a@0 +g@10 -g@20");
    pinsight_model_begin(f->threads[0], PINSIGHT_FUNCTION, g, PINSIGHT_HOW_RESUME, 30);
    play(f, 0, "-g@35");
    pinsight_model_begin(f->threads[0], PINSIGHT_FUNCTION, g, PINSIGHT_HOW_THROW, 40);
    play(f, 0, "-g@41 -a@50");
    tree(f, "a 1 34\na>g 1 16\n");
    is(f, "g", 1, 1, 16, 16, 16);
}

static void slices_that_are_cut(void **state) {
    struct fixture *f = *state;
    struct pinsight_slice marked = pinsight_slice_of(
        PINSIGHT_SLICE_MARKED, pinsight_strings_add(&f->model->strings, "step;", 5), 1);

    play(f, 0, "+a@0 +b@10");
    pinsight_slice_begin(f->threads[0], &marked, 20);
    play(f, 0, "+c@25 -a@40 +d@50");
    pinsight_model_touch(f->process, 60);
    pinsight_model_finish(f->model);
    tree(f, "a 1 10\na>b 1 10\na>b>step\\x3b 1 5\na>b>step\\x3b>c 1 15\nd 1 10\n");
    is(f, "a", 1, 1, 10, 40, 40);
}

static void parts_of_a_team(void **state) {
    struct fixture *f = *state;

    f->contexts.lines = true;
    play(f, 0, "+a@0");
    c_call(f, "dot", "a", 4, true, 5);
    region(f, PINSIGHT_NONE);
    c_call(f, "dot", "a", 4, false, 55);
    play(f, 0, "-a@60");
    tree(f, "a 1 10\na>dot@4 1 10\n"
            "a>dot@4>parallel at 0x10 1 9\n"
            "a>dot@4>parallel at 0x10>part: parallel at 0x10 1 10\n"
            "a>dot@4>parallel at 0x10>part: parallel at 0x10* 1 28\n"
            "a>dot@4>parallel at 0x10>part: parallel at 0x10>wait: implicit barrier 1 21\n"
            "a>dot@4>parallel at 0x10>part: parallel at 0x10*>wait: implicit barrier 1 10\n");
    is(f, "a", 1, 1, 10, 60, 98);
    is(f, "dot", 1, 1, 10, 50, 88);
    is(f, "parallel at 0x10", 1, 1, 9, 40, 78);
    is(f, "part: parallel at 0x10", 2, 2, 38, 69, 69);
    is(f, "wait: implicit barrier", 2, 2, 31, 31, 31);
    assert_int_equal(f->sums.self_ns, 98);
}

/* Python was not recorded: the path that the region names stands for it, in all threads. */
static void parts_beneath_a_path(void **state) {
    struct fixture *f = *state;
    uint32_t outer = pinsight_path_of(f->process, 1), inner = pinsight_path_of(f->process, 2);

    f->model->paths[outer] = (struct pinsight_path){function(f, "main", 1), PINSIGHT_NONE, 12};
    f->model->paths[inner] = (struct pinsight_path){function(f, "solve", 7), outer, 20};
    f->contexts.lines = true;
    f->contexts.by = PINSIGHT_CONTEXTS_BY_THREAD;
    region(f, inner);
    tree(f, "main 0 0\nmain>solve@12 0 0\n"
            "main>solve@12>parallel at 0x10@20 1 9\n"
            "main>solve@12>parallel at 0x10@20>part: parallel at 0x10 1 10\n"
            "main 0 0\nmain>solve@12 0 0\n"
            "main>solve@12>parallel at 0x10@20 0 0\n"
            "main>solve@12>parallel at 0x10@20>part: parallel at 0x10* 1 28\n"
            "main>solve@12>parallel at 0x10@20>part: parallel at 0x10>wait: implicit barrier 1 21\n"
            "main>solve@12>parallel at 0x10@20>part: parallel at 0x10*>wait: implicit barrier 1 "
            "10\n");
    assert_int_equal(f->contexts.root_count, 2);
    is(f, "solve", 0, 0, 0, 40, 78);
}

static void too_many_contexts(void **state) {
    struct fixture *f = *state;

    f->contexts.most = 3;
    play(f, 0, "+a@0 +b@10 +c@20 +d@30 -d@40 -c@50 -b@60 -a@70 +e@80 -e@81");
    tree(f, "a 1 20\na>b 1 50\ne 1 1\n");
    assert_int_equal(f->contexts.merged, 2);
    assert_int_equal(f->sums.self_ns, 71);
}

/* While the process stands still for its introspection nothing takes time, as in the report. */
static void pauses_are_left_out(void **state) {
    struct fixture *f = *state;

    play(f, 0, "+a@0 +b@10");
    pinsight_model_pause(f->process, 20, 120);
    play(f, 0, "-b@130 -a@140");
    tree(f, "a 1 20\na>b 1 20\n");
}

static void happen(struct fixture *f, int turn) {
    static const char *const names[] = {"a", "b", "c", "d"};
    int thread = rand() % 3;
    uint64_t ns = (uint64_t)(turn + rand() % 5), id = 1 + (uint64_t)(rand() % 3);
    bool begins = rand() % 5 < 3;

    switch (rand() % 5) {
    case 0:
    case 1:
        (begins ? begin : end)(f, thread, names[rand() % 4], ns);
        break;
    case 2:
        if (begins)
            pinsight_omp_region_begin(omp(f, thread), id, 1, pinsight_native_at(f->process, id),
                                      PINSIGHT_NONE, PINSIGHT_OMP_PARALLEL, ns);
        else
            pinsight_omp_region_end(omp(f, thread), id, ns);
        break;
    case 3:
        part_edge(omp(f, thread), begins, id, (uint32_t)thread, ns);
        break;
    default:
        pinsight_omp_sync(omp(f, thread), id, IMPLICIT, PINSIGHT_SYNC_IMPLICIT_PARALLEL, begins,
                          ns);
    }
}

/* Anything, in any order: each time is there once; all that call
 * something have, together, what it has. */
static void anything_adds_up(void **state) {
    struct fixture *f = *state;
    uint64_t all = 0;

    srand(11);
    f->contexts.most = 50000;
    for (int turn = 0; turn < 100000; turn++)
        happen(f, turn);
    pinsight_model_finish(f->model);
    pinsight_contexts_name(&f->contexts, &f->texts, "");
    pinsight_context_sums_make(&f->sums, &f->contexts);
    assert_true(f->contexts.node_count > 1000);
    for (uint32_t i = 0; i < f->contexts.frame_count; i++) {
        const struct pinsight_context_sum *of = &f->sums.frames[i];
        struct pinsight_context_sum sum = {0};

        assert_int_equal(f->contexts.frames[i].same, i);
        for (size_t j = 0; j < f->sums.arc_count; j++) {
            const struct pinsight_context_arc *at = &f->sums.arcs[j];

            if (at->callee != i)
                continue;
            sum.calls += at->sum.calls;
            sum.self_ns += at->sum.self_ns;
            sum.total_ns += at->sum.total_ns;
            sum.threads_ns += at->sum.threads_ns;
            assert_true(at->own_ns <= of->total_ns && at->sum.outermost <= at->sum.calls);
        }
        assert_int_equal(sum.calls, of->calls);
        assert_int_equal(sum.self_ns, of->self_ns);
        assert_int_equal(sum.total_ns, of->total_ns);
        assert_int_equal(sum.threads_ns, of->threads_ns);
        assert_true(of->self_ns <= of->total_ns && of->total_ns <= of->threads_ns);
        all += of->self_ns;
    }
    assert_int_equal(all, f->sums.self_ns);
}

static void names_are_on_one_line(void **state) {
    static const char *const names[][2] = {{"a;b", "a\\x3bb"},
                                           {"\xc3\xa4\n", "\xc3\xa4\\x0a"},
                                           {"\xff\xed\xa0\x80", "\\xff\\xed\\xa0\\x80"},
                                           {"\xe2\x80\xae", "\\xe2\\x80\\xae"},
                                           {"", ""}};

    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char *escaped = pinsight_escape(names[i][0], ";");

        assert_string_equal(escaped, names[i][1]);
        free(escaped);
    }
}

int main(void) {
    return RUN_TESTS_EACH(setup, teardown, calls_add_up, recursion_counts_once, deep_recursion,
                          generators_are_called_once, slices_that_are_cut, parts_of_a_team,
                          parts_beneath_a_path, too_many_contexts, pauses_are_left_out,
                          anything_adds_up, names_are_on_one_line);
}
