/* The balance of begins and ends, case by case: what a program may do, and what is in the trace
 * then. The events are written as one line: b begin, e end, c and d of calls of C, with the
 * lexgion's letter and how it begins or ends; i and j are imports. */
#include "engine_test.h"
#include "tracer/python/stack_suspend.h"

#include "python_stub.h"

enum { START, RESUME, THROW };
enum { RETURN, YIELD, UNWIND, LOST };

static struct pinsight_python_thread *thread;
static struct pinsight_python_lexgion *f, *g, *generator, *c, *d;
static void *frames[8];
#define FRAME(n) ((void *)&frames[n])

static char letter_of(uint32_t id, bool is_c) {
    const struct {
        const struct pinsight_python_lexgion *lexgion;
        char letter;
    } all[] = {{f, 'f'}, {g, 'g'}, {generator, 'n'}, {c, 'c'}, {d, 'd'}};
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].lexgion && all[i].lexgion->state.id == id && all[i].lexgion->is_c == is_c)
            return all[i].letter;
    return '?';
}

/* The same, for a text that an event has. */
static char letter_named(uint64_t name) {
    const struct pinsight_python_lexgion *all[] = {f, g, generator, c, d};
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i] && (uintptr_t)all[i]->name == name)
            return "fgncd"[i];
    return '?';
}

/* The events since the last look, as text. C and D: a call of C that names its caller, too. */
static const char *events(void) {
    static char text[4096];
    char *at = text;
    for (const struct recorded *event = NULL; (event = recorder_next(event, NULL));) {
        bool begin = recorder_is(event, "begin"), end = recorder_is(event, "end");
        bool c_begin = recorder_is(event, "c_begin"), c_end = recorder_is(event, "c_end");
        if (recorder_is(event, "import_begin") || recorder_is(event, "import_end")) {
            *at++ = recorder_is(event, "import_begin") ? 'i' : 'j';
            *at++ = ' ';
        }
        bool named = recorder_is(event, "c_call_begin");
        if (named || recorder_is(event, "c_call_end"))
            at += sprintf(at, "%c%c%c%d ", named ? 'C' : 'D',
                          letter_named(recorder_field(event, "callee_name")),
                          letter_named(recorder_field(event, "caller_qualname")),
                          (int)recorder_field(event, "how"));
        if (!begin && !end && !c_begin && !c_end)
            continue;
        uint64_t value = recorder_field(event, begin || end ? "code_how" : "callee_how");
        at += sprintf(at, "%c%c%d ",
                      begin     ? 'b'
                      : end     ? 'e'
                      : c_begin ? 'c'
                                : 'd',
                      letter_of((uint32_t)(value >> 2), c_begin || c_end), (int)(value & 3));
    }
    *at = '\0';
    recorder_clear();
    return text;
}

static uint64_t lost, dropped, outside;

static int set_up(void **state) {
    (void)state;
    test_configure("");
    test_set_mode(&pinsight_python_domain, PINSIGHT_MODE_TRACING);
    pinsight_python.has_modules = pinsight_python.some_functions = pinsight_python.some_c_calls =
        false;
    stub_events(true, true, false, true);
    stub_greenlets = thread->is_out_of_range = thread->was_out_of_range = false;
    thread->inherited = 0;
    f = stub_lexgion(false, "f", "main");
    g = stub_lexgion(false, "g", "main");
    generator = stub_lexgion(false, "generator", "main");
    generator->is_generator = true;
    c = stub_lexgion(true, "c", "m");
    d = stub_lexgion(true, "d", "m");
    recorder_clear();
    lost = thread->engine.lost_frames;
    dropped = thread->engine.dropped_ends;
    outside = thread->engine.outside;
    return 0;
}

static int take_down(void **state) {
    struct pinsight_python_lexgion *all[] = {f, g, generator, c, d};
    (void)state;
    pinsight_stack_close_all();
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
        if (all[i]->state.in_flight != 0)
            return -1;
        pinsight_lexgion_retire(&pinsight_python.engine, &all[i]->state);
    }
    pinsight_count_flush(&pinsight_python.engine);
    return 0;
}

static void configure(const char *text) {
    test_configure(text);
    pinsight_python_catch_up();
}

#define EXPECT(text) assert_string_equal(events(), text)
#define EXPECT_TOTALS(lost_ones, dropped_ones, outside_ones)                                       \
    do {                                                                                           \
        assert_int_equal(thread->engine.lost_frames - lost, lost_ones);                            \
        assert_int_equal(thread->engine.dropped_ends - dropped, dropped_ones);                     \
        assert_int_equal(thread->engine.outside - outside, outside_ones);                          \
    } while (0)

/* ---- programs ---- */

static void calls_and_recursion(void **state) {
    (void)state;
    stub_begin(f, FRAME(0), START);
    stub_begin(f, FRAME(1), START);
    stub_c_begin(f, c, FRAME(1), 3);
    stub_c_end(f, c, FRAME(1), 0);
    stub_end(f, FRAME(1), RETURN);
    stub_end(f, FRAME(0), UNWIND);
    EXPECT("bf0 bf0 cc0 dc0 ef0 ef2 ");
    EXPECT_TOTALS(0, 0, 0);
}

static void an_exception_ends_what_it_leaves(void **state) {
    (void)state;
    stub_begin(f, FRAME(0), START);
    stub_begin(g, FRAME(1), START);
    stub_c_begin(g, c, FRAME(1), 3);
    stub_end(f, FRAME(0), UNWIND); /* of g and c nothing is told */
    EXPECT("bf0 bg0 cc0 dc3 eg3 ef2 ");
    EXPECT_TOTALS(2, 0, 0);
}

static void a_frame_is_used_again(void **state) {
    (void)state;
    stub_begin(f, FRAME(0), START);
    stub_begin(g, FRAME(1), START);
    stub_begin(f, FRAME(1), START);
    stub_end(f, FRAME(1), RETURN);
    stub_end(f, FRAME(0), RETURN);
    EXPECT("bf0 bg0 eg3 bf0 ef0 ef0 ");
    EXPECT_TOTALS(1, 0, 0);
}

static void ends_without_begins(void **state) {
    (void)state;
    stub_end(f, FRAME(0), RETURN);
    stub_c_end(f, c, FRAME(0), 0);
    EXPECT("");
    EXPECT_TOTALS(0, 2, 0);
    thread->inherited = 1;
    stub_end(f, FRAME(0), RETURN); /* the parent's */
    EXPECT_TOTALS(0, 2, 0);
    stub_end(f, FRAME(0), RETURN);
    EXPECT_TOTALS(0, 3, 0);
    thread->was_out_of_range = true;
    stub_end(f, FRAME(0), RETURN);
    EXPECT_TOTALS(0, 3, 0);
}

static void a_call_of_c_belongs_to_its_frame(void **state) {
    (void)state;
    stub_begin(f, FRAME(0), START);
    stub_c_begin(f, c, FRAME(0), 3);
    stub_begin(g, FRAME(1), START); /* called back from C */
    stub_c_end(g, c, FRAME(1), 0);  /* of no call that g began */
    stub_end(g, FRAME(1), RETURN);
    stub_c_end(f, c, FRAME(0), 1);
    stub_end(f, FRAME(0), RETURN);
    EXPECT("bf0 cc0 bg0 eg0 dc1 ef0 ");
    EXPECT_TOTALS(0, 1, 0);
}

static void a_change_of_mode_within(void **state) {
    (void)state;
    stub_begin(f, FRAME(0), START);
    test_set_mode(&pinsight_python_domain, PINSIGHT_MODE_MONITORING);
    stub_begin(g, FRAME(1), START);
    stub_c_begin(g, c, FRAME(1), 3);
    test_set_mode(&pinsight_python_domain, PINSIGHT_MODE_TRACING);
    stub_c_end(g, c, FRAME(1), 0);
    stub_end(g, FRAME(1), RETURN);
    stub_end(f, FRAME(0), RETURN);
    EXPECT("bf0 ef0 ");
    EXPECT_TOTALS(0, 0, 0);
    pinsight_count_flush(&pinsight_python.engine);
    assert_int_equal(test_sum("lexgion_profile", "calls"), 2);
}

static void inline_events_name_what_they_are_of(void **state) {
    (void)state;
    stub_events(true, true, false, false);
    stub_begin(f, FRAME(0), START);
    stub_c_begin(f, c, FRAME(0), 33);
    stub_end(f, FRAME(0), UNWIND);
    const struct recorded *begin = recorder_next(NULL, "c_call_begin");
    const struct recorded *end = recorder_next(NULL, "c_call_end");
    assert_non_null(begin);
    assert_non_null(end);
    assert_int_equal(recorder_field(begin, "caller_lineno"), 33);
    assert_int_equal(recorder_field(end, "caller_lineno"), 33);
    assert_int_equal(recorder_field(begin, "callee_name"), (uintptr_t)c->name);
    assert_int_equal(recorder_field(end, "how"), LOST);
    end = recorder_next(NULL, "function_end");
    assert_int_equal(recorder_field(end, "code_id"), f->code_id);
    assert_int_equal(recorder_field(end, "how"), UNWIND);
}

static void nobody_reads_the_buffers(void **state) {
    (void)state;
    stub_begin(f, FRAME(0), START);
    stub_begin(g, FRAME(1), START);
    atomic_store(&pinsight_process.stuck, true);
    pinsight_stack_close_all();
    atomic_store(&pinsight_process.stuck, false);
    EXPECT("bf0 bg0 ");
    EXPECT_TOTALS(2, 0, 0);
}

static void a_deep_stack(void **state) {
    enum { DEEP = 5000 };
    static char deep[DEEP];
    (void)state;
    for (unsigned i = 0; i < DEEP; i++)
        stub_begin(f, &deep[i], START);
    for (unsigned i = DEEP; i-- > 0;)
        stub_end(f, &deep[i], RETURN);
    assert_int_equal(recorder_count("begin"), DEEP);
    assert_int_equal(recorder_count("end"), DEEP);
    EXPECT_TOTALS(0, 0, 0);
}

static void definitions_come_before(void **state) {
    (void)state;
    stub_begin(f, FRAME(0), START);
    stub_c_begin(f, c, FRAME(0), 3);
    stub_c_end(f, c, FRAME(0), 0);
    stub_end(f, FRAME(0), RETURN);
    stub_begin(f, FRAME(0), START);
    assert_int_equal(recorder_count("code_info"), 1);
    assert_int_equal(recorder_count("callee_info"), 1);
    const struct recorded *first = recorder_next(NULL, NULL);
    assert_true(recorder_is(first, "code_info"));
    pinsight_session_version_next();
    stub_c_begin(f, d, FRAME(0), 3); /* f too is used: as the caller */
    assert_int_equal(recorder_count("code_info"), 2);
    assert_int_equal(recorder_count("callee_info"), 2);
}

/* ---- windows ---- */

static void a_window_of_functions(void **state) {
    (void)state;
    configure(
        "[Lexgion(Python:f.py:f)]\ntrace_starts_at = 1\ntracing_rate = 2\nmax_num_traces = 2\n");
    for (unsigned i = 0; i < 7; i++) {
        stub_begin(f, FRAME(0), START);
        stub_end(f, FRAME(0), RETURN);
    }
    assert_int_equal(recorder_count("window_end"), 1);
    assert_int_equal(test_last("window_end", "executions"), 4);
    assert_int_equal(test_last("window_end", "recorded"), 2);
    EXPECT("bf0 ef0 bf0 ef0 ");
    EXPECT_TOTALS(0, 0, 5);
}

static void an_end_outside_of_a_window_is_no_other_executions(void **state) {
    (void)state;
    configure("[Lexgion(Python:f.py:f)]\ntracing_rate = 2\n");
    stub_begin(f, FRAME(0), START);
    stub_begin(f, FRAME(1), START); /* not recorded */
    stub_c_begin(f, c, FRAME(1), 3);
    stub_c_end(f, c, FRAME(1), 0);
    stub_end(f, FRAME(1), RETURN);
    stub_begin(f, FRAME(2), START);
    stub_end(f, FRAME(0), UNWIND);
    EXPECT("bf0 Ccf0 Dcf0 bf0 ef3 ef2 ");
    EXPECT_TOTALS(1, 0, 1);
}

static void the_last_execution_ends_the_window(void **state) {
    (void)state;
    configure("[Lexgion(Python:f.py:f)]\nmax_num_traces = 1\ntrace_mode_after = MONITORING\n");
    stub_begin(f, FRAME(0), START);
    stub_begin(f, FRAME(1), START); /* past it already: counted */
    stub_end(f, FRAME(1), RETURN);
    assert_int_equal(recorder_count("window_end"), 0);
    stub_end(f, FRAME(0), RETURN);
    assert_int_equal(recorder_count("window_end"), 1);
    pinsight_count_flush(&pinsight_python.engine);
    assert_int_equal(test_sum("lexgion_profile", "calls"), 1);
    EXPECT("bf0 ef0 ");
    EXPECT_TOTALS(0, 0, 0); /* what is counted is not outside */
}

static void a_lost_last_execution_ends_it_too(void **state) {
    (void)state;
    configure("[Lexgion.Python]\nmax_num_traces = 1\n");
    stub_begin(f, FRAME(0), START);
    stub_c_begin(f, c, FRAME(0), 3);
    pinsight_stack_close_all();
    assert_int_equal(recorder_count("window_end"), 2);
    EXPECT("bf0 cc0 dc3 ef3 ");
}

static void nothing_is_wanted_past_a_window(void **state) {
    (void)state;
    configure("[Lexgion(Python:f.py:f)]\nmax_num_traces = 0\n");
    assert_true(stub_begin(f, FRAME(0), START)); /* the interpreter need not tell of it */
    assert_false(pinsight_lexgion_selects(g));
    assert_true(pinsight_lexgion_is_done(f));
    stub_end(f, FRAME(0), UNWIND);
    EXPECT_TOTALS(0, 0, 1);
    configure("");
    assert_false(stub_begin(f, FRAME(0), START));
    stub_end(f, FRAME(0), RETURN);
    EXPECT("bf0 ef0 ");
}

static void a_generator_goes_on_as_it_started(void **state) {
    (void)state;
    configure("[Lexgion(Python:f.py:generator)]\nmax_num_traces = 2\n");
    for (unsigned i = 0; i < 3; i++) {
        stub_begin(generator, FRAME(i), START);
        stub_end(generator, FRAME(i), YIELD);
    }
    for (unsigned i = 0; i < 3; i++) {
        stub_begin(generator, FRAME(i), RESUME);
        stub_end(generator, FRAME(i), i ? RETURN : YIELD);
    }
    stub_begin(generator, FRAME(1), RESUME); /* another one in the frame of one that returned */
    stub_end(generator, FRAME(1), RETURN);
    EXPECT("bn0 en1 bn0 en1 bn1 en1 bn1 en0 ");
    stub_begin(generator, FRAME(0), THROW);
    stub_end(generator, FRAME(0), UNWIND);
    EXPECT("bn2 en2 ");
    EXPECT_TOTALS(0, 0, 1);
}

static void calls_of_c_past_their_window(void **state) {
    (void)state;
    configure("[Lexgion(Python:c:c)]\nmax_num_traces = 1\n");
    stub_begin(f, FRAME(0), START);
    for (unsigned i = 0; i < 3; i++) {
        stub_c_begin(f, c, FRAME(0), 3);
        stub_c_end(f, c, FRAME(0), 0);
    }
    stub_c_begin(f, d, FRAME(0), 4);
    stub_c_end(f, d, FRAME(0), 0);
    EXPECT("bf0 cc0 dc0 cd0 dd0 ");
    EXPECT_TOTALS(0, 0, 2);
}

/* ---- what is more than a function ---- */

static void filtered_code(void **state) {
    (void)state;
    struct pinsight_python_lexgion *out = stub_lexgion(false, "out", "nobody");
    struct pinsight_python_lexgion *own = stub_lexgion(false, "own", "pinsight.regions");
    pinsight_python.has_modules = true;
    configure("");
    assert_true(stub_begin(out, FRAME(0), START));
    assert_true(stub_begin(own, FRAME(1), START));
    stub_end(own, FRAME(1), RETURN);
    stub_end(out, FRAME(0), RETURN);
    EXPECT("");
    EXPECT_TOTALS(0, 0, 0);
    assert_int_equal(recorder_count("code_info"), 0);
    pinsight_python.has_modules = false;
    configure("");
    stub_end(out, FRAME(0), RETURN); /* some of its ends have no begin */
    EXPECT_TOTALS(0, 0, 0);
    pinsight_lexgion_retire(&pinsight_python.engine, &out->state);
    pinsight_lexgion_retire(&pinsight_python.engine, &own->state);
}

static void counted_code_is_filtered_later(void **state) {
    (void)state;
    struct pinsight_python_lexgion *out = stub_lexgion(false, "out", "nobody");
    configure("[Python]\ntrace_mode = MONITORING\n");
    for (unsigned i = 0; i < 2; i++) {
        stub_begin(out, FRAME(0), START);
        stub_end(out, FRAME(0), RETURN);
    }
    pinsight_python.has_modules = true;
    configure("[Python]\ntrace_mode = MONITORING\n");
    stub_begin(out, FRAME(0), START);
    stub_end(out, FRAME(0), RETURN);
    pinsight_count_flush(&pinsight_python.engine);
    assert_int_equal(test_sum("lexgion_profile", "calls"), 2);
    pinsight_lexgion_retire(&pinsight_python.engine, &out->state);
}

static struct pinsight_python_lexgion *find_and_load(void) {
    return pinsight_lexgion_new(false, strdup("_find_and_load"),
                                strdup("<frozen importlib._bootstrap>"), strdup("importlib"), 1);
}

static void imports_alone(void **state) {
    (void)state;
    struct pinsight_python_lexgion *import = find_and_load();
    stub_events(false, false, true, true);
    for (unsigned i = 0; i < 2; i++) {
        assert_false(stub_begin(import, FRAME(0), START));
        assert_true(stub_begin(f, FRAME(1), START));
        stub_end(import, FRAME(0), RETURN);
    }
    EXPECT("i j i j ");
    stub_begin(import, FRAME(0), START);
    pinsight_stack_close_all();
    EXPECT("i j ");
    EXPECT_TOTALS(0, 0, 0);
    pinsight_lexgion_retire(&pinsight_python.engine, &import->state);
}

static void imports_and_functions(void **state) {
    (void)state;
    struct pinsight_python_lexgion *import = find_and_load();
    stub_events(true, false, true, true);
    stub_begin(import, FRAME(0), START);
    stub_begin(f, FRAME(1), START);
    stub_end(import, FRAME(0), UNWIND);
    EXPECT("i b?0 bf0 ef3 e?2 j ");
    pinsight_lexgion_retire(&pinsight_python.engine, &import->state);
}

static void calls_that_do_not_come_back(void **state) {
    (void)state;
    struct pinsight_python_lexgion *leave = stub_lexgion(true, "posix._exit", "posix");
    unsigned before = stub_left;
    stub_begin(f, FRAME(0), START);
    for (unsigned i = 0; i < 2; i++) {
        stub_c_begin(f, leave, FRAME(0), 3);
        stub_c_end(f, leave, FRAME(0), 1);
    }
    assert_int_equal(stub_left - before, 2);
    stub_end(f, FRAME(0), RETURN);
    EXPECT("bf0 c?0 d?1 c?0 d?1 ef0 ");
    pinsight_lexgion_retire(&pinsight_python.engine, &leave->state);
}

static void greenlets_come_back(void **state) {
    (void)state;
    stub_greenlets = true;
    stub_begin(f, FRAME(0), START);
    stub_c_begin(f, c, FRAME(0), 3); /* switches to a greenlet */
    stub_begin(g, FRAME(1), START);
    stub_c_begin(g, d, FRAME(1), 4); /* which switches back */
    stub_c_end(f, c, FRAME(0), 0);
    EXPECT("bf0 cc0 bg0 cd0 dd2 eg1 dc0 ");
    stub_c_begin(f, c, FRAME(0), 5); /* and there again */
    stub_c_end(g, d, FRAME(1), 0);
    stub_end(g, FRAME(1), RETURN);
    stub_c_end(f, c, FRAME(0), 0);
    stub_end(f, FRAME(0), RETURN);
    EXPECT("cc0 bg1 cd1 dd0 eg0 dc0 ef0 ");
    EXPECT_TOTALS(0, 0, 0);
    assert_int_equal(thread->suspended_count, 0);
}

static unsigned freed;

static void count_and_free(struct pinsight_lexgion *lexgion) {
    freed++;
    pinsight_python_lexgion_free(lexgion);
}

static void code_goes_while_it_runs(void **state) {
    (void)state;
    struct pinsight_python_lexgion *gone = stub_lexgion(false, "gone", "main");
    struct pinsight_python_lexgion *caller = stub_lexgion(false, "caller", "main");
    pinsight_python.engine.free = count_and_free;
    freed = 0;
    stub_begin(f, FRAME(0), START);
    stub_begin(gone, FRAME(1), START);
    stub_c_begin(caller, c, FRAME(1), 3);
    pinsight_lexgion_retire(&pinsight_python.engine, &gone->state);
    pinsight_lexgion_retire(&pinsight_python.engine, &caller->state);
    assert_int_equal(freed, 0);
    stub_end(f, FRAME(0), UNWIND);
    assert_int_equal(freed, 2);
    pinsight_python.engine.free = pinsight_python_lexgion_free;
}

static void counted_code_goes_while_it_runs(void **state) {
    (void)state;
    struct pinsight_python_lexgion *gone = stub_lexgion(false, "gone", "main");
    test_set_mode(&pinsight_python_domain, PINSIGHT_MODE_MONITORING);
    stub_begin(f, FRAME(0), START);
    stub_begin(gone, FRAME(1), START);
    pinsight_lexgion_retire(&pinsight_python.engine, &gone->state);
    assert_int_equal(gone->state.in_flight, 1); /* it is there still */
    stub_end(f, FRAME(0), UNWIND);
    pinsight_count_flush(&pinsight_python.engine); /* frees it, and names it before */
    assert_int_equal(test_sum("lexgion_profile", "calls"), 2);
    test_set_mode(&pinsight_python_domain, PINSIGHT_MODE_TRACING);
}

int main(void) {
    test_settings_start();
    thread = stub_start();
    if (!thread)
        return 1;
    int result = RUN_TESTS_EACH(
        set_up, take_down, calls_and_recursion, an_exception_ends_what_it_leaves,
        a_frame_is_used_again, ends_without_begins, a_call_of_c_belongs_to_its_frame,
        a_change_of_mode_within, inline_events_name_what_they_are_of, nobody_reads_the_buffers,
        a_deep_stack, definitions_come_before, a_window_of_functions,
        an_end_outside_of_a_window_is_no_other_executions, the_last_execution_ends_the_window,
        a_lost_last_execution_ends_it_too, nothing_is_wanted_past_a_window,
        a_generator_goes_on_as_it_started, calls_of_c_past_their_window, filtered_code,
        counted_code_is_filtered_later, imports_alone, imports_and_functions,
        calls_that_do_not_come_back, greenlets_come_back, code_goes_while_it_runs,
        counted_code_goes_while_it_runs);
    free(thread->entries);
    pinsight_stack_suspended_free(thread);
    test_settings_end();
    return result;
}
