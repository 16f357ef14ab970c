/*
 * Random begins and ends of functions and calls of C, in any order, beside the rules of balance
 * (balance.h), written down here once more in the plainest way: every event, the order of them,
 * what was lost and dropped, and every count is compared.
 */
#include "engine_test.h"

#include "python_stub.h"

enum { FUNCTIONS = 5, CALLEES = 4, FRAMES = 6, SEQUENCES = 300, STEPS = 400, EVENTS = 20000 };

/* ---- the rules, plainly ---- */

enum event { BEGIN, END, C_BEGIN, C_END };

struct expected {
    enum event event;
    uint32_t id;
    int how;
    bool named; /* a call of C: the event names the caller, which is not the function around it */
};

struct open {
    void *frame;
    unsigned number; /* of the function or callee */
    unsigned caller; /* of a call of C: the function that makes it */
    bool is_c, counted, named;
    uint64_t start, children;
};

static struct {
    struct open stack[STEPS];
    unsigned depth;
    struct expected events[EVENTS];
    unsigned count;
    uint64_t lost, dropped;
    uint64_t calls[FUNCTIONS + CALLEES], inclusive[FUNCTIONS + CALLEES],
        exclusive[FUNCTIONS + CALLEES];
} rules;

static struct pinsight_python_thread *thread;
static struct pinsight_python_lexgion *lexgions[FUNCTIONS + CALLEES];
static uint64_t seed;

static uint32_t any(uint32_t limit) {
    return test_random(&seed, limit);
}

static void expect(enum event event, const struct open *of, int how) {
    assert_true(rules.count < EVENTS);
    rules.events[rules.count++] = (struct expected){
        .event = event, .id = lexgions[of->number]->state.id, .how = how, .named = of->named};
}

static bool is_of(const struct open *open, unsigned number) {
    return open->number == number || (open->is_c && open->caller == number);
}

/* Whether an execution of the same is around a counted one: another counted one, or a traced one
 * that a counted one is directly within. */
static bool is_nested(const struct open *top) {
    const struct open *around = &rules.stack[rules.depth];
    bool counted = true;
    while (around-- > rules.stack) {
        if (around->counted ? around->number == top->number : counted && is_of(around, top->number))
            return true;
        counted = around->counted;
    }
    return false;
}

/* What is on top ends the way it began. */
static void ends(int how) {
    struct open top = rules.stack[--rules.depth];
    uint64_t ticks = stub_clock - top.start;
    struct open *around = rules.depth > 0 ? &rules.stack[rules.depth - 1] : NULL;
    if (around && around->counted)
        around->children += ticks;
    if (!top.counted) {
        expect(top.is_c ? C_END : END, &top, how);
        return;
    }
    rules.inclusive[top.number] += is_nested(&top) ? 0 : ticks;
    rules.exclusive[top.number] += ticks - top.children;
}

static void lose(unsigned down_to) {
    while (rules.depth > down_to) {
        rules.lost++;
        ends(PINSIGHT_PYTHON_END_HOW_LOST);
    }
}

static void begins(unsigned number, unsigned caller, void *frame, bool is_c, int how,
                   bool counted) {
    if (rules.depth > 0) {
        const struct open *top = &rules.stack[rules.depth - 1];
        if (top->frame == frame && top->is_c == is_c)
            lose(rules.depth - 1);
    }
    const struct open *around = rules.depth > 0 ? &rules.stack[rules.depth - 1] : NULL;
    bool of_around = around && !around->counted && !around->is_c && around->number == caller;
    struct open *top = &rules.stack[rules.depth++];
    *top = (struct open){.frame = frame,
                         .number = number,
                         .caller = caller,
                         .is_c = is_c,
                         .counted = counted,
                         .named = is_c && !counted && !of_around,
                         .start = stub_clock};
    if (counted)
        rules.calls[number] += is_c || how == PINSIGHT_PYTHON_BEGIN_HOW_START;
    else
        expect(is_c ? C_BEGIN : BEGIN, top, is_c ? 0 : how);
}

/* The entry that ends: of a function the innermost execution of it in the frame; of a call of C the
 * one that is the frame's innermost. */
static unsigned find(unsigned number, const void *frame, bool is_c) {
    for (unsigned depth = rules.depth; depth > 0; depth--) {
        const struct open *open = &rules.stack[depth - 1];
        if (open->frame != frame)
            continue;
        if (is_c)
            return open->is_c ? depth : 0;
        if (!open->is_c && open->number == number)
            return depth;
    }
    return 0;
}

static void finishes(unsigned number, const void *frame, bool is_c, int how) {
    unsigned depth = find(number, frame, is_c);
    if (depth == 0) {
        rules.dropped++;
        return;
    }
    lose(depth);
    ends(how);
}

/* ---- the same by the domain ---- */

static void *frame_of(uint32_t number) {
    static void *frames[FRAMES];
    return &frames[number];
}

static bool counts_now(void) {
    return pinsight_domain_mode(&pinsight_python_domain) == PINSIGHT_MODE_MONITORING;
}

static void change_mode(void) {
    static const enum pinsight_mode modes[] = {PINSIGHT_MODE_TRACING, PINSIGHT_MODE_MONITORING,
                                               PINSIGHT_MODE_STANDBY};
    enum pinsight_mode mode = modes[any(3)];
    test_set_mode(&pinsight_python_domain, mode);
    pinsight_python_catch_up();
    if (mode != PINSIGHT_MODE_STANDBY)
        return;
    pinsight_stack_close_all();
    lose(0);
    test_set_mode(&pinsight_python_domain, PINSIGHT_MODE_TRACING);
    pinsight_python_catch_up();
}

static void step(void) {
    unsigned function = any(FUNCTIONS), callee = FUNCTIONS + any(CALLEES), caller = any(FUNCTIONS);
    void *frame = frame_of(any(FRAMES));
    int how = (int)any(3);
    stub_clock += any(1000);
    switch (any(20)) {
    case 0:
        change_mode();
        break;
    case 1:
    case 2:
    case 3:
    case 4:
    case 5:
    case 6:
        begins(function, 0, frame, false, how, counts_now());
        stub_begin(lexgions[function], frame, how);
        break;
    case 7:
    case 8:
    case 9:
    case 10:
        begins(callee, caller, frame, true, 0, counts_now());
        stub_c_begin(lexgions[caller], lexgions[callee], frame, 7);
        break;
    case 11:
    case 12:
    case 13:
        finishes(callee, frame, true, how % 2);
        stub_c_end(lexgions[caller], lexgions[callee], frame, how % 2);
        break;
    case 14: /* as a program does: what is on top */
    case 15:
    case 16:
        if (rules.depth > 0) {
            struct open top = rules.stack[rules.depth - 1];
            how = top.is_c ? how % 2 : how;
            finishes(top.number, top.frame, top.is_c, how);
            if (top.is_c)
                stub_c_end(lexgions[caller], lexgions[top.number], top.frame, how);
            else
                stub_end(lexgions[top.number], top.frame, how);
        }
        break;
    default:
        finishes(function, frame, false, how);
        stub_end(lexgions[function], frame, how);
    }
}

/* Returns a call of C of an event that names it. */
static bool as_named(const struct recorded *at, struct expected *event) {
    bool begins = recorder_is(at, "c_call_begin");
    if (!begins && !recorder_is(at, "c_call_end"))
        return false;
    *event = (struct expected){
        .event = begins ? C_BEGIN : C_END, .how = (int)recorder_field(at, "how"), .named = true};
    for (unsigned i = FUNCTIONS; i < FUNCTIONS + CALLEES; i++)
        if (recorder_field(at, "callee_name") == (uintptr_t)lexgions[i]->name)
            event->id = lexgions[i]->state.id;
    return true;
}

static bool as_event(const struct recorded *at, struct expected *event) {
    static const struct {
        const char *name, *field;
        enum event event;
    } names[] = {{"begin", "code_how", BEGIN},
                 {"end", "code_how", END},
                 {"c_begin", "callee_how", C_BEGIN},
                 {"c_end", "callee_how", C_END}};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        if (!recorder_is(at, names[i].name))
            continue;
        uint64_t value = recorder_field(at, names[i].field);
        *event = (struct expected){
            .event = names[i].event, .id = (uint32_t)(value >> 2), .how = (int)(value & 3)};
        assert_int_equal(recorder_field(at, "tid"), thread->tid);
        return true;
    }
    return false;
}

static void check_events(void) {
    unsigned count = 0;
    struct expected event;
    for (const struct recorded *at = NULL; (at = recorder_next(at, NULL));) {
        if (!as_event(at, &event) && !as_named(at, &event))
            continue;
        assert_true(count < rules.count);
        const struct expected *expected = &rules.events[count++];
        assert_int_equal(event.event, expected->event);
        assert_int_equal(event.id, expected->id);
        assert_int_equal(event.how, expected->how);
        assert_int_equal(event.named, expected->named);
    }
    assert_int_equal(count, rules.count);
}

static void check_counts(void) {
    uint64_t calls[FUNCTIONS + CALLEES] = {0}, inclusive[FUNCTIONS + CALLEES] = {0},
                               exclusive[FUNCTIONS + CALLEES] = {0};
    for (const struct recorded *at = NULL; (at = recorder_next(at, "lexgion_profile"));)
        for (unsigned i = 0; i < FUNCTIONS + CALLEES; i++)
            if (recorder_field(at, "name") == (uintptr_t)lexgions[i]->name) {
                calls[i] += recorder_field(at, "calls");
                inclusive[i] += recorder_field(at, "inclusive_ns");
                exclusive[i] += recorder_field(at, "exclusive_ns");
            }
    for (unsigned i = 0; i < FUNCTIONS + CALLEES; i++) {
        assert_int_equal(calls[i], rules.calls[i]);
        assert_int_equal(inclusive[i], rules.inclusive[i]);
        assert_int_equal(exclusive[i], rules.exclusive[i]);
    }
}

static void run(uint64_t first) {
    uint64_t lost = thread->engine.lost_frames, dropped = thread->engine.dropped_ends;
    seed = first;
    memset(&rules, 0, sizeof rules);
    recorder_clear();
    test_set_mode(&pinsight_python_domain, PINSIGHT_MODE_TRACING);
    stub_events(true, true, false, true);
    for (unsigned i = 0; i < FUNCTIONS + CALLEES; i++)
        lexgions[i] = stub_lexgion(i >= FUNCTIONS, "name", "module");
    for (unsigned i = 0; i < STEPS; i++)
        step();
    uint64_t under_way = thread->engine.under_way, before = rules.lost;
    pinsight_stack_close_all();
    lose(0);
    assert_int_equal(thread->engine.under_way - under_way, rules.lost - before);
    pinsight_engine_write_accounts(&pinsight_python.engine);
    check_events();
    check_counts();
    assert_int_equal(thread->engine.lost_frames - lost, rules.lost);
    assert_int_equal(thread->engine.dropped_ends - dropped, rules.dropped);
    assert_int_equal(test_last("domain_totals", "lost_frames"), thread->engine.lost_frames);
    assert_int_equal(test_last("domain_totals", "dropped_ends"), thread->engine.dropped_ends);
    for (unsigned i = 0; i < FUNCTIONS + CALLEES; i++) {
        assert_int_equal(lexgions[i]->state.in_flight, 0);
        pinsight_lexgion_retire(&pinsight_python.engine, &lexgions[i]->state);
    }
    pinsight_count_flush(&pinsight_python.engine);
}

static void any_order_is_balanced(void **state) {
    (void)state;
    for (uint64_t i = test_first_seed(), last = i + SEQUENCES; i < last; i++)
        run(i);
}

int main(void) {
    test_settings_start();
    thread = stub_start();
    if (!thread)
        return 1;
    int result = RUN_TESTS(any_order_is_balanced);
    free(thread->entries);
    test_settings_end();
    return result;
}
