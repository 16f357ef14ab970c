/* Finds the parts of the model that an event refers to. Begins and ends have the same fields in the
 * same places, so that one function serves both. */
#include "reader/lookup.h"

#include "reader/python/names.h"
#include "reader/stack.h"

#include <string.h>

uint32_t pinsight_lookup_text(struct pinsight_model *model, const struct pinsight_event *event,
                              unsigned field) {
    const char *text = pinsight_event_text(event, field);

    return pinsight_strings_add(&model->strings, text, strlen(text));
}

static struct pinsight_process *process_of(struct pinsight_model *model,
                                           const struct pinsight_event *event, int64_t vpid) {
    /* A trace without the context is taken to be of one process. */
    if (vpid < 0 && model->sole_process)
        return model->sole_process;
    return pinsight_model_process_of(model, event->binding->host, vpid < 0 ? 0 : vpid,
                                     event->instance);
}

struct pinsight_process *pinsight_lookup_process(struct pinsight_model *model,
                                                 const struct pinsight_event *event) {
    return process_of(model, event, pinsight_event_vpid(event));
}

struct pinsight_process *pinsight_lookup_process_named(struct pinsight_model *model,
                                                       const struct pinsight_event *event,
                                                       unsigned field) {
    return pinsight_model_process_of(model, event->binding->host,
                                     pinsight_event_integer(event, field), event->instance);
}

struct pinsight_thread *pinsight_lookup_inline_thread(struct pinsight_model *model,
                                                      const struct pinsight_event *event,
                                                      unsigned field) {
    int64_t vpid = pinsight_event_vpid(event), number = pinsight_event_integer(event, field);
    const uint32_t host = event->binding->host, instance = event->instance;
    struct pinsight_recent_thread *recent =
        &model
             ->recent[((uint64_t)vpid * 7 + instance + (uint64_t)number) % PINSIGHT_RECENT_THREADS];

    if (recent->number == number && recent->vpid == vpid && recent->host == host &&
        recent->instance == instance && recent->thread)
        return recent->thread;
    if (number < 0)
        return pinsight_model_thread(process_of(model, event, vpid), -1,
                                     (uint32_t)pinsight_event_vtid(event));
    *recent = (struct pinsight_recent_thread){
        vpid, number, pinsight_model_thread(process_of(model, event, vpid), number, 0), host,
        instance};
    return recent->thread;
}

struct pinsight_thread *pinsight_lookup_registry_thread(struct pinsight_model *model,
                                                        const struct pinsight_event *event,
                                                        unsigned field) {
    if (!event->binding->fields[field].there)
        return pinsight_lookup_native_thread(model, event, 0);
    return pinsight_model_thread_of_instance(model, event->binding->host, event->instance,
                                             (uint32_t)pinsight_event_integer(event, field));
}

struct pinsight_thread *pinsight_lookup_native_thread(struct pinsight_model *model,
                                                      const struct pinsight_event *event,
                                                      uint32_t stand_in) {
    struct pinsight_process *process = pinsight_lookup_process(model, event);
    int64_t tid = pinsight_event_vtid(event);
    struct pinsight_thread *thread;

    if (tid < 0)
        return pinsight_model_thread(process, -1, stand_in);
    thread = pinsight_model_thread_by_tid(model, event->binding->host, (uint32_t)tid, process);
    if (thread->process == process || thread->process->orphan)
        return thread;
    /* The number belonged to a thread of a process that has ended. */
    return pinsight_model_thread(process, -1, (uint32_t)tid);
}

/* Returns the entry for a code object in the cache. The id of a code object is an address, so that
 * the low bits are skipped. */
static struct pinsight_recent_code *recent_code(struct pinsight_process *process, uint64_t id) {
    return &process->recent[(id >> 4 ^ id >> 12) % PINSIGHT_RECENT_CODES];
}

void pinsight_lookup_set_function(struct pinsight_process *process, uint64_t code_id,
                                  uint32_t function) {
    recent_code(process, code_id)->id = 0;
    pinsight_map_set64(&process->code_ids, code_id, function);
}

/* Returns the function of an inline event. Reads its names if its code object is new. */
static uint32_t inline_function(struct pinsight_process *process,
                                const struct pinsight_event *event, unsigned code_id,
                                unsigned qualname, unsigned filename, int32_t line) {
    struct pinsight_model *model = process->model;
    uint64_t id = (uint64_t)pinsight_event_integer(event, code_id);
    uint32_t function = pinsight_map_get64(&process->code_ids, id);

    if (function != PINSIGHT_MAP_NONE && (line == 0 || model->functions[function].line != 0))
        return function;
    function = pinsight_names_function(model, pinsight_lookup_text(model, event, qualname),
                                       pinsight_lookup_text(model, event, filename), line);
    pinsight_lookup_set_function(process, id, function);
    return function;
}

uint32_t pinsight_lookup_function(struct pinsight_process *process,
                                  const struct pinsight_event *event) {
    /* function_begin and function_end have the same fields in the same places. */
    uint64_t id = (uint64_t)pinsight_event_integer(event, PINSIGHT_PYTHON_FUNCTION_BEGIN_CODE_ID);
    struct pinsight_recent_code *recent = recent_code(process, id);

    if (recent->id == id && id)
        return recent->function;
    recent->function = inline_function(
        process, event, PINSIGHT_PYTHON_FUNCTION_BEGIN_CODE_ID,
        PINSIGHT_PYTHON_FUNCTION_BEGIN_QUALNAME, PINSIGHT_PYTHON_FUNCTION_BEGIN_FILENAME,
        (int32_t)pinsight_event_integer(event, PINSIGHT_PYTHON_FUNCTION_BEGIN_LINENO));
    /* A function without a line may get it from a later event. */
    recent->id = process->model->functions[recent->function].line ? id : 0;
    return recent->function;
}

_Static_assert((int)PINSIGHT_PYTHON_FUNCTION_BEGIN_CODE_ID ==
                       (int)PINSIGHT_PYTHON_FUNCTION_END_CODE_ID &&
                   (int)PINSIGHT_PYTHON_FUNCTION_BEGIN_HOW ==
                       (int)PINSIGHT_PYTHON_FUNCTION_END_HOW &&
                   (int)PINSIGHT_PYTHON_C_CALL_BEGIN_PYTHON_THREAD_ID ==
                       (int)PINSIGHT_PYTHON_C_CALL_END_PYTHON_THREAD_ID &&
                   (int)PINSIGHT_PYTHON_BEGIN_CODE_HOW == (int)PINSIGHT_PYTHON_END_CODE_HOW &&
                   (int)PINSIGHT_PYTHON_C_BEGIN_CALLEE_HOW == (int)PINSIGHT_PYTHON_C_END_CALLEE_HOW,
               "begins and ends have the same fields in the same places");

uint32_t pinsight_lookup_site(struct pinsight_process *process,
                              const struct pinsight_event *event) {
    struct pinsight_model *model = process->model;
    uint32_t name = pinsight_lookup_text(model, event, PINSIGHT_PYTHON_C_CALL_BEGIN_CALLEE_NAME);
    uint32_t caller = PINSIGHT_NONE;

    /* A caller without an id is unknown. The trace had numbers, which were replaced by names. */
    if (pinsight_event_integer(event, PINSIGHT_PYTHON_C_CALL_BEGIN_CODE_ID))
        caller = inline_function(process, event, PINSIGHT_PYTHON_C_CALL_BEGIN_CODE_ID,
                                 PINSIGHT_PYTHON_C_CALL_BEGIN_CALLER_QUALNAME,
                                 PINSIGHT_PYTHON_C_CALL_BEGIN_CALLER_FILENAME, 0);

    return pinsight_names_site(
        model, pinsight_names_callee(model, name), caller,
        (int32_t)pinsight_event_integer(event, PINSIGHT_PYTHON_C_CALL_BEGIN_CALLER_LINENO));
}

uint32_t pinsight_lookup_open_site(const struct pinsight_thread *thread, uint32_t callee) {
    const struct pinsight_model *model = thread->process->model;

    if (callee >= thread->active_count[2] || !thread->active[2][callee])
        return PINSIGHT_NONE;
    for (const struct pinsight_slice *frame = pinsight_chain_top(thread, READER_PYTHON); frame;
         frame = pinsight_chain_outer(thread, frame))
        if (frame->kind == PINSIGHT_SLICE_C_CALL && model->sites[frame->id].callee == callee)
            return frame->id;
    return PINSIGHT_NONE;
}

uint32_t pinsight_lookup_inline_open_site(const struct pinsight_thread *thread,
                                          const struct pinsight_event *event) {
    struct pinsight_model *model = thread->process->model;
    uint32_t name = pinsight_lookup_text(model, event, PINSIGHT_PYTHON_C_CALL_END_CALLEE_NAME);

    return pinsight_lookup_open_site(thread, pinsight_names_callee(model, name));
}
