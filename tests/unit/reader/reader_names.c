/* Processes, threads, functions and callees: who is who. */
#include "unit.h"

#include "made_model.h"
#include "reader/model.h"
#include "reader/python/names.h"

static struct pinsight_model *new_model(void) {
    return made_model();
}

static const char *name_of(struct pinsight_model *model, uint32_t function) {
    return pinsight_strings_text(&model->strings, model->functions[function].name);
}

static void names_may_come_late(void **state) {
    struct pinsight_model *model = new_model();
    struct pinsight_process *process = pinsight_model_process(model, 0, 1);
    uint32_t code = pinsight_names_code(process, 17);

    (void)state;
    assert_false(model->functions[code].known);
    pinsight_names_code_info(process, 17, 0xabc, "f", "a.py", 3, "m");
    assert_true(model->functions[code].known);
    assert_int_equal(pinsight_names_code(process, 17), code);
    assert_int_equal(pinsight_map_get64(&process->code_ids, 0xabc), code);
    assert_string_equal(name_of(model, code), "f");
    pinsight_model_free(model);
}

static void numbers_belong_to_a_process(void **state) {
    struct pinsight_model *model = new_model();
    struct pinsight_process *one = pinsight_model_process(model, 0, 1);
    struct pinsight_process *two = pinsight_model_process(model, 0, 2);
    struct pinsight_process *elsewhere = pinsight_model_process(model, 1, 1);

    (void)state;
    pinsight_names_code_info(one, 1, 1, "f", "a.py", 3, "m");
    pinsight_names_code_info(two, 1, 1, "g", "a.py", 9, "m");
    pinsight_names_code_info(elsewhere, 1, 1, "f", "a.py", 3, "m");
    assert_string_equal(name_of(model, pinsight_names_code(two, 1)), "g");
    assert_int_equal(pinsight_names_code(one, 1), pinsight_names_code(elsewhere, 1));
    pinsight_model_free(model);
}

static void a_known_number_may_mean_another(void **state) {
    struct pinsight_model *model = new_model();
    struct pinsight_process *process = pinsight_model_process(model, 0, 1);
    uint32_t before;

    (void)state;
    pinsight_names_code_info(process, 1, 1, "f", "a.py", 3, "m");
    before = pinsight_names_code(process, 1);
    pinsight_names_code_info(process, 1, 1, "f", "a.py", 3, "m");
    assert_int_equal(pinsight_names_code(process, 1), before);
    pinsight_names_code_info(process, 1, 2, "other", "b.py", 5, "m");
    assert_string_equal(name_of(model, pinsight_names_code(process, 1)), "other");
    assert_string_equal(name_of(model, before), "f");
    pinsight_model_free(model);
}

static void exec_makes_a_new_process(void **state) {
    struct pinsight_model *model = new_model();
    struct pinsight_process *first =
        pinsight_model_process_info(model, 0, 1, 10, 0, -1, "h", "/bin/a", "a", "0", NULL);
    struct pinsight_thread *thread = pinsight_model_thread(first, 0, 1);
    struct pinsight_process *again =
        pinsight_model_process_info(model, 0, 1, 15, 0, -1, "h", "/bin/a", "a", "0", NULL);
    struct pinsight_process *second;

    (void)state;
    assert_ptr_equal(first, again);
    pinsight_names_code_info(first, 1, 1, "f", "a.py", 3, "m");
    pinsight_model_begin(thread, PINSIGHT_FUNCTION, pinsight_names_code(first, 1),
                         PINSIGHT_HOW_START, 20);
    second = pinsight_model_process_info(model, 0, 1, 30, 0, -1, "h", "/bin/b", "b", "0", NULL);
    assert_ptr_not_equal(first, second);
    assert_ptr_equal(pinsight_model_process(model, 0, 1), second);
    assert_int_equal(thread->depth, 0);
    assert_int_equal(model->open_at_end, 1);
    assert_ptr_not_equal(pinsight_model_thread(second, 0, 1), thread);
    pinsight_model_free(model);
}

static void exec_leaves_other_processes_alone(void **state) {
    struct pinsight_model *model = new_model();
    struct pinsight_process *other =
        pinsight_model_process_info(model, 0, 2, 5, 0, -1, "h", "/bin/o", "o", "0", NULL);
    struct pinsight_thread *others = pinsight_model_thread_info(model, other, 2, 0, "main", 6);
    struct pinsight_process *first =
        pinsight_model_process_info(model, 0, 1, 10, 2, -1, "h", "/bin/a", "a", "0", NULL);
    struct pinsight_thread *thread = pinsight_model_thread_info(model, first, 1, 0, "main", 11);
    struct pinsight_process *second;

    (void)state;
    second = pinsight_model_process_info(model, 0, 1, 30, 2, -1, "h", "/bin/b", "b", "0", NULL);
    assert_ptr_equal(pinsight_model_thread_by_tid(model, 0, 2, NULL), others);
    assert_ptr_not_equal(pinsight_model_thread_by_tid(model, 0, 1, second), thread);
    assert_ptr_equal(pinsight_model_thread_by_tid(model, 0, 1, NULL)->process, second);
    pinsight_model_free(model);
}

static void registry_and_inline_share_threads(void **state) {
    struct pinsight_model *model = new_model();
    struct pinsight_process *process = pinsight_model_process(model, 0, 1);
    struct pinsight_thread *thread =
        pinsight_model_thread_info(model, process, 77, 2, "thread-2", 5);

    (void)state;
    assert_ptr_equal(pinsight_model_thread(process, 2, 0), thread);
    assert_ptr_equal(pinsight_model_thread_by_tid(model, 0, 77, NULL), thread);
    pinsight_model_thread_info(model, process, 77, 2, "worker", 6);
    pinsight_model_thread_info(model, process, 77, 2, "thread-2", 7);
    assert_string_equal(pinsight_strings_text(&model->strings, thread->name), "worker");
    assert_int_equal(thread->os_threads, 1);
    pinsight_model_free(model);
}

static void a_number_goes_to_the_next_thread(void **state) {
    struct pinsight_model *model = new_model();
    struct pinsight_process *process = pinsight_model_process(model, 0, 1);
    struct pinsight_thread *thread = pinsight_model_thread_info(model, process, 77, 1, "a", 5);
    uint32_t f;

    (void)state;
    pinsight_names_code_info(process, 1, 1, "f", "a.py", 3, "m");
    f = pinsight_names_code(process, 1);
    pinsight_model_begin(thread, PINSIGHT_FUNCTION, f, PINSIGHT_HOW_START, 10);
    assert_ptr_equal(pinsight_model_thread_info(model, process, 78, 1, "b", 20), thread);
    assert_int_equal(thread->depth, 0);
    assert_int_equal(model->unmatched_begins, 1);
    assert_int_equal(thread->os_threads, 2);
    assert_ptr_equal(pinsight_model_thread_by_tid(model, 0, 78, NULL), thread);
    pinsight_model_free(model);
}

static void an_unknown_tid_is_a_thread_too(void **state) {
    struct pinsight_model *model = new_model();
    struct pinsight_thread *thread = pinsight_model_thread_by_tid(model, 0, 5, NULL);

    (void)state;
    assert_int_equal(thread->number, -1);
    assert_int_equal(thread->tid, 5);
    assert_ptr_equal(pinsight_model_thread_by_tid(model, 0, 5, NULL), thread);
    assert_ptr_not_equal(pinsight_model_thread_by_tid(model, 0, 6, NULL), thread);
    pinsight_model_free(model);
}

static void modules_of_callees(void **state) {
    struct pinsight_model *model = new_model();
    struct pinsight_process *process = pinsight_model_process(model, 0, 1);
    uint32_t dot =
        pinsight_names_callee(model, pinsight_strings_add(&model->strings, "numpy.dot", 9));

    (void)state;
    assert_string_equal(pinsight_strings_text(&model->strings, model->callees[dot].module),
                        "numpy");
    pinsight_names_callee_info(process, 3, "list.append", "builtins");
    pinsight_names_callee_info(process, 4, "x", "?");
    assert_string_equal(
        pinsight_strings_text(&model->strings,
                              model->callees[pinsight_names_callee_number(process, 3)].module),
        "builtins");
    assert_int_equal(model->callees[pinsight_names_callee_number(process, 4)].module, 0);
    pinsight_model_free(model);
}

static void profiles_add_up(void **state) {
    struct pinsight_model *model = new_model();
    struct pinsight_process *process = pinsight_model_process(model, 0, 1);
    struct pinsight_thread *thread = pinsight_model_thread(process, 0, 1);
    struct pinsight_monitored counted = {.calls = 5, .total_ns = 100, .self_ns = 60};

    (void)state;
    pinsight_names_profile(thread, PINSIGHT_FUNCTION, "f", "a.py", 3, &counted);
    pinsight_names_profile(thread, PINSIGHT_FUNCTION, "f", "a.py", 3, &counted);
    pinsight_names_profile(thread, PINSIGHT_C_CALL, "numpy.dot", "<C>", 0, &counted);
    assert_int_equal(model->functions[0].counted.calls, 10);
    assert_int_equal(model->functions[0].counted.self_ns, 120);
    assert_int_equal(model->callees[0].counted.total_ns, 100);
    assert_int_equal(thread->counted[PINSIGHT_C_CALL].calls, 5);
    pinsight_model_free(model);
}

int main(void) {
    return RUN_TESTS(names_may_come_late, numbers_belong_to_a_process,
                     a_known_number_may_mean_another, exec_makes_a_new_process,
                     exec_leaves_other_processes_alone, registry_and_inline_share_threads,
                     a_number_goes_to_the_next_thread, an_unknown_tid_is_a_thread_too,
                     modules_of_callees, profiles_add_up);
}
