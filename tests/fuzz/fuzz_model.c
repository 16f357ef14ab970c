/* Feeds the model with any sequence of begins, ends and definitions, and checks what must hold of
 * the times after each. Each step is six bytes: what, thread, id, how, and how much later. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "reader/kit/paths.h"
#include "reader/model.h"
#include "reader/python/imports.h"
#include "reader/python/names.h"
#include "reader/stack.h"

#define THREADS 4

/* adopting: functions that turn out to be one may have been counted inside of each other. */
static void check_times(const struct pinsight_model *model, uint64_t span, uint64_t threads,
                        int adopting) {
    uint64_t self = 0, by_thread = 0, busy = 0, roots = 0;

    for (size_t i = 0; i < model->function_count; i++) {
        const struct pinsight_stats *stats = &model->functions[i].stats;

        self += stats->self_ns;
        check(stats->self_ns <= stats->sum_ns, "self time is within the time of all slices");
        check(stats->total_ns <= stats->sum_ns, "total time is within the time of all slices");
        check(adopting || stats->total_ns <= span * threads,
              "no function runs longer than the threads");
        check(!stats->slices || stats->min_ns <= stats->max_ns, "min <= max");
        check(stats->slices >= stats->calls, "each call has ended");
    }
    for (size_t i = 0; i < model->callee_count; i++)
        self += model->callees[i].stats.self_ns;
    for (size_t p = 0; p < model->process_count; p++)
        for (size_t t = 0; t < model->processes[p]->thread_count; t++) {
            const struct pinsight_thread *thread = model->processes[p]->thread_list[t];

            check(thread->depth == 0, "no frame is open after the end");
            check(!pinsight_stack_has_frames(thread), "no frame is open after the end");
            busy += thread->busy_ns;
            by_thread += thread->self_ns[0] + thread->self_ns[1];
            for (int which = 0; which < 4; which++)
                for (size_t i = 0; i < thread->active_count[which]; i++)
                    check(thread->active[which][i] == 0, "nothing counts as open after the end");
        }
    /* What an import takes by itself is nobody's self time. */
    check(self == busy || (model->import_count && self < busy),
          "self times add up to what the threads were busy");
    check(by_thread == self, "self times of threads do too");
    for (size_t i = 0; i < model->import_count; i++)
        check(model->imports[i].self_ns <= model->imports[i].total_ns, "self <= total of imports");
    for (size_t i = 0; i < model->node_count; i++) {
        check(model->nodes[i].self_ns <= model->nodes[i].total_ns, "self <= total in the tree");
        if (model->nodes[i].parent == PINSIGHT_NONE)
            roots += model->nodes[i].total_ns;
    }
    check(!model->options.tree || roots == busy, "the tree has all the time");
}

/* Events of a thread that is known by its number for the system alone. */
static void registry_step(struct pinsight_model *model, const uint8_t *data, uint64_t ns) {
    struct pinsight_thread *thread =
        pinsight_model_thread_by_tid(model, data[1] >> 7, data[1] % THREADS, NULL);
    uint32_t code = data[2] % 16;
    uint32_t function = pinsight_names_code(thread->process, code);
    uint32_t site = pinsight_names_site(model, pinsight_names_callee_number(thread->process, code),
                                        pinsight_model_top_function(thread), data[2] >> 4);

    pinsight_model_touch(thread->process, ns);
    switch (data[3] % 4) {
    case 0:
        pinsight_model_begin(thread, PINSIGHT_FUNCTION, function, data[3] >> 4 & 1, ns);
        break;
    case 1:
        pinsight_model_end(thread, PINSIGHT_FUNCTION, function, 0, ns);
        break;
    case 2:
        pinsight_model_begin(thread, PINSIGHT_C_CALL, site, PINSIGHT_HOW_START, ns);
        break;
    default:
        pinsight_model_end(thread, PINSIGHT_C_CALL, site, 0, ns);
    }
}

static void step(struct pinsight_model *model, const uint8_t *data, uint64_t ns) {
    struct pinsight_process *process =
        pinsight_model_process(model, data[1] >> 7, data[1] >> 6 & 1);
    struct pinsight_thread *thread = pinsight_model_thread(process, data[1] % THREADS, 0);
    uint32_t code = data[2] % 16;
    uint32_t function = pinsight_names_code(process, code);
    uint32_t site = pinsight_names_site(model, pinsight_names_callee_number(process, code),
                                        pinsight_model_top_function(thread), data[2] >> 4);
    char name[] = {'f', (char)('a' + data[3] % 16), '\0'};

    pinsight_model_touch(process, ns);
    switch (data[0] % 12) {
    case 0:
    case 1:
        pinsight_model_begin(thread, PINSIGHT_FUNCTION, function, data[3] % 3, ns);
        break;
    case 2:
    case 3:
        pinsight_model_end(thread, PINSIGHT_FUNCTION, function, data[3] % 4, ns);
        break;
    case 4:
        pinsight_model_begin(thread, PINSIGHT_C_CALL, site, PINSIGHT_HOW_START, ns);
        break;
    case 5:
        pinsight_model_end(thread, PINSIGHT_C_CALL, data[3] & 1 ? site : PINSIGHT_NONE, data[3] % 4,
                           ns);
        break;
    case 6:
        pinsight_names_code_info(process, code, data[3], name, "a.py", data[4], name);
        pinsight_names_callee_info(process, code, name, "?");
        break;
    case 7:
        pinsight_imports_begin(thread, function, pinsight_path_of(process, data[3] % 8), ns);
        break;
    case 8:
        pinsight_imports_end(thread, function, data[3] % 4, ns);
        break;
    case 9:
    case 10:
        registry_step(model, data, ns);
        break;
    default:
        if (data[3] & 1)
            pinsight_model_thread_info(model, process, data[2] % (2 * THREADS), data[3] % THREADS,
                                       name, ns);
        else
            pinsight_model_process_info(model, data[1] >> 7, data[1] >> 6 & 1, ns, 0, 0, "h", name,
                                        name, "0", NULL);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct pinsight_model_options options = {.thread = -1, .process = -1};
    struct pinsight_model *model;
    uint64_t ns = 1000, threads = 0;
    int adopting = 0;

    if (size < 1)
        return 0;
    options.tree = data[0] & 1;
    options.group_by = (enum pinsight_group_by)(data[0] >> 1) % 3;
    model = pinsight_model_new(&options);
    for (data++, size--; size >= 6; data += 6, size -= 6) {
        ns += (uint64_t)data[4] << (data[5] % 16);
        adopting |= data[0] % 12 == 9 || data[0] % 12 == 10;
        step(model, data, data[5] & 0x80 ? ns - data[4] : ns);
    }
    pinsight_model_finish(model);
    for (size_t p = 0; p < model->process_count; p++)
        threads += model->processes[p]->thread_count;
    check_times(model, ns, threads, adopting);
    pinsight_model_free(model);
    return 0;
}
