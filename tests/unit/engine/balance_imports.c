/* Imports within the balance: whether a thread is within one, whatever the program does. The events
 * are written as one line: i and j begin and end an import, b and e a function. */
#include "engine_test.h"
#include "tracer/python/importing.h"
#include "tracer/python/stack_suspend.h"

#include "python_stub.h"

enum { START };
enum { RETURN, YIELD, UNWIND };

static struct pinsight_python_thread *thread;
static struct pinsight_python_lexgion *f, *import;
static void *frames[8];
#define FRAME(n) ((void *)&frames[n])

static const char *events(void) {
    static const struct {
        const char *name;
        char letter;
    } all[] = {{"import_begin", 'i'}, {"import_end", 'j'}, {"begin", 'b'}, {"end", 'e'}};
    static char text[64];
    size_t length = 0;

    for (const struct recorded *event = NULL; (event = recorder_next(event, NULL));)
        for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
            if (recorder_is(event, all[i].name) && length < sizeof text - 1)
                text[length++] = all[i].letter;
    text[length] = '\0';
    recorder_clear();
    return text;
}

static int set_up(void **state) {
    (void)state;
    test_configure("");
    test_set_mode(&pinsight_python_domain, PINSIGHT_MODE_TRACING);
    stub_events(true, true, true, true);
    pinsight_python.imports_apart = true;
    pinsight_python.imported = 1;
    f = stub_lexgion(false, "f", "main");
    import = pinsight_lexgion_new(false, strdup("_find_and_load"),
                                  strdup("<frozen importlib._bootstrap>"), strdup("importlib"), 1);
    recorder_clear();
    return import ? 0 : -1;
}

static int take_down(void **state) {
    (void)state;
    pinsight_stack_close_all();
    if (f->state.in_flight || import->state.in_flight || thread->import_frame ||
        thread->is_excluded)
        return -1;
    pinsight_lexgion_retire(&pinsight_python.engine, &f->state);
    pinsight_lexgion_retire(&pinsight_python.engine, &import->state);
    stub_greenlets = false;
    return 0;
}

#define EXPECT(text, frame)                                                                        \
    do {                                                                                           \
        assert_string_equal(events(), text);                                                       \
        assert_ptr_equal(thread->import_frame, frame);                                             \
        assert_int_equal(thread->is_excluded, (frame) != NULL);                                    \
        assert_int_equal(thread->fast_room, (frame) ? 0 : thread->room);                           \
    } while (0)

static void nested(void **state) {
    (void)state;
    stub_begin(f, FRAME(0), START);
    stub_begin(import, FRAME(1), START);
    EXPECT("bi", FRAME(1)); /* importlib itself is not recorded */
    stub_begin(import, FRAME(2), START);
    EXPECT("i", FRAME(2));
    stub_end(import, FRAME(2), UNWIND);
    EXPECT("j", FRAME(1));
    stub_end(import, FRAME(1), RETURN);
    EXPECT("j", NULL);
    stub_end(f, FRAME(0), RETURN);
    EXPECT("e", NULL);
}

static void whose_end_is_not_seen(void **state) {
    (void)state;
    stub_begin(f, FRAME(0), START);
    stub_begin(import, FRAME(1), START);
    stub_end(f, FRAME(0), UNWIND);
    EXPECT("bije", NULL);
    stub_begin(import, FRAME(1), START);
    stub_begin(import, FRAME(1), START); /* the frame is used again */
    EXPECT("iji", FRAME(1));
}

static void with_everything_recorded(void **state) {
    (void)state;
    pinsight_python.imports_apart = false;
    stub_begin(import, FRAME(1), START);
    EXPECT("ib", NULL);
    stub_end(import, FRAME(1), RETURN);
    EXPECT("ej", NULL);
}

static void of_a_greenlet(void **state) {
    (void)state;
    stub_begin(f, FRAME(0), START);
    stub_begin(import, FRAME(1), START);
    EXPECT("bi", FRAME(1));
    struct pinsight_suspended_stack *suspended = pinsight_stack_suspend(thread);
    EXPECT("je", NULL);
    stub_begin(f, FRAME(2), START);
    stub_end(f, FRAME(2), RETURN);
    EXPECT("be", NULL);
    pinsight_stack_resume(thread, suspended);
    EXPECT("bi", FRAME(1));
    stub_end(import, FRAME(1), RETURN);
    EXPECT("j", NULL);
}

static void of_a_greenlet_in_a_pause(void **state) {
    (void)state;
    stub_begin(import, FRAME(1), START);
    struct pinsight_suspended_stack *suspended = pinsight_stack_suspend(thread);
    EXPECT("ij", NULL);
    test_set_mode(&pinsight_python_domain, PINSIGHT_MODE_STANDBY);
    pinsight_stack_resume(thread, suspended);
    EXPECT("", FRAME(1));
    test_set_mode(&pinsight_python_domain, PINSIGHT_MODE_TRACING);
    stub_end(import, FRAME(1), RETURN);
    EXPECT("", NULL);
}

static void of_a_greenlet_that_went_unseen(void **state) {
    (void)state;
    stub_greenlets = true;
    stub_begin(f, FRAME(0), START);
    stub_begin(import, FRAME(1), START);
    EXPECT("bi", FRAME(1));
    stub_end(f, FRAME(0), RETURN);
    EXPECT("je", NULL);
}

static void of_a_forked_childs_parent(void **state) {
    (void)state;
    thread->parents_import = FRAME(7);
    pinsight_importing_look(thread);
    EXPECT("", FRAME(7));
    stub_begin(import, FRAME(1), START);
    EXPECT("i", FRAME(1));
    stub_end(import, FRAME(1), RETURN);
    EXPECT("j", FRAME(7));
    pinsight_importing_leave_parents(thread);
    EXPECT("", NULL);
}

int main(void) {
    test_settings_start();
    thread = stub_start();
    if (!thread)
        return 1;
    int result = RUN_TESTS_EACH(set_up, take_down, nested, whose_end_is_not_seen,
                                with_everything_recorded, of_a_greenlet, of_a_greenlet_in_a_pause,
                                of_a_greenlet_that_went_unseen, of_a_forked_childs_parent);
    free(thread->entries);
    pinsight_stack_suspended_free(thread);
    test_settings_end();
    return result;
}
