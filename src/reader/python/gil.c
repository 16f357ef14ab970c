/* Waits for the GIL; see gil.h. */
#include "reader/python/gil.h"

#include "base/memory.h"
#include "reader/lookup.h"
#include "reader/python/names.h"
#include "reader/timeline.h"
#include "reader/waits.h"

#include <stdlib.h>

struct pinsight_python *pinsight_python_of(struct pinsight_model *model) {
    if (!model->state[READER_PYTHON])
        model->state[READER_PYTHON] = pinsight_calloc(1, sizeof(struct pinsight_python));
    return model->state[READER_PYTHON];
}

static struct pinsight_gil *gil_of(struct pinsight_python *python,
                                   const struct pinsight_process *process, uint32_t number) {
    return PINSIGHT_KEYED(&python->gil_map, process->index, number, 0, python->gils,
                          python->gil_count, python->gil_capacity, .process = process,
                          .number = number);
}

static struct pinsight_gil_function *function_of(struct pinsight_python *python,
                                                 uint32_t function) {
    return PINSIGHT_KEYED(&python->gil_function_map, function, 0, 0, python->gil_functions,
                          python->gil_function_count, python->gil_function_capacity,
                          .function = function);
}

static uint64_t field(const struct pinsight_event *event, unsigned number) {
    return (uint64_t)pinsight_event_integer(event, number);
}

static uint32_t named(struct pinsight_process *process, uint64_t code) {
    return code ? pinsight_names_code(process, (uint32_t)code) : PINSIGHT_NONE;
}

static void longest(uint64_t *ns, uint64_t wait_ns) {
    if (wait_ns > *ns)
        *ns = wait_ns;
}

/* Moves a wait from the unknown holder to the function that is now known to have held the GIL. */
static void name_holder(void *data, const struct pinsight_gil_held *held, uint32_t function) {
    struct pinsight_python *python = data;
    uint64_t wait_ns = held->end_ns - held->begin_ns;
    struct pinsight_gil_function *of = function_of(python, PINSIGHT_NONE);

    of->held--;
    of->held_ns -= wait_ns;
    of = function_of(python, function);
    of->held++;
    of->held_ns += wait_ns;
}

/* Returns the function that held the GIL, or PINSIGHT_NONE if it is not known yet. */
static uint32_t holder_of(struct pinsight_python *python, struct pinsight_process *process,
                          const struct pinsight_event *event, uint64_t begin_ns, uint64_t end_ns) {
    uint32_t function = named(process, field(event, PINSIGHT_PYTHON_GIL_WAIT_HOLDER_CODE));
    uint32_t tid = (uint32_t)field(event, PINSIGHT_PYTHON_GIL_WAIT_HOLDER);

    if (function != PINSIGHT_NONE || !tid)
        return function;
    return pinsight_gil_holder_of(&python->gil_holders, process->index, tid,
                                  &(struct pinsight_gil_held){begin_ns, end_ns});
}

static void add(struct pinsight_model *model, struct pinsight_thread *thread,
                const struct pinsight_event *event, const struct pinsight_slice *slice,
                uint64_t end_ns) {
    struct pinsight_python *python = pinsight_python_of(model);
    struct pinsight_gil *gil =
        gil_of(python, thread->process, (uint32_t)field(event, PINSIGHT_PYTHON_GIL_WAIT_GIL));
    uint32_t waiting = named(thread->process, field(event, PINSIGHT_PYTHON_GIL_WAIT_CODE));
    uint64_t waits = field(event, PINSIGHT_PYTHON_GIL_WAIT_WAITS);
    uint64_t wait_ns = end_ns - slice->begin_ns;
    struct pinsight_gil_function *function;

    gil->waits += waits;
    gil->wait_ns += wait_ns;
    pinsight_spans_add(&gil->wanted, slice->begin_ns, end_ns);
    if (waiting == PINSIGHT_NONE)
        waiting = pinsight_model_top_function(thread);
    function = function_of(python, waiting);
    function->waits += waits;
    function->wait_ns += wait_ns;
    if (waits <= 1) {
        longest(&gil->longest_ns, wait_ns);
        longest(&function->longest_ns, wait_ns);
    }
    function = function_of(python, slice->id);
    function->held++;
    function->held_ns += wait_ns;
    if (waits)
        pinsight_gil_holder_waits(&python->gil_holders, thread->process->index, thread->tid,
                                  slice->begin_ns, waiting, name_holder, python);
}

void pinsight_gil_take(struct pinsight_model *model, const struct pinsight_event *event) {
    struct pinsight_thread *thread =
        pinsight_lookup_registry_thread(model, event, PINSIGHT_PYTHON_GIL_WAIT_TID);
    uint64_t wait_ns = field(event, PINSIGHT_PYTHON_GIL_WAIT_WAIT_NS);
    uint64_t ago_ns = field(event, PINSIGHT_PYTHON_GIL_WAIT_AGO_NS);
    struct pinsight_slice slice = pinsight_slice_of(PINSIGHT_SLICE_GIL, PINSIGHT_NONE, 0);
    uint64_t end_ns;

    pinsight_model_touch(thread->process, event->ns);
    if (!thread->selected || model->options.names_only || ago_ns > event->ns ||
        wait_ns > event->ns - ago_ns)
        return;
    end_ns = event->ns - ago_ns;
    slice.begin_ns = end_ns - wait_ns;
    slice.id = holder_of(pinsight_python_of(model), thread->process, event, slice.begin_ns, end_ns);
    add(model, thread, event, &slice, end_ns);
    pinsight_waits_gil(thread, end_ns, wait_ns);
    pinsight_slice_begin(thread, &slice, slice.begin_ns);
    pinsight_slice_end(thread, PINSIGHT_SLICE_GIL, 0, end_ns);
}

_Static_assert((int)PINSIGHT_PYTHON_GIL_WAIT_TID == (int)PINSIGHT_PYTHON_GIL_LOAD_TID,
               "both events have the thread in the same place");

void pinsight_gil_take_load(struct pinsight_model *model, const struct pinsight_event *event) {
    struct pinsight_thread *thread =
        pinsight_lookup_registry_thread(model, event, PINSIGHT_PYTHON_GIL_LOAD_TID);
    struct pinsight_python *python;
    struct pinsight_gil *gil;

    pinsight_model_touch(thread->process, event->ns);
    if (!thread->process->selected || model->options.names_only)
        return;
    python = pinsight_python_of(model);
    gil = gil_of(python, thread->process, (uint32_t)field(event, PINSIGHT_PYTHON_GIL_LOAD_GIL));
    gil->loaded_ns = event->ns;
    python->gil_loads++;
    gil->seen_ns = field(event, PINSIGHT_PYTHON_GIL_LOAD_SEEN_NS);
    gil->held_ns = field(event, PINSIGHT_PYTHON_GIL_LOAD_HELD_NS);
}

void pinsight_gil_take_unseen(struct pinsight_model *model, const struct pinsight_event *event) {
    struct pinsight_process *process = pinsight_lookup_process(model, event);
    struct pinsight_python *python = pinsight_python_of(model);
    uint64_t why = field(event, PINSIGHT_PYTHON_WAITS_UNSEEN_WHY);

    if (why >= PINSIGHT_WAITS_UNSEEN ||
        pinsight_map_get(&python->unseen_map, process->index, 0, 0) != PINSIGHT_MAP_NONE)
        return;
    pinsight_map_set(&python->unseen_map, process->index, 0, 0, (uint32_t)why);
    python->unseen[why]++;
}

void pinsight_gil_finish(struct pinsight_model *model) {
    struct pinsight_python *python = model->state[READER_PYTHON];

    for (size_t i = 0; python && i < python->gil_count; i++)
        python->gils[i].wanted_ns = pinsight_spans_time(&python->gils[i].wanted);
}

void pinsight_gil_free(struct pinsight_python *python) {
    for (size_t i = 0; i < python->gil_count; i++)
        pinsight_spans_clear(&python->gils[i].wanted);
    pinsight_gil_holders_clear(&python->gil_holders);
    free(python->gils);
    free(python->gil_functions);
    pinsight_map_clear(&python->gil_map);
    pinsight_map_clear(&python->unseen_map);
    pinsight_map_clear(&python->interpreters.numbers);
    pinsight_map_clear(&python->gil_function_map);
}
