/* Resolves the names of events; see ctf.h. */
#include "views/export/ctf.h"

#include "base/memory.h"
#include "reader/lookup.h"
#include "reader/python/run.h"
#include "reader/stack.h"
#include "reader/subject.h"

#include <stdlib.h>
#include <string.h>

#define BOTH(field, begin, end) _Static_assert((int)(begin) == (int)(end), field)
BOTH("qualname", PINSIGHT_PYTHON_FUNCTION_BEGIN_QUALNAME, PINSIGHT_PYTHON_FUNCTION_END_QUALNAME);
BOTH("filename", PINSIGHT_PYTHON_FUNCTION_BEGIN_FILENAME, PINSIGHT_PYTHON_FUNCTION_END_FILENAME);
BOTH("lineno", PINSIGHT_PYTHON_FUNCTION_BEGIN_LINENO, PINSIGHT_PYTHON_FUNCTION_END_LINENO);
BOTH("code_id", PINSIGHT_PYTHON_FUNCTION_BEGIN_CODE_ID, PINSIGHT_PYTHON_FUNCTION_END_CODE_ID);
BOTH("thread", PINSIGHT_PYTHON_FUNCTION_BEGIN_PYTHON_THREAD_ID,
     PINSIGHT_PYTHON_FUNCTION_END_PYTHON_THREAD_ID);
BOTH("how", PINSIGHT_PYTHON_FUNCTION_BEGIN_HOW, PINSIGHT_PYTHON_FUNCTION_END_HOW);
BOTH("caller", PINSIGHT_PYTHON_C_CALL_BEGIN_CALLER_QUALNAME,
     PINSIGHT_PYTHON_C_CALL_END_CALLER_QUALNAME);
BOTH("callee", PINSIGHT_PYTHON_C_CALL_BEGIN_CALLEE_NAME, PINSIGHT_PYTHON_C_CALL_END_CALLEE_NAME);
BOTH("file", PINSIGHT_PYTHON_C_CALL_BEGIN_CALLER_FILENAME,
     PINSIGHT_PYTHON_C_CALL_END_CALLER_FILENAME);
BOTH("line", PINSIGHT_PYTHON_C_CALL_BEGIN_CALLER_LINENO, PINSIGHT_PYTHON_C_CALL_END_CALLER_LINENO);
BOTH("code", PINSIGHT_PYTHON_C_CALL_BEGIN_CODE_ID, PINSIGHT_PYTHON_C_CALL_END_CODE_ID);
BOTH("how", PINSIGHT_PYTHON_C_CALL_BEGIN_HOW, PINSIGHT_PYTHON_C_CALL_END_HOW);
BOTH("number", PINSIGHT_PYTHON_C_CALL_BEGIN_PYTHON_THREAD_ID,
     PINSIGHT_PYTHON_C_CALL_END_PYTHON_THREAD_ID);

/* A name for unknown things. Readers take an empty text for the previous text. */
#define NOT_KNOWN "?"

/* ---- code objects ---- */

static void learn(struct pinsight_ctf_names *names, struct pinsight_model *model,
                  const struct pinsight_event *event) {
    uint32_t process = pinsight_lookup_process(model, event)->index;
    uint32_t code = (uint32_t)pinsight_event_integer(event, PINSIGHT_PYTHON_CODE_INFO_CODE);

    pinsight_map_set(&names->codes, process, code, 0, (uint32_t)names->id_count);
    *PINSIGHT_ADD(names->ids, names->id_count, names->id_capacity) =
        (uint64_t)pinsight_event_integer(event, PINSIGHT_PYTHON_CODE_INFO_CODE_ID);
}

static uint64_t id_of(const struct pinsight_ctf_names *names,
                      const struct pinsight_process *process, uint32_t code) {
    uint32_t at = pinsight_map_get(&names->codes, process->index, code, 0);

    return at == PINSIGHT_MAP_NONE ? 0 : names->ids[at];
}

/* Returns the place for the identity of a thread's frame, at a depth from 0. */
static uint64_t *frame_id(struct pinsight_ctf_names *names, const struct pinsight_thread *thread,
                          size_t depth) {
    uint64_t key = (uint64_t)(uintptr_t)thread;
    uint32_t at = pinsight_map_get64(&names->threads, key);
    struct pinsight_ctf_stack *stack;

    if (at == PINSIGHT_MAP_NONE) {
        at = (uint32_t)names->stack_count;
        pinsight_map_set64(&names->threads, key, at);
        *PINSIGHT_ADD(names->stacks, names->stack_count, names->stack_capacity) =
            (struct pinsight_ctf_stack){0};
    }
    stack = &names->stacks[at];
    while (stack->count <= depth)
        *PINSIGHT_ADD(stack->ids, stack->count, stack->capacity) = 0;
    return &stack->ids[depth];
}

/* Returns the identity of the code that a call's event is about: the function's code, or the
 * caller's. A begin keeps the identity at its depth. */
static uint64_t called_id(struct pinsight_ctf_names *names, const struct pinsight_subject *subject,
                          uint32_t code) {
    struct pinsight_thread *thread = subject->thread;
    const struct pinsight_slice *frame;
    uint64_t id = 0;

    switch (subject->moment) {
    case PINSIGHT_FUNCTION_BEGIN:
        id = id_of(names, thread->process, code);
        break;
    case PINSIGHT_FUNCTION_END:
        return id_of(names, thread->process, code);
    case PINSIGHT_C_CALL_BEGIN:
        frame = pinsight_model_top_frame(thread);
        id = frame ? *frame_id(names, thread, (size_t)frame->key - 1) : 0;
        break;
    default:
        frame = pinsight_chain_top(thread, READER_PYTHON);
        return frame ? *frame_id(names, thread, (size_t)frame->key - 1) : 0;
    }
    *frame_id(names, thread, thread->depth) = id;
    return id;
}

/* ---- events of calls ---- */

static void set_text(struct pinsight_ctf_event *made, unsigned field, const char *text) {
    made->values[field].text = text;
}

static void set_number(struct pinsight_ctf_event *made, unsigned field, int64_t number) {
    made->values[field].number = (uint64_t)number;
}

static void name_function(const struct pinsight_model *model,
                          const struct pinsight_subject *subject, uint64_t id, unsigned how,
                          struct pinsight_ctf_event *made) {
    const struct pinsight_function *function = &model->functions[subject->function];

    made->id = subject->moment == PINSIGHT_FUNCTION_BEGIN ? PINSIGHT_EVENT_PYTHON_FUNCTION_BEGIN
                                                          : PINSIGHT_EVENT_PYTHON_FUNCTION_END;
    set_text(made, PINSIGHT_PYTHON_FUNCTION_BEGIN_QUALNAME,
             pinsight_function_name(model, subject->function));
    set_text(made, PINSIGHT_PYTHON_FUNCTION_BEGIN_FILENAME,
             pinsight_strings_text(&model->strings, function->file));
    set_number(made, PINSIGHT_PYTHON_FUNCTION_BEGIN_LINENO, function->line);
    set_number(made, PINSIGHT_PYTHON_FUNCTION_BEGIN_CODE_ID, (int64_t)id);
    set_number(made, PINSIGHT_PYTHON_FUNCTION_BEGIN_PYTHON_THREAD_ID, subject->thread->number);
    set_number(made, PINSIGHT_PYTHON_FUNCTION_BEGIN_HOW, how);
    if (subject->moment == PINSIGHT_FUNCTION_BEGIN)
        set_number(made, PINSIGHT_PYTHON_FUNCTION_BEGIN_CALLER_LINENO, subject->line);
}

static void name_call(const struct pinsight_model *model, const struct pinsight_subject *subject,
                      uint64_t id, unsigned how, struct pinsight_ctf_event *made) {
    uint32_t function = subject->function;

    made->id = subject->moment == PINSIGHT_C_CALL_BEGIN ? PINSIGHT_EVENT_PYTHON_C_CALL_BEGIN
                                                        : PINSIGHT_EVENT_PYTHON_C_CALL_END;
    set_text(made, PINSIGHT_PYTHON_C_CALL_BEGIN_CALLEE_NAME,
             pinsight_callee_name(model, subject->callee));
    set_text(made, PINSIGHT_PYTHON_C_CALL_BEGIN_CALLER_QUALNAME,
             function == PINSIGHT_NONE ? NOT_KNOWN : pinsight_function_name(model, function));
    set_text(made, PINSIGHT_PYTHON_C_CALL_BEGIN_CALLER_FILENAME,
             function == PINSIGHT_NONE
                 ? NOT_KNOWN
                 : pinsight_strings_text(&model->strings, model->functions[function].file));
    set_number(made, PINSIGHT_PYTHON_C_CALL_BEGIN_CALLER_LINENO, subject->line);
    set_number(made, PINSIGHT_PYTHON_C_CALL_BEGIN_CODE_ID, (int64_t)id);
    set_number(made, PINSIGHT_PYTHON_C_CALL_BEGIN_PYTHON_THREAD_ID, subject->thread->number);
    set_number(made, PINSIGHT_PYTHON_C_CALL_BEGIN_HOW, how);
}

/* Makes the event of a call that refers to names by number. */
static void name_event(struct pinsight_ctf_names *names, struct pinsight_model *model,
                       const struct pinsight_event *event, struct pinsight_ctf_event *made) {
    struct pinsight_thread *thread =
        pinsight_lookup_registry_thread(model, event, PINSIGHT_PYTHON_BEGIN_TID);
    struct pinsight_binding binding = *event->binding;
    struct pinsight_event meant = *event;
    struct pinsight_subject subject;
    uint32_t packed = (uint32_t)pinsight_event_integer(event, PINSIGHT_PYTHON_BEGIN_CODE_HOW);
    uint64_t id;

    binding.id = pinsight_python_meaning(thread, event);
    meant.binding = &binding;
    made->id = binding.id;
    if (binding.id == PINSIGHT_EVENT_UNKNOWN)
        return;
    subject = pinsight_subject_of(model, &meant);
    id = called_id(names, &subject, packed / 4);
    made->vtid = subject.tid;
    if (!subject.process->orphan)
        made->vpid = subject.process->pid;
    if (subject.moment == PINSIGHT_FUNCTION_BEGIN || subject.moment == PINSIGHT_FUNCTION_END)
        name_function(model, &subject, id, packed % 4, made);
    else
        name_call(model, &subject, id, packed % 4, made);
}

/* ---- all events ---- */

static void copy_fields(const struct pinsight_event *event, struct pinsight_ctf_event *made) {
    const struct pinsight_event_desc *desc = &pinsight_event_descs[event->binding->id];

    for (unsigned i = 0; i < desc->field_count; i++) {
        const struct pinsight_field_desc *field = &desc->fields[i];

        if (field->kind == PINSIGHT_FIELD_STRING)
            made->values[i].text = pinsight_event_text(event, i);
        else
            made->values[i].number = field->clock ? pinsight_event_time(event, i)
                                                  : (uint64_t)pinsight_event_integer(event, i);
    }
}

void pinsight_ctf_name(struct pinsight_ctf_names *names, struct pinsight_model *model,
                       const struct pinsight_event *event, struct pinsight_ctf_event *made) {
    enum pinsight_event_id id = event->binding->id;

    *made = (struct pinsight_ctf_event){.id = id,
                                        .ns = event->ns,
                                        .vpid = pinsight_event_vpid(event),
                                        .vtid = pinsight_event_vtid(event)};
    if (id == PINSIGHT_EVENT_PYTHON_CODE_INFO)
        learn(names, model, event);
    if (pinsight_event_is_numbered(id))
        name_event(names, model, event, made);
    else
        copy_fields(event, made);
}

void pinsight_ctf_names_clear(struct pinsight_ctf_names *names) {
    for (size_t i = 0; i < names->stack_count; i++)
        free(names->stacks[i].ids);
    free(names->stacks);
    free(names->ids);
    pinsight_map_clear(&names->codes);
    pinsight_map_clear(&names->threads);
    *names = (struct pinsight_ctf_names){0};
}
