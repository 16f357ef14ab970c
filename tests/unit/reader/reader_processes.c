/* Processes that have the same number: of other PID namespaces, of a later time, or after an exec.
 */
#include "unit.h"

#include "made_model.h"
#include "reader/ctf/instance.h"
#include "reader/model.h"
#include "reader/python/names.h"

static struct pinsight_process *announce(struct pinsight_model *model, int64_t pid, int64_t ppid,
                                         uint64_t ns, const struct pinsight_process_mark *mark) {
    return pinsight_model_process_info(model, 0, pid, ns, ppid, -1, "h", "/bin/p", "p", "0", mark);
}

static void one_number_in_two_namespaces(void **state) {
    struct pinsight_model *model = made_model();
    const struct pinsight_process_mark marks[] = {{.instance = 7, .namespace = 1, .program = 1},
                                                  {.instance = 8, .namespace = 2, .program = 1}};
    struct pinsight_process *one = announce(model, 1, 0, 10, &marks[0]);
    struct pinsight_process *two = announce(model, 1, 0, 10, &marks[1]);

    (void)state;
    assert_ptr_not_equal(one, two);
    assert_ptr_equal(pinsight_model_process_of(model, 0, 1, 7), one);
    assert_ptr_equal(pinsight_model_process_of(model, 0, 1, 8), two);
    /* So have their threads. */
    struct pinsight_thread *first = pinsight_model_thread_info(model, one, 1, 0, "main", 11);
    struct pinsight_thread *second = pinsight_model_thread_info(model, two, 1, 0, "main", 11);
    assert_ptr_not_equal(first, second);
    assert_ptr_equal(pinsight_model_thread_of_instance(model, 0, 7, 1), first);
    assert_ptr_equal(pinsight_model_thread_of_instance(model, 0, 8, 1), second);
    assert_ptr_equal(pinsight_model_thread_by_tid(model, 0, 1, one), first);
    assert_ptr_equal(pinsight_model_thread_by_tid(model, 0, 1, two), second);
    assert_int_equal(model->process_count, 2);
    pinsight_model_free(model);
}

static void a_thread_without_a_process(void **state) {
    struct pinsight_model *model = made_model();
    struct pinsight_thread *first = pinsight_model_thread_of_instance(model, 0, 7, 1);
    struct pinsight_thread *second = pinsight_model_thread_of_instance(model, 0, 8, 1);
    const struct pinsight_process_mark mark = {.instance = 8};

    (void)state;
    assert_ptr_not_equal(first, second);
    /* Its own process takes it, and not the other one's. */
    struct pinsight_process *process = announce(model, 1, 0, 10, &mark);
    pinsight_model_thread_info(model, process, 1, 0, "main", 11);
    assert_ptr_equal(pinsight_model_thread_of_instance(model, 0, 8, 1)->process, process);
    assert_ptr_equal(pinsight_model_thread_of_instance(model, 0, 7, 1), first);
    assert_true(first->process->orphan);
    pinsight_model_free(model);
}

static void an_exec_of_the_same_command(void **state) {
    struct pinsight_model *model = made_model();
    struct pinsight_process_mark mark = {.instance = 7, .program = 1};
    struct pinsight_process *first = announce(model, 1, 0, 10, &mark);
    struct pinsight_thread *thread = pinsight_model_thread_info(model, first, 1, 0, "main", 11);

    (void)state;
    pinsight_names_code_info(first, 1, 1, "f", "a.py", 3, "m");
    uint32_t f = pinsight_names_code(first, 1);
    pinsight_model_begin(thread, PINSIGHT_FUNCTION, f, PINSIGHT_HOW_START, 20);
    pinsight_model_touch(first, 20);
    assert_ptr_equal(announce(model, 1, 0, 25, &mark), first); /* said again */
    pinsight_model_touch(first, 30);
    mark.program = 2;
    struct pinsight_process *second = announce(model, 1, 0, 500, &mark);
    assert_ptr_not_equal(second, first);
    assert_int_equal(thread->depth, 0);
    assert_int_equal(model->open_at_end, 1);
    assert_int_equal(model->functions[f].stats.total_ns, 10); /* to the last that it recorded */
    assert_ptr_equal(pinsight_model_process_of(model, 0, 1, 7), second);
    assert_ptr_not_equal(pinsight_model_thread_by_tid(model, 0, 1, second), thread);
    pinsight_model_free(model);
}

static void the_parent_of_a_number(void **state) {
    struct pinsight_model *model = made_model();
    const struct pinsight_process_mark outer = {.instance = 1, .namespace = 1},
                                       inner = {.instance = 2, .namespace = 2},
                                       later = {.instance = 3, .namespace = 1};

    (void)state;
    struct pinsight_process *before = announce(model, 5, 1, 10, &outer);
    announce(model, 5, 1, 20, &inner);
    struct pinsight_process *child =
        announce(model, 6, 5, 30, &(struct pinsight_process_mark){.instance = 4, .namespace = 1});
    struct pinsight_process *again = announce(model, 5, 1, 40, &later); /* its number anew */
    struct pinsight_process *last =
        announce(model, 7, 5, 50, &(struct pinsight_process_mark){.instance = 5, .namespace = 1});
    assert_ptr_equal(pinsight_model_parent(child), before);
    assert_ptr_equal(pinsight_model_parent(last), again);
    assert_null(pinsight_model_parent(before));
    pinsight_model_free(model);
}

static void instances(void **state) {
    const unsigned char uuid[16] = {1}, other[16] = {2};
    uint32_t one = pinsight_instance_of(uuid, "1-a0f-0", true, false);

    (void)state;
    assert_int_not_equal(one, 0);
    assert_int_equal(pinsight_instance_of(uuid, "1-a0f-12", true, false), one);
    assert_int_not_equal(pinsight_instance_of(uuid, "1-a0e-0", true, false), one);
    assert_int_not_equal(pinsight_instance_of(uuid, "1-a0f-f0000152-0", true, false), one);
    assert_int_not_equal(pinsight_instance_of(other, "1-a0f-0", true, false), one);
    /* LTTng's: by the trace, where that is one process's. */
    uint32_t lttng = pinsight_instance_of(uuid, "events_0", false, true);
    assert_int_equal(pinsight_instance_of(uuid, "definitions_1", false, true), lttng);
    assert_int_not_equal(pinsight_instance_of(other, "events_0", false, true), lttng);
    assert_int_equal(pinsight_instance_of(uuid, "events_0", false, false), 0);
}

int main(void) {
    return UNIT_RUN((struct unit_fixtures){0}, one_number_in_two_namespaces,
                    a_thread_without_a_process, an_exec_of_the_same_command, the_parent_of_a_number,
                    instances);
}
