/* Numbers of generators: each execution has one, which is its own, whatever the program does. */
#include "engine_test.h"
#include "tracer/python/generators.h"
#include "tracer/python/stack_suspend.h"

#include "python_stub.h"

enum { START, RESUME, THROW };
enum { RETURN, YIELD, UNWIND };
enum { FUNCTIONS = 3, FRAMES = 40, SEQUENCES = 50, STEPS = 2000 };

static struct pinsight_python_thread *thread;
static struct pinsight_python_lexgion *generators[FUNCTIONS], *plain, *c;
static void *frames[FRAMES];
#define FRAME(n) ((void *)&frames[n])

static int set_up(void **state) {
    (void)state;
    test_configure("");
    test_set_mode(&pinsight_python_domain, PINSIGHT_MODE_TRACING);
    stub_events(true, true, false, true);
    pinsight_python.generators = true;
    stub_started = true;
    stub_greenlets = false;
    for (unsigned i = 0; i < FUNCTIONS; i++) {
        generators[i] = stub_lexgion(false, "generator", "main");
        generators[i]->is_generator = true;
    }
    plain = stub_lexgion(false, "plain", "main");
    c = stub_lexgion(true, "c", "m");
    recorder_clear();
    return 0;
}

static int take_down(void **state) {
    (void)state;
    pinsight_stack_close_all();
    for (unsigned i = 0; i < FUNCTIONS; i++)
        pinsight_lexgion_retire(&pinsight_python.engine, &generators[i]->state);
    pinsight_lexgion_retire(&pinsight_python.engine, &plain->state);
    pinsight_lexgion_retire(&pinsight_python.engine, &c->state);
    pinsight_count_flush(&pinsight_python.engine);
    return 0;
}

static void configure(const char *text) {
    test_configure(text);
    pinsight_python_catch_up();
}

/* The number that was recorded since the last look, behind the begin of what it is of; 0:
 * none was. */
static uint32_t number(void) {
    const struct recorded *event = recorder_next(NULL, "generator"), *begin = NULL;
    uint32_t found = event ? (uint32_t)recorder_field(event, "generator") : 0;
    /* What a session that listens anew is told may be between them. */
    for (const struct recorded *at = NULL; event && (at = recorder_next(at, NULL)) != event;)
        begin = recorder_is(at, "begin") ? at : begin;
    if (event) {
        assert_non_null(begin);
        assert_int_equal(recorder_field(begin, "code_how") >> 2, recorder_field(event, "code"));
        assert_null(recorder_next(event, "generator"));
    }
    recorder_clear();
    return found;
}

/* A slice of an execution: its number. */
static uint32_t slice(unsigned function, unsigned frame, int begin, int end) {
    stub_begin(generators[function], FRAME(frame), begin);
    stub_end(generators[function], FRAME(frame), end);
    return number();
}

static void those_that_take_turns(void **state) {
    (void)state;
    uint32_t one = slice(0, 0, START, YIELD), other = slice(0, 1, START, YIELD);
    assert_true(one > 0 && other > one);
    assert_int_equal(slice(0, 1, RESUME, YIELD), other);
    assert_int_equal(slice(0, 0, RESUME, YIELD), one);
    assert_int_equal(slice(0, 0, THROW, YIELD), one);
    assert_int_equal(slice(0, 0, RESUME, RETURN), one);
    assert_int_equal(slice(0, 1, THROW, UNWIND), other);
    assert_false(pinsight_frames_any(generators[0]->paused));
}

static void what_is_no_generator_has_none(void **state) {
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        stub_begin(plain, FRAME(0), START);
        stub_c_begin(plain, c, FRAME(0), 3);
        stub_c_end(plain, c, FRAME(0), 0);
        stub_end(plain, FRAME(0), RETURN);
    }
    assert_int_equal(recorder_count("begin"), 2);
    assert_int_equal(number(), 0);
}

static void one_that_was_dropped_unseen(void **state) {
    (void)state;
    uint32_t dropped = slice(0, 0, START, YIELD), next = slice(0, 0, START, YIELD);
    assert_true(next > dropped);
    assert_int_equal(slice(0, 0, RESUME, YIELD), next);
    stub_started = false; /* the first that happens to it is an exception */
    assert_true(slice(0, 0, THROW, UNWIND) > next);
}

static void what_was_not_seen(void **state) {
    (void)state;
    uint32_t before = slice(0, 0, START, YIELD), after;
    pinsight_generators_forget();
    after = slice(0, 0, RESUME, YIELD);
    assert_true(after > before);
    assert_int_equal(slice(0, 0, RESUME, YIELD), after);
    assert_true(slice(0, 1, RESUME, YIELD) > after); /* its start was not seen */
}

static void switched_on_and_off(void **state) {
    (void)state;
    uint32_t before = slice(0, 0, START, YIELD);
    pinsight_python.generators = false;
    stub_events(true, true, false, true);
    assert_int_equal(slice(0, 0, RESUME, YIELD), 0);
    assert_int_equal(generators[0]->state.accept_version, pinsight_decision_version());
    assert_int_equal(slice(0, 0, RESUME, YIELD), 0);
    pinsight_python.generators = true;
    stub_events(true, true, false, true);
    assert_true(slice(0, 0, RESUME, YIELD) > before);
}

static void counted_ones_have_none(void **state) {
    (void)state;
    test_set_mode(&pinsight_python_domain, PINSIGHT_MODE_MONITORING);
    assert_int_equal(slice(0, 0, START, YIELD), 0);
    assert_int_equal(slice(0, 0, RESUME, RETURN), 0);
    pinsight_count_flush(&pinsight_python.engine);
    assert_int_equal(test_sum("lexgion_profile", "calls"), 1);
}

static void in_a_window(void **state) {
    (void)state;
    configure("[Lexgion(Python:f.py:generator)]\ntracing_rate = 2\n");
    uint32_t one = slice(0, 0, START, YIELD);
    assert_true(one > 0);
    assert_int_equal(slice(0, 1, START, YIELD), 0);
    assert_int_equal(slice(0, 1, RESUME, YIELD), 0);
    assert_int_equal(slice(0, 0, RESUME, YIELD), one);
    assert_int_equal(slice(0, 1, RESUME, RETURN), 0);
    assert_int_equal(slice(0, 0, RESUME, RETURN), one);
}

/* In a greenlet that waits, and whose switch is seen or not. */
static void in_a_greenlet(void **state) {
    (void)state;
    for (unsigned seen = 0; seen < 2; seen++) {
        stub_greenlets = true;
        stub_begin(plain, FRAME(0), START);
        stub_c_begin(plain, c, FRAME(0), 3);
        stub_begin(generators[0], FRAME(1), START);
        uint32_t own = number(), other;
        stub_c_begin(generators[0], c, FRAME(1), 4); /* it switches */
        struct pinsight_suspended_stack *suspended = NULL;
        if (seen)
            suspended = pinsight_stack_suspend(thread);
        else
            stub_c_end(plain, c, FRAME(0), 0);
        other = slice(0, 2, START, YIELD);
        assert_true(other > own);
        if (seen)
            pinsight_stack_resume(thread, suspended);
        stub_c_end(generators[0], c, FRAME(1), 0);
        assert_int_equal(number(), own);
        stub_end(generators[0], FRAME(1), YIELD);
        assert_int_equal(slice(0, 1, RESUME, RETURN), own);
        assert_int_equal(slice(0, 2, RESUME, RETURN), other);
        pinsight_stack_close_all();
        pinsight_stack_drop_suspended(thread);
    }
}

static void names_in_the_events(void **state) {
    (void)state;
    stub_events(true, true, false, false);
    stub_begin(generators[0], FRAME(0), START);
    assert_int_equal(recorder_count("function_begin"), 1);
    assert_int_equal(recorder_count("generator"), 1);
    assert_int_equal(recorder_field(recorder_next(NULL, "generator"), "code"),
                     generators[0]->state.id);
}

/* ---- in any order ---- */

static struct {
    int function; /* less than 0: nothing waits there */
    uint32_t number;
    bool is_known;
} waiting[FRAMES];
static uint64_t seed;
static uint32_t newest;

static uint32_t any(uint32_t limit) {
    return test_random(&seed, limit);
}

static void check(uint32_t found, unsigned frame, bool is_new) {
    if (is_new)
        assert_true(found > newest);
    else
        assert_int_equal(found, waiting[frame].number);
    newest = found > newest ? found : newest;
    waiting[frame].number = found;
    waiting[frame].is_known = true;
}

static void step(void) {
    unsigned frame = any(FRAMES);
    bool starts = waiting[frame].function < 0, is_new = starts || !waiting[frame].is_known;
    int begin = starts ? START : any(10) ? RESUME : THROW;
    int end = any(4) ? YIELD : any(2) ? RETURN : UNWIND;
    switch (any(100)) {
    case 0:
        pinsight_generators_forget();
        for (unsigned i = 0; i < FRAMES; i++)
            waiting[i].is_known = false;
        return;
    case 1:
        pinsight_session_version_next();
        return;
    case 2:
    case 3:
    case 4:
        waiting[frame].function = -1; /* dropped, and nothing is told of it */
        return;
    default:
        break;
    }
    stub_started = !starts || any(10);
    if (starts) {
        waiting[frame].function = (int)any(FUNCTIONS);
        begin = stub_started ? START : THROW;
    }
    check(slice((unsigned)waiting[frame].function, frame, begin, end), frame, is_new);
    if (end != YIELD)
        waiting[frame].function = -1;
}

static void any_order(void **state) {
    (void)state;
    newest = 0;
    for (uint64_t i = test_first_seed(), last = i + SEQUENCES; i < last; i++) {
        seed = i;
        pinsight_generators_forget();
        for (unsigned frame = 0; frame < FRAMES; frame++)
            waiting[frame].function = -1;
        for (unsigned n = 0; n < STEPS; n++)
            step();
    }
}

int main(void) {
    test_settings_start();
    thread = stub_start();
    if (!thread)
        return 1;
    int result = RUN_TESTS_EACH(set_up, take_down, those_that_take_turns,
                                what_is_no_generator_has_none, one_that_was_dropped_unseen,
                                what_was_not_seen, switched_on_and_off, counted_ones_have_none,
                                in_a_window, in_a_greenlet, names_in_the_events, any_order);
    free(thread->entries);
    pinsight_stack_suspended_free(thread);
    test_settings_end();
    return result;
}
