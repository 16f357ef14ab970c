/* Events of Python. Names are read when a code object is new. After that, an event is a few
 * integers. */
#include "reader/python/ingest.h"

#include "base/memory.h"
#include "format/allocated_lines.h"
#include "reader/kit/paths.h"
#include "reader/lookup.h"
#include "reader/python/exceptions.h"
#include "reader/python/garbage.h"
#include "reader/python/gil.h"
#include "reader/python/imports.h"
#include "reader/python/lines.h"
#include "reader/python/names.h"
#include "reader/python/run.h"
#include "reader/python/stacks.h"
#include "reader/python/tasks.h"

#include <string.h>

static void inline_event(struct pinsight_model *model, const struct pinsight_event *event) {
    struct pinsight_thread *thread;
    int how;

    switch (event->binding->id) {
    case PINSIGHT_EVENT_PYTHON_FUNCTION_BEGIN:
        thread = pinsight_lookup_inline_thread(model, event,
                                               PINSIGHT_PYTHON_FUNCTION_BEGIN_PYTHON_THREAD_ID);
        how = (int)pinsight_event_integer(event, PINSIGHT_PYTHON_FUNCTION_BEGIN_HOW);
        pinsight_model_touch(thread->process, event->ns);
        pinsight_model_called(
            thread, pinsight_lookup_function(thread->process, event), (unsigned)how,
            (int32_t)pinsight_event_integer(event, PINSIGHT_PYTHON_FUNCTION_BEGIN_CALLER_LINENO),
            event->ns);
        break;
    case PINSIGHT_EVENT_PYTHON_FUNCTION_END:
        thread = pinsight_lookup_inline_thread(model, event,
                                               PINSIGHT_PYTHON_FUNCTION_END_PYTHON_THREAD_ID);
        how = (int)pinsight_event_integer(event, PINSIGHT_PYTHON_FUNCTION_END_HOW);
        pinsight_model_touch(thread->process, event->ns);
        pinsight_model_end(thread, PINSIGHT_FUNCTION,
                           pinsight_lookup_function(thread->process, event), (unsigned)how,
                           event->ns);
        break;
    case PINSIGHT_EVENT_PYTHON_C_CALL_BEGIN:
        thread = pinsight_lookup_inline_thread(model, event,
                                               PINSIGHT_PYTHON_C_CALL_BEGIN_PYTHON_THREAD_ID);
        pinsight_model_touch(thread->process, event->ns);
        how = (int)pinsight_event_integer(event, PINSIGHT_PYTHON_C_CALL_BEGIN_HOW);
        pinsight_model_begin(thread, PINSIGHT_C_CALL, pinsight_lookup_site(thread->process, event),
                             (unsigned)how, event->ns);
        break;
    default:
        thread = pinsight_lookup_inline_thread(model, event,
                                               PINSIGHT_PYTHON_C_CALL_END_PYTHON_THREAD_ID);
        how = (int)pinsight_event_integer(event, PINSIGHT_PYTHON_C_CALL_END_HOW);
        pinsight_model_touch(thread->process, event->ns);
        pinsight_model_end(thread, PINSIGHT_C_CALL, pinsight_lookup_inline_open_site(thread, event),
                           (unsigned)how, event->ns);
    }
}

_Static_assert((int)PINSIGHT_PYTHON_IMPORT_BEGIN_MODULE == (int)PINSIGHT_PYTHON_IMPORT_END_MODULE &&
                   (int)PINSIGHT_PYTHON_IMPORT_BEGIN_PYTHON_THREAD_ID ==
                       (int)PINSIGHT_PYTHON_IMPORT_END_PYTHON_THREAD_ID,
               "begins and ends have the same fields in the same places");

static void import_event(struct pinsight_model *model, const struct pinsight_event *event) {
    /* Begin and end have the module and the thread in the same places. */
    struct pinsight_thread *thread =
        pinsight_lookup_inline_thread(model, event, PINSIGHT_PYTHON_IMPORT_BEGIN_PYTHON_THREAD_ID);
    uint32_t module = pinsight_lookup_text(model, event, PINSIGHT_PYTHON_IMPORT_BEGIN_MODULE);

    pinsight_model_touch(thread->process, event->ns);
    if (event->binding->id == PINSIGHT_EVENT_PYTHON_IMPORT_BEGIN)
        pinsight_imports_begin(
            thread, module,
            pinsight_path_of(thread->process, (uint32_t)pinsight_event_integer(
                                                  event, PINSIGHT_PYTHON_IMPORT_BEGIN_PY_PATH)),
            event->ns);
    else
        pinsight_imports_end(
            thread, module, (unsigned)pinsight_event_integer(event, PINSIGHT_PYTHON_IMPORT_END_HOW),
            event->ns);
}

static void gc_begin(struct pinsight_model *model, const struct pinsight_event *event) {
    struct pinsight_thread *thread =
        pinsight_lookup_inline_thread(model, event, PINSIGHT_PYTHON_GC_BEGIN_PYTHON_THREAD_ID);
    uint64_t path = (uint64_t)pinsight_event_integer(event, PINSIGHT_PYTHON_GC_BEGIN_PY_PATH);

    pinsight_model_touch(thread->process, event->ns);
    pinsight_garbage_begin(
        thread, (uint32_t)pinsight_event_integer(event, PINSIGHT_PYTHON_GC_BEGIN_GENERATION),
        pinsight_path_of(thread->process, (uint32_t)path), event->ns);
}

static void gc_end(struct pinsight_model *model, const struct pinsight_event *event) {
    struct pinsight_thread *thread =
        pinsight_lookup_inline_thread(model, event, PINSIGHT_PYTHON_GC_END_PYTHON_THREAD_ID);

    pinsight_model_touch(thread->process, event->ns);
    pinsight_garbage_end(
        thread, (uint64_t)pinsight_event_integer(event, PINSIGHT_PYTHON_GC_END_COLLECTED),
        (uint64_t)pinsight_event_integer(event, PINSIGHT_PYTHON_GC_END_UNCOLLECTABLE), event->ns);
}

static void gc_counted(struct pinsight_model *model, const struct pinsight_event *event) {
    struct pinsight_process *process = pinsight_lookup_process(model, event);
    uint64_t numbers[PINSIGHT_PYTHON_GC_COUNTED_UNCOLLECTABLE + 1];

    for (unsigned i = 0; i <= PINSIGHT_PYTHON_GC_COUNTED_UNCOLLECTABLE; i++)
        numbers[i] = (uint64_t)pinsight_event_integer(event, i);
    pinsight_model_touch(process, event->ns);
    pinsight_garbage_count(process,
                           &(struct pinsight_garbage){
                               .path = pinsight_path_of(
                                   process, (uint32_t)numbers[PINSIGHT_PYTHON_GC_COUNTED_PY_PATH]),
                               .count = {numbers[PINSIGHT_PYTHON_GC_COUNTED_GENERATION_0],
                                         numbers[PINSIGHT_PYTHON_GC_COUNTED_GENERATION_1],
                                         numbers[PINSIGHT_PYTHON_GC_COUNTED_GENERATION_2]},
                               .total_ns = numbers[PINSIGHT_PYTHON_GC_COUNTED_TOTAL_NS],
                               .self_ns = numbers[PINSIGHT_PYTHON_GC_COUNTED_SELF_NS],
                               .max_ns = numbers[PINSIGHT_PYTHON_GC_COUNTED_MAX_NS],
                               .collected = numbers[PINSIGHT_PYTHON_GC_COUNTED_COLLECTED],
                               .uncollectable = numbers[PINSIGHT_PYTHON_GC_COUNTED_UNCOLLECTABLE]});
}

/* Returns the sums of the line that allocated memory, or NULL if the process is filtered out, or
 * for lines that are counted together. */
static struct pinsight_allocated *allocated_at(struct pinsight_model *model,
                                               const struct pinsight_event *event, unsigned field) {
    struct pinsight_process *process = pinsight_lookup_process(model, event);
    uint32_t number = (uint32_t)pinsight_event_integer(event, field), path;

    pinsight_model_touch(process, event->ns);
    if (!process->selected || model->options.names_only)
        return NULL;
    if (number == PINSIGHT_ALLOCATED_FURTHER) {
        if (event->binding->id == PINSIGHT_EVENT_PYTHON_ALLOCATED)
            model->further_allocations +=
                (uint64_t)pinsight_event_integer(event, PINSIGHT_PYTHON_ALLOCATED_COUNT);
        return NULL;
    }
    path = pinsight_path_of(process, number);
    return PINSIGHT_KEYED(&model->allocated_map, path, process->index, 0, model->allocated,
                          model->allocated_count, model->allocated_capacity, .path = path);
}

static void allocated(struct pinsight_model *model, const struct pinsight_event *event) {
    struct pinsight_allocated *line = allocated_at(model, event, PINSIGHT_PYTHON_ALLOCATED_PY_PATH);

    if (!line)
        return;
    line->count += (uint64_t)pinsight_event_integer(event, PINSIGHT_PYTHON_ALLOCATED_COUNT);
    line->bytes += (uint64_t)pinsight_event_integer(event, PINSIGHT_PYTHON_ALLOCATED_BYTES);
}

static void allocated_live(struct pinsight_model *model, const struct pinsight_event *event) {
    struct pinsight_allocated *line =
        allocated_at(model, event, PINSIGHT_PYTHON_ALLOCATED_LIVE_PY_PATH);

    if (!line)
        return;
    line->has_live = true;
    line->blocks = (uint64_t)pinsight_event_integer(event, PINSIGHT_PYTHON_ALLOCATED_LIVE_BLOCKS);
    line->live_bytes =
        (uint64_t)pinsight_event_integer(event, PINSIGHT_PYTHON_ALLOCATED_LIVE_BYTES);
    line->peak_bytes =
        (uint64_t)pinsight_event_integer(event, PINSIGHT_PYTHON_ALLOCATED_LIVE_PEAK_BYTES);
}

static void generator(struct pinsight_model *model, const struct pinsight_event *event) {
    struct pinsight_thread *thread = pinsight_lookup_native_thread(model, event, 0);
    uint32_t code = (uint32_t)pinsight_event_integer(event, PINSIGHT_PYTHON_GENERATOR_CODE);

    pinsight_model_touch(thread->process, event->ns);
    pinsight_stacks_set_generator(
        thread, pinsight_numbers_get(&thread->process->codes, code),
        (uint32_t)pinsight_event_integer(event, PINSIGHT_PYTHON_GENERATOR_GENERATOR));
}

/* Adds the folders of a list to the model. An empty list is "-". */
static void take_folders(struct pinsight_model *model, const struct pinsight_event *event,
                         unsigned field, enum pinsight_code_owner owner) {
    const char *list = pinsight_event_text(event, field);

    if (strcmp(list, "-") != 0)
        pinsight_code_folders_add(&model->code_folders, list, owner);
}

static void profiler_replaced(struct pinsight_model *model, const struct pinsight_event *event) {
    struct pinsight_process *process =
        pinsight_lookup_process_named(model, event, PINSIGHT_PYTHON_PROFILER_REPLACED_PID);
    struct pinsight_python *python = pinsight_python_of(model);

    if (process->selected && !python->replaced++)
        python->replaced_path = pinsight_path_of(
            process,
            (uint32_t)pinsight_event_integer(event, PINSIGHT_PYTHON_PROFILER_REPLACED_PY_PATH));
}

void pinsight_ingest_python(struct pinsight_model *model, const struct pinsight_event *event) {
    if (pinsight_event_is_numbered(event->binding->id)) {
        pinsight_python_take(model, event);
        return;
    }
    switch (event->binding->id) {
    case PINSIGHT_EVENT_PYTHON_FUNCTION_BEGIN:
    case PINSIGHT_EVENT_PYTHON_FUNCTION_END:
    case PINSIGHT_EVENT_PYTHON_C_CALL_BEGIN:
    case PINSIGHT_EVENT_PYTHON_C_CALL_END:
        inline_event(model, event);
        break;
    case PINSIGHT_EVENT_PYTHON_IMPORT_BEGIN:
    case PINSIGHT_EVENT_PYTHON_IMPORT_END:
        import_event(model, event);
        break;
    case PINSIGHT_EVENT_PYTHON_GC_BEGIN:
        gc_begin(model, event);
        break;
    case PINSIGHT_EVENT_PYTHON_GC_END:
        gc_end(model, event);
        break;
    case PINSIGHT_EVENT_PYTHON_GC_COUNTED:
        gc_counted(model, event);
        break;
    case PINSIGHT_EVENT_PYTHON_ALLOCATED:
        allocated(model, event);
        break;
    case PINSIGHT_EVENT_PYTHON_ALLOCATED_LIVE:
        allocated_live(model, event);
        break;
    case PINSIGHT_EVENT_PYTHON_LINE_MEASURED:
    case PINSIGHT_EVENT_PYTHON_LINES_WANTED:
        pinsight_lines_take(model, event);
        break;
    case PINSIGHT_EVENT_PYTHON_LOCK_MADE:
    case PINSIGHT_EVENT_PYTHON_LOCK_WAIT_BEGIN:
    case PINSIGHT_EVENT_PYTHON_LOCK_WAIT_END:
    case PINSIGHT_EVENT_PYTHON_LOCK_RELEASE:
        pinsight_locks_take(model, event);
        break;
    case PINSIGHT_EVENT_PYTHON_TASK_BEGIN:
    case PINSIGHT_EVENT_PYTHON_TASK_SWITCH:
    case PINSIGHT_EVENT_PYTHON_TASK_WAKE:
    case PINSIGHT_EVENT_PYTHON_TASK_END:
    case PINSIGHT_EVENT_PYTHON_LOOP_HELD:
        pinsight_tasks_take(model, event);
        break;
    case PINSIGHT_EVENT_PYTHON_EXCEPTION_TYPE:
    case PINSIGHT_EVENT_PYTHON_EXCEPTION_RAISED:
    case PINSIGHT_EVENT_PYTHON_EXCEPTION_HANDLED:
    case PINSIGHT_EVENT_PYTHON_EXCEPTION_RERAISED:
    case PINSIGHT_EVENT_PYTHON_EXCEPTION_COUNTED:
        pinsight_exceptions_take(model, event);
        break;
    case PINSIGHT_EVENT_PYTHON_GENERATOR:
        generator(model, event);
        break;
    case PINSIGHT_EVENT_PYTHON_THREAD_RUNS:
        pinsight_starts_take(model, event);
        break;
    case PINSIGHT_EVENT_PYTHON_WAITS_UNSEEN:
        pinsight_gil_take_unseen(model, event);
        break;
    case PINSIGHT_EVENT_PYTHON_PROFILER_REPLACED:
        profiler_replaced(model, event);
        break;
    case PINSIGHT_EVENT_PYTHON_INTERPRETER_INFO:
        pinsight_interpreters_take(model, event);
        break;
    case PINSIGHT_EVENT_PYTHON_GIL_LOAD:
        pinsight_gil_take_load(model, event);
        break;
    case PINSIGHT_EVENT_PYTHON_GIL_WAIT:
        pinsight_gil_take(model, event);
        break;
    case PINSIGHT_EVENT_PYTHON_CODE_INFO:
        pinsight_names_code_info(
            pinsight_lookup_process(model, event),
            (uint32_t)pinsight_event_integer(event, PINSIGHT_PYTHON_CODE_INFO_CODE),
            (uint64_t)pinsight_event_integer(event, PINSIGHT_PYTHON_CODE_INFO_CODE_ID),
            pinsight_event_text(event, PINSIGHT_PYTHON_CODE_INFO_QUALNAME),
            pinsight_event_text(event, PINSIGHT_PYTHON_CODE_INFO_FILENAME),
            (int32_t)pinsight_event_integer(event, PINSIGHT_PYTHON_CODE_INFO_LINENO),
            pinsight_event_text(event, PINSIGHT_PYTHON_CODE_INFO_MODULE));
        break;
    case PINSIGHT_EVENT_PYTHON_CODE_FOLDERS:
        take_folders(model, event, PINSIGHT_PYTHON_CODE_FOLDERS_LIBRARIES,
                     PINSIGHT_CODE_OF_LIBRARY);
        take_folders(model, event, PINSIGHT_PYTHON_CODE_FOLDERS_USERS, PINSIGHT_CODE_OF_USER);
        break;
    case PINSIGHT_EVENT_PYTHON_CALLEE_INFO:
        pinsight_names_callee_info(
            pinsight_lookup_process(model, event),
            (uint32_t)pinsight_event_integer(event, PINSIGHT_PYTHON_CALLEE_INFO_CALLEE),
            pinsight_event_text(event, PINSIGHT_PYTHON_CALLEE_INFO_CALLEE_NAME),
            pinsight_event_text(event, PINSIGHT_PYTHON_CALLEE_INFO_MODULE));
        break;
    case PINSIGHT_EVENT_PYTHON_PATH_INFO:
        pinsight_path_info(
            pinsight_lookup_process(model, event),
            (uint32_t)pinsight_event_integer(event, PINSIGHT_PYTHON_PATH_INFO_PATH),
            (uint32_t)pinsight_event_integer(event, PINSIGHT_PYTHON_PATH_INFO_PARENT),
            (uint32_t)pinsight_event_integer(event, PINSIGHT_PYTHON_PATH_INFO_CODE),
            (int32_t)pinsight_event_integer(event, PINSIGHT_PYTHON_PATH_INFO_LINENO));
        break;
    default:
        break;
    }
}
