/* What control did, and imports, as the reader takes them from a trace. */
#include "unit.h"

#include "ctf_writer.h"
#include "reader/trace.h"

struct reading {
    struct ctf_writer writer;
    struct pinsight_model *model;
};

static int setup(void **state) {
    static struct reading reading;

    ctf_open(&reading.writer, true, NULL);
    reading.model = NULL;
    *state = &reading;
    return 0;
}

static int teardown(void **state) {
    struct reading *reading = *state;

    pinsight_model_free(reading->model);
    ctf_remove(&reading->writer);
    return 0;
}

static struct pinsight_model *read_with(struct reading *reading,
                                        struct pinsight_model_options options) {
    const struct trace_observers nobody = {.progress = false};
    struct pinsight_source_result result = {0};

    ctf_close(&reading->writer);
    reading->model = pinsight_model_new(&options);
    assert_int_equal(trace_read(reading->writer.folder, reading->model, &nobody, &result), 0);
    assert_int_equal(result.warning_count, 0);
    pinsight_source_result_clear(&result);
    return reading->model;
}

static struct pinsight_model *read_all(struct reading *reading) {
    return read_with(reading, (struct pinsight_model_options){.thread = -1, .process = -1});
}

static const char *text(const struct pinsight_model *model, uint32_t string) {
    return pinsight_strings_text(&model->strings, string);
}

#define PID INT64_C(100)

static void mode(struct reading *reading, uint64_t ns, uint64_t from, uint64_t to,
                 const char *reason) {
    ctf_event(&reading->writer, 0, ns, PINSIGHT_EVENT_CORE_MODE_CHANGE, PID, "Python", from, to,
              reason);
}

static void introspect_begin(struct reading *reading, uint64_t ns, uint64_t number) {
    ctf_event(&reading->writer, 0, ns, PINSIGHT_EVENT_CORE_INTROSPECT_BEGIN, PID, number, "f",
              INT64_C(5000), "./look.sh");
}

static void introspect_end(struct reading *reading, uint64_t ns, uint64_t number) {
    ctf_event(&reading->writer, 0, ns, PINSIGHT_EVENT_CORE_INTROSPECT_END, PID, number,
              "archives/1", UINT64_C(1), INT64_C(-9), UINT64_C(4), UINT64_C(2), UINT64_C(1),
              UINT64_C(3), "-");
}

static void changes_in_order(void **state) {
    struct reading *reading = *state;
    const struct pinsight_model *model;
    const struct pinsight_change *change;

    ctf_event(&reading->writer, 0, 5, PINSIGHT_EVENT_CORE_DOMAIN_INFO, PID, "Python", "CPython",
              "sys.monitoring", "function", "-", UINT64_C(3));
    mode(reading, 10, 3, 2, "api");
    ctf_event(&reading->writer, 1, 20, PINSIGHT_EVENT_CORE_CONFIG_CHANGE, PID, UINT64_C(2),
              "/x/hpc.ini", "signal", UINT64_C(0), "module_filter");
    ctf_event(&reading->writer, 1, 30, PINSIGHT_EVENT_CORE_CONFIG_CHANGE, PID, UINT64_C(2),
              "/x/hpc.ini", "ctl", UINT64_C(1), "hpc.ini:3:1: unknown key");
    /* The mode of the start, told again after a rotation. */
    ctf_event(&reading->writer, 0, 40, PINSIGHT_EVENT_CORE_DOMAIN_INFO, PID, "Python", "CPython",
              "sys.monitoring", "function", "-", UINT64_C(3));
    model = read_all(reading);
    assert_int_equal(model->history.change_count, 3);
    change = model->history.changes;
    assert_int_equal(change[0].kind, PINSIGHT_CHANGED_MODE);
    assert_int_equal(change[0].mode.from, 3);
    assert_int_equal(change[0].mode.to, 2);
    assert_string_equal(text(model, change[0].mode.reason), "api");
    assert_int_equal(change[1].kind, PINSIGHT_CHANGED_CONFIGURATION);
    assert_false(change[1].config.failed);
    assert_string_equal(text(model, change[1].config.message), "module_filter");
    assert_true(change[2].config.failed);
    assert_int_equal(change[2].ns, 30);
    assert_int_equal(model->processes[0]->domains[0].mode, 2);
}

static void introspections(void **state) {
    struct reading *reading = *state;
    const struct pinsight_model *model;
    const struct pinsight_past_introspection *one;

    introspect_end(reading, 10, 6); /* its begin is in an earlier chunk */
    introspect_begin(reading, 20, 7);
    mode(reading, 30, 3, 3, "introspect");
    introspect_end(reading, 40, 7);
    introspect_begin(reading, 50, 8);
    model = read_all(reading);
    assert_int_equal(model->history.change_count, 4);
    one = &model->history.changes[0].introspection;
    assert_false(one->begun);
    assert_true(one->ended);
    one = &model->history.changes[1].introspection;
    assert_true(one->begun && one->ended);
    assert_int_equal(model->history.changes[1].ns, 20);
    assert_int_equal(one->end_ns, 40);
    assert_int_equal(one->pause_ns, 5000);
    assert_int_equal(one->how, PINSIGHT_INTROSPECT_TIME_OUT);
    assert_int_equal(one->status, -9);
    assert_int_equal(one->threads_stopped, 4);
    assert_int_equal(one->threads_running, 2);
    assert_true(one->reloaded);
    assert_string_equal(text(model, one->script), "./look.sh");
    assert_string_equal(text(model, one->message), "");
    assert_int_equal(model->history.changes[2].kind, PINSIGHT_CHANGED_MODE);
    assert_true(model->history.changes[3].introspection.begun);
    assert_false(model->history.changes[3].introspection.ended);
}

/* What is open while threads are stopped does not run; where none is, all do. */
static void pauses_are_in_no_call(void **state) {
    struct reading *reading = *state;
    struct ctf_writer *writer = &reading->writer;
    const struct pinsight_model *model;

    for (uint64_t stopped = 0; stopped < 2; stopped++) {
        uint64_t ns = 1000 * (stopped + 1);

        ctf_event(writer, 1, ns, PINSIGHT_EVENT_PYTHON_FUNCTION_BEGIN, stopped ? "held" : "free",
                  "a.py", INT64_C(3), stopped + 1, INT64_C(0), UINT64_C(0), INT64_C(0));
        introspect_begin(reading, ns + 20, stopped + 1);
        ctf_event(writer, 0, ns + 170, PINSIGHT_EVENT_CORE_INTROSPECT_END, PID, stopped + 1, "-",
                  UINT64_C(0), INT64_C(0), stopped, UINT64_C(1), UINT64_C(0), UINT64_C(3), "-");
        ctf_event(writer, 1, ns + 200, PINSIGHT_EVENT_PYTHON_FUNCTION_END,
                  stopped ? "held" : "free", "a.py", INT64_C(3), stopped + 1, INT64_C(0),
                  UINT64_C(0));
    }
    model = read_all(reading);
    assert_int_equal(model->functions[0].stats.total_ns, 200);
    assert_int_equal(model->functions[1].stats.total_ns, 50);
}

static void windows_and_totals(void **state) {
    struct reading *reading = *state;
    const struct pinsight_model *model;
    const struct pinsight_past_window *window;

    ctf_event(&reading->writer, 0, 10, PINSIGHT_EVENT_CORE_WINDOW_END, PID, "Python", UINT64_C(0),
              UINT64_C(4), "step", "/x/solver.py", INT64_C(12), UINT64_C(110), UINT64_C(100),
              UINT64_C(0), "hpc.ini:12", "STANDBY");
    ctf_event(&reading->writer, 0, 20, PINSIGHT_EVENT_CORE_DOMAIN_TOTALS, PID, "Python",
              UINT64_C(0), UINT64_C(0), UINT64_C(10), UINT64_C(0), UINT64_C(0), UINT64_C(0),
              UINT64_C(0));
    ctf_event(&reading->writer, 0, 30, PINSIGHT_EVENT_CORE_DOMAIN_TOTALS, PID, "Python",
              UINT64_C(0), UINT64_C(0), UINT64_C(11), UINT64_C(0), UINT64_C(0), UINT64_C(0),
              UINT64_C(0));
    model = read_all(reading);
    assert_int_equal(model->history.window_count, 1);
    window = model->history.windows;
    assert_string_equal(text(model, window->name), "step");
    assert_string_equal(text(model, window->rule), "hpc.ini:12");
    assert_string_equal(text(model, window->after), "STANDBY");
    assert_int_equal(window->executions, 110);
    assert_int_equal(window->recorded, 100);
    assert_int_equal(model->processes[0]->domains[0].outside, 11);
}

static void other_processes_are_left_out(void **state) {
    struct reading *reading = *state;
    const struct pinsight_model *model;

    mode(reading, 10, 3, 2, "api");
    introspect_begin(reading, 20, 1);
    introspect_end(reading, 30, 1);
    model = read_with(reading, (struct pinsight_model_options){.thread = -1, .process = 7});
    assert_int_equal(model->history.change_count, 0);
}

static void import_begin(struct reading *reading, uint64_t ns, const char *module, int64_t thread) {
    ctf_event(&reading->writer, 0, ns, PINSIGHT_EVENT_PYTHON_IMPORT_BEGIN, module, thread);
}

static void import_end(struct reading *reading, uint64_t ns, const char *module, int64_t thread,
                       uint64_t how) {
    ctf_event(&reading->writer, 0, ns, PINSIGHT_EVENT_PYTHON_IMPORT_END, module, thread, how);
}

static const struct pinsight_import *find(const struct pinsight_model *model, const char *module) {
    for (size_t i = 0; i < model->import_count; i++)
        if (!strcmp(text(model, model->imports[i].module), module))
            return &model->imports[i];
    fail_msg("no import of %s", module);
    return NULL;
}

static void nested_imports(void **state) {
    struct reading *reading = *state;
    const struct pinsight_model *model;

    import_begin(reading, 100, "numpy", 0);
    import_begin(reading, 110, "other", 1); /* in another thread, at the same time */
    import_begin(reading, 120, "numpy.core", 0);
    import_end(reading, 150, "numpy.core", 0, 0);
    import_begin(reading, 160, "missing", 0);
    import_end(reading, 165, "missing", 0, 1);
    import_begin(reading, 170, "missing", 0);
    import_end(reading, 175, "missing", 0, 1);
    import_end(reading, 200, "numpy", 0, 0);
    import_end(reading, 310, "other", 1, 0);
    model = read_all(reading);
    assert_int_equal(model->import_count, 4);
    assert_int_equal(find(model, "numpy")->total_ns, 100);
    assert_int_equal(find(model, "numpy")->self_ns, 60);
    assert_int_equal(find(model, "numpy")->parent, PINSIGHT_NONE);
    assert_int_equal(find(model, "numpy.core")->parent, find(model, "numpy") - model->imports);
    assert_int_equal(find(model, "numpy.core")->self_ns, 30);
    assert_int_equal(find(model, "missing")->count, 2);
    assert_int_equal(find(model, "missing")->failed, 2);
    assert_int_equal(find(model, "missing")->total_ns, 10);
    assert_int_equal(find(model, "other")->parent, PINSIGHT_NONE);
    assert_int_equal(find(model, "other")->self_ns, 200);
    assert_int_equal(model->unmatched_begins + model->unmatched_ends + model->open_at_end, 0);
}

static void imports_that_lost_an_end(void **state) {
    struct reading *reading = *state;
    const struct pinsight_model *model;

    import_end(reading, 90, "before", 0, 0);
    import_begin(reading, 100, "a", 0);
    import_begin(reading, 110, "b", 0);
    import_begin(reading, 120, "c", 0);
    import_end(reading, 130, "a", 0, 0);
    import_begin(reading, 140, "d", 0);
    import_begin(reading, 150, "e", 0);
    import_end(reading, 160, "e", 0, PINSIGHT_HOW_LOST);
    import_end(reading, 170, "z", 0, 0);
    model = read_all(reading);
    assert_int_equal(model->unmatched_ends, 2);
    assert_int_equal(model->unmatched_begins, 2);
    assert_int_equal(model->open_at_end, 1);
    assert_int_equal(model->processes[0]->lost_frames, 1);
    assert_int_equal(find(model, "a")->total_ns, 30);
    assert_int_equal(find(model, "a")->self_ns, 10);
    assert_int_equal(find(model, "b")->self_ns, 10);
    assert_int_equal(find(model, "c")->total_ns, 10);
    assert_int_equal(find(model, "d")->total_ns, 30);
    assert_int_equal(find(model, "d")->self_ns, 20);
}

static void registry_call(struct reading *reading, uint64_t ns, uint64_t tid, uint64_t code) {
    ctf_event(&reading->writer, 0, ns, PINSIGHT_EVENT_PYTHON_BEGIN, tid, 4 * code);
    ctf_event(&reading->writer, 0, ns + 4, PINSIGHT_EVENT_PYTHON_END, tid, 4 * code);
}

/* What a chunk begins with where the program ran on: events of threads and functions whose names
 * come later. */
static void definitions_that_come_late(void **state) {
    struct reading *reading = *state;
    struct ctf_writer *writer = &reading->writer;
    const struct pinsight_model *model;
    const struct pinsight_function *step;
    const struct pinsight_thread *thread;

    /* Two threads, of two processes that give the same numbers to different functions. */
    ctf_event(writer, 0, 100, PINSIGHT_EVENT_PYTHON_BEGIN, UINT64_C(7), UINT64_C(4 * 1));
    ctf_event(writer, 0, 110, PINSIGHT_EVENT_PYTHON_C_BEGIN, UINT64_C(7), UINT64_C(4 * 3),
              UINT64_C(12));
    registry_call(reading, 120, 8, 1);
    registry_call(reading, 130, 7, 2);
    ctf_event(writer, 1, 140, PINSIGHT_EVENT_PYTHON_CODE_INFO, UINT64_C(1), UINT64_C(1), "step",
              "a.py", INT64_C(3), "a");
    ctf_event(writer, 1, 141, PINSIGHT_EVENT_PYTHON_CODE_INFO, UINT64_C(2), UINT64_C(2), "inner",
              "a.py", INT64_C(9), "a");
    ctf_event(writer, 1, 142, PINSIGHT_EVENT_PYTHON_CALLEE_INFO, UINT64_C(3), "map", "builtins");
    ctf_event(writer, 1, 150, PINSIGHT_EVENT_CORE_THREAD_INFO, PID, UINT64_C(7), INT64_C(0),
              "MainThread");
    ctf_event(writer, 1, 151, PINSIGHT_EVENT_CORE_THREAD_INFO, INT64_C(200), UINT64_C(8),
              INT64_C(0), "MainThread");
    ctf_event(writer, 0, 160, PINSIGHT_EVENT_PYTHON_C_END, UINT64_C(7), UINT64_C(4 * 3));
    ctf_event(writer, 0, 170, PINSIGHT_EVENT_PYTHON_END, UINT64_C(7), UINT64_C(4 * 1));
    registry_call(reading, 180, 7, 1);
    registry_call(reading, 190, 8, 1);
    model = read_all(reading);
    assert_int_equal(model->unmatched_begins + model->unmatched_ends + model->open_at_end, 0);
    step = NULL;
    for (size_t i = 0; i < model->function_count; i++)
        if (!strcmp(text(model, model->functions[i].name), "step"))
            step = &model->functions[i];
    assert_non_null(step);
    assert_int_equal(step->stats.calls, 2);
    assert_int_equal(step->stats.total_ns, 70 + 4);
    assert_int_equal(step->stats.self_ns, 70 - 50 + 4);
    for (size_t i = 0; i < model->site_count; i++)
        if (model->sites[i].stats.calls) {
            assert_string_equal(text(model, model->callees[model->sites[i].callee].name), "map");
            assert_int_equal(model->sites[i].stats.total_ns, 50);
            assert_ptr_equal(&model->functions[model->sites[i].caller], step);
        }
    for (size_t i = 0; i < model->process_count; i++)
        assert_true(model->processes[i]->pid || !model->processes[i]->events);
    thread = pinsight_model_thread(pinsight_model_process(reading->model, 1, 100), 0, 7);
    assert_int_equal(thread->calls[PINSIGHT_FUNCTION], 3);
    assert_int_equal(thread->first_ns, 100);
}

int main(void) {
    return RUN_TESTS_EACH(setup, teardown, changes_in_order, introspections, windows_and_totals,
                          pauses_are_in_no_call, other_processes_are_left_out, nested_imports,
                          imports_that_lost_an_end, definitions_that_come_late);
}
