/* From events to the model. Names are read the first time that a code object is seen; after that an
 * event is a few integers. */
#include "reader/ingest.h"

#include "reader/names.h"

#include <string.h>

static uint32_t add_text(struct pinsight_model *model, const struct pinsight_event *event,
                         unsigned field)
{
    const char *text = pinsight_event_text(event, field);

    return pinsight_strings_add(&model->strings, text, strlen(text));
}

/* The process of an event that carries no pid of its own. */
static struct pinsight_process *process_of(struct pinsight_model *model,
                                           const struct pinsight_event *event)
{
    int64_t vpid = pinsight_event_vpid(event);

    return pinsight_model_process(model, event->binding->host, vpid < 0 ? 0 : vpid);
}

/* The process of an event that has a field with the pid. */
static struct pinsight_process *process_named(struct pinsight_model *model,
                                              const struct pinsight_event *event, unsigned field)
{
    return pinsight_model_process(model, event->binding->host,
                                  pinsight_event_integer(event, field));
}

static struct pinsight_thread *inline_thread(struct pinsight_model *model,
                                             const struct pinsight_event *event, unsigned field)
{
    struct pinsight_process *process = process_of(model, event);
    int64_t number = pinsight_event_integer(event, field);

    if (number < 0)
        return pinsight_model_thread(process, -1, (uint32_t)pinsight_event_vtid(event));
    return pinsight_model_thread(process, number, 0);
}

static struct pinsight_thread *registry_thread(struct pinsight_model *model,
                                               const struct pinsight_event *event, unsigned field)
{
    return pinsight_model_thread_by_tid(model, event->binding->host,
                                        (uint32_t)pinsight_event_integer(event, field), NULL);
}

/* The function of an inline event; its names are read if its code object is new. */
static uint32_t inline_function(struct pinsight_process *process,
                                const struct pinsight_event *event, unsigned code_id,
                                unsigned qualname, unsigned filename, int32_t line)
{
    struct pinsight_model *model = process->model;
    uint64_t id = (uint64_t)pinsight_event_integer(event, code_id);
    uint32_t function = pinsight_map_get64(&process->code_ids, id);

    if (function != PINSIGHT_MAP_NONE && (line == 0 || model->functions[function].line != 0))
        return function;
    function = pinsight_names_function(model, add_text(model, event, qualname),
                                       add_text(model, event, filename), line);
    pinsight_map_set64(&process->code_ids, id, function);
    return function;
}

static uint32_t function_of(struct pinsight_process *process, const struct pinsight_event *event)
{
    /* function_begin and function_end have the same fields in the same places. */
    uint32_t function = pinsight_map_get64(
        &process->code_ids,
        (uint64_t)pinsight_event_integer(event, PINSIGHT_PYTHON_FUNCTION_BEGIN_CODE_ID));

    if (function != PINSIGHT_MAP_NONE && process->model->functions[function].line != 0)
        return function;
    return inline_function(
        process, event, PINSIGHT_PYTHON_FUNCTION_BEGIN_CODE_ID,
        PINSIGHT_PYTHON_FUNCTION_BEGIN_QUALNAME, PINSIGHT_PYTHON_FUNCTION_BEGIN_FILENAME,
        (int32_t)pinsight_event_integer(event, PINSIGHT_PYTHON_FUNCTION_BEGIN_LINENO));
}

_Static_assert((int)PINSIGHT_PYTHON_FUNCTION_BEGIN_CODE_ID == (int)PINSIGHT_PYTHON_FUNCTION_END_CODE_ID &&
                   (int)PINSIGHT_PYTHON_FUNCTION_BEGIN_HOW == (int)PINSIGHT_PYTHON_FUNCTION_END_HOW &&
                   (int)PINSIGHT_PYTHON_C_CALL_BEGIN_PYTHON_THREAD_ID ==
                       (int)PINSIGHT_PYTHON_C_CALL_END_PYTHON_THREAD_ID &&
                   (int)PINSIGHT_PYTHON_BEGIN_CODE_HOW == (int)PINSIGHT_PYTHON_END_CODE_HOW &&
                   (int)PINSIGHT_PYTHON_C_BEGIN_CALLEE_HOW == (int)PINSIGHT_PYTHON_C_END_CALLEE_HOW,
               "begins and ends have the same fields in the same places");

static uint32_t site_of(struct pinsight_process *process, const struct pinsight_event *event)
{
    struct pinsight_model *model = process->model;
    uint32_t name = add_text(model, event, PINSIGHT_PYTHON_C_CALL_BEGIN_CALLEE_NAME);
    uint32_t caller =
        inline_function(process, event, PINSIGHT_PYTHON_C_CALL_BEGIN_CODE_ID,
                        PINSIGHT_PYTHON_C_CALL_BEGIN_CALLER_QUALNAME,
                        PINSIGHT_PYTHON_C_CALL_BEGIN_CALLER_FILENAME, 0);

    return pinsight_names_site(
        model, pinsight_names_callee(model, name), caller,
        (int32_t)pinsight_event_integer(event, PINSIGHT_PYTHON_C_CALL_BEGIN_CALLER_LINENO));
}

/* The call site that the end of a C call closes: the innermost open one of that callee. */
static uint32_t open_site(const struct pinsight_thread *thread, uint32_t callee)
{
    const struct pinsight_model *model = thread->process->model;

    if (callee >= thread->active_count[2] || !thread->active[2][callee])
        return PINSIGHT_NONE;
    for (size_t i = thread->depth; i-- > 0;) {
        const struct pinsight_frame *frame = &thread->frames[i];

        if (frame->kind == PINSIGHT_C_CALL && model->sites[frame->id].callee == callee)
            return frame->id;
    }
    return PINSIGHT_NONE;
}

static uint32_t inline_open_site(const struct pinsight_thread *thread,
                                 const struct pinsight_event *event)
{
    struct pinsight_model *model = thread->process->model;
    uint32_t name = add_text(model, event, PINSIGHT_PYTHON_C_CALL_END_CALLEE_NAME);

    return open_site(thread, pinsight_names_callee(model, name));
}

static void inline_event(struct pinsight_model *model, const struct pinsight_event *event)
{
    struct pinsight_thread *thread;
    int how;

    switch (event->binding->id) {
    case PINSIGHT_EVENT_PYTHON_FUNCTION_BEGIN:
        thread = inline_thread(model, event, PINSIGHT_PYTHON_FUNCTION_BEGIN_PYTHON_THREAD_ID);
        how = (int)pinsight_event_integer(event, PINSIGHT_PYTHON_FUNCTION_BEGIN_HOW);
        pinsight_model_touch(thread->process, event->ns);
        pinsight_model_begin(thread, PINSIGHT_FUNCTION, function_of(thread->process, event),
                             (unsigned)how, event->ns);
        break;
    case PINSIGHT_EVENT_PYTHON_FUNCTION_END:
        thread = inline_thread(model, event, PINSIGHT_PYTHON_FUNCTION_END_PYTHON_THREAD_ID);
        how = (int)pinsight_event_integer(event, PINSIGHT_PYTHON_FUNCTION_END_HOW);
        pinsight_model_touch(thread->process, event->ns);
        pinsight_model_end(thread, PINSIGHT_FUNCTION, function_of(thread->process, event),
                           (unsigned)how, event->ns);
        break;
    case PINSIGHT_EVENT_PYTHON_C_CALL_BEGIN:
        thread = inline_thread(model, event, PINSIGHT_PYTHON_C_CALL_BEGIN_PYTHON_THREAD_ID);
        pinsight_model_touch(thread->process, event->ns);
        pinsight_model_begin(thread, PINSIGHT_C_CALL, site_of(thread->process, event),
                             PINSIGHT_HOW_START, event->ns);
        break;
    default:
        thread = inline_thread(model, event, PINSIGHT_PYTHON_C_CALL_END_PYTHON_THREAD_ID);
        how = (int)pinsight_event_integer(event, PINSIGHT_PYTHON_C_CALL_END_HOW);
        pinsight_model_touch(thread->process, event->ns);
        pinsight_model_end(thread, PINSIGHT_C_CALL, inline_open_site(thread, event), (unsigned)how,
                           event->ns);
    }
}

static void registry_event(struct pinsight_model *model, const struct pinsight_event *event)
{
    /* The thread id stands first in all four, the packed number second. */
    struct pinsight_thread *thread =
        registry_thread(model, event, PINSIGHT_PYTHON_BEGIN_TID);
    uint32_t packed = (uint32_t)pinsight_event_integer(event, PINSIGHT_PYTHON_BEGIN_CODE_HOW);
    struct pinsight_process *process = thread->process;
    uint32_t id;

    pinsight_model_touch(process, event->ns);
    switch (event->binding->id) {
    case PINSIGHT_EVENT_PYTHON_BEGIN:
        pinsight_model_begin(thread, PINSIGHT_FUNCTION, pinsight_names_code(process, packed / 4),
                             packed % 4, event->ns);
        break;
    case PINSIGHT_EVENT_PYTHON_END:
        pinsight_model_end(thread, PINSIGHT_FUNCTION, pinsight_names_code(process, packed / 4),
                           packed % 4, event->ns);
        break;
    case PINSIGHT_EVENT_PYTHON_C_BEGIN:
        id = pinsight_names_site(
            model, pinsight_names_callee_number(process, packed / 4),
            pinsight_model_top_function(thread),
            (int32_t)pinsight_event_integer(event, PINSIGHT_PYTHON_C_BEGIN_LINENO));
        pinsight_model_begin(thread, PINSIGHT_C_CALL, id, PINSIGHT_HOW_START, event->ns);
        break;
    default:
        id = open_site(thread, pinsight_names_callee_number(process, packed / 4));
        pinsight_model_end(thread, PINSIGHT_C_CALL, id, packed % 4, event->ns);
    }
}

_Static_assert((int)PINSIGHT_PYTHON_BEGIN_TID == (int)PINSIGHT_PYTHON_C_BEGIN_TID &&
                   (int)PINSIGHT_PYTHON_BEGIN_CODE_HOW == (int)PINSIGHT_PYTHON_C_BEGIN_CALLEE_HOW,
               "registry events begin alike");

static void profile(struct pinsight_model *model, const struct pinsight_event *event)
{
    struct pinsight_process *process =
        process_named(model, event, PINSIGHT_CORE_LEXGION_PROFILE_PID);
    struct pinsight_thread *thread = pinsight_model_thread(
        process, pinsight_event_integer(event, PINSIGHT_CORE_LEXGION_PROFILE_PYTHON_THREAD_ID),
        (uint32_t)pinsight_event_integer(event, PINSIGHT_CORE_LEXGION_PROFILE_TID));
    struct pinsight_counted counted = {
        (uint64_t)pinsight_event_integer(event, PINSIGHT_CORE_LEXGION_PROFILE_CALLS),
        (uint64_t)pinsight_event_integer(event, PINSIGHT_CORE_LEXGION_PROFILE_INCLUSIVE_NS),
        (uint64_t)pinsight_event_integer(event, PINSIGHT_CORE_LEXGION_PROFILE_EXCLUSIVE_NS)};
    bool function = pinsight_event_integer(event, PINSIGHT_CORE_LEXGION_PROFILE_KIND) == 0;

    pinsight_model_touch(process, event->ns);
    pinsight_names_profile(
        thread, function ? PINSIGHT_FUNCTION : PINSIGHT_C_CALL,
        pinsight_event_text(event, PINSIGHT_CORE_LEXGION_PROFILE_NAME),
        pinsight_event_text(event, PINSIGHT_CORE_LEXGION_PROFILE_FILENAME),
        (int32_t)pinsight_event_integer(event, PINSIGHT_CORE_LEXGION_PROFILE_LINENO), &counted);
}

static void domain_event(struct pinsight_model *model, const struct pinsight_event *event)
{
    struct pinsight_domain *domain;

    switch (event->binding->id) {
    case PINSIGHT_EVENT_CORE_DOMAIN_INFO:
        domain = pinsight_model_domain(
            process_named(model, event, PINSIGHT_CORE_DOMAIN_INFO_PID),
            pinsight_event_text(event, PINSIGHT_CORE_DOMAIN_INFO_DOMAIN));
        domain->has_info = true;
        domain->runtime = add_text(model, event, PINSIGHT_CORE_DOMAIN_INFO_RUNTIME);
        domain->mechanism = add_text(model, event, PINSIGHT_CORE_DOMAIN_INFO_MECHANISM);
        domain->events = add_text(model, event, PINSIGHT_CORE_DOMAIN_INFO_EVENTS);
        domain->mode = (uint32_t)pinsight_event_integer(event, PINSIGHT_CORE_DOMAIN_INFO_MODE);
        break;
    case PINSIGHT_EVENT_CORE_MODE_CHANGE:
        domain = pinsight_model_domain(
            process_named(model, event, PINSIGHT_CORE_MODE_CHANGE_PID),
            pinsight_event_text(event, PINSIGHT_CORE_MODE_CHANGE_DOMAIN));
        domain->mode = (uint32_t)pinsight_event_integer(event, PINSIGHT_CORE_MODE_CHANGE_TO_MODE);
        if (!strcmp(pinsight_event_text(event, PINSIGHT_CORE_MODE_CHANGE_REASON), "size_limit"))
            domain->size_limit_reached = true;
        break;
    default:
        domain = pinsight_model_domain(
            process_named(model, event, PINSIGHT_CORE_DOMAIN_TOTALS_PID),
            pinsight_event_text(event, PINSIGHT_CORE_DOMAIN_TOTALS_DOMAIN));
        domain->has_totals = true;
        domain->lost_frames =
            (uint64_t)pinsight_event_integer(event, PINSIGHT_CORE_DOMAIN_TOTALS_LOST_FRAMES);
        domain->dropped_ends =
            (uint64_t)pinsight_event_integer(event, PINSIGHT_CORE_DOMAIN_TOTALS_DROPPED_ENDS);
        domain->bytes = (uint64_t)pinsight_event_integer(event, PINSIGHT_CORE_DOMAIN_TOTALS_BYTES);
        domain->size_limit =
            (uint64_t)pinsight_event_integer(event, PINSIGHT_CORE_DOMAIN_TOTALS_SIZE_LIMIT);
        domain->size_limit_reached |=
            pinsight_event_integer(event, PINSIGHT_CORE_DOMAIN_TOTALS_SIZE_LIMIT_REACHED) != 0;
    }
}

static void definition(struct pinsight_model *model, const struct pinsight_event *event)
{
    switch (event->binding->id) {
    case PINSIGHT_EVENT_CORE_PROCESS_INFO:
        pinsight_model_process_info(
            model, event->binding->host,
            pinsight_event_integer(event, PINSIGHT_CORE_PROCESS_INFO_PID), event->ns,
            pinsight_event_integer(event, PINSIGHT_CORE_PROCESS_INFO_PPID),
            (int32_t)pinsight_event_integer(event, PINSIGHT_CORE_PROCESS_INFO_RANK),
            pinsight_event_text(event, PINSIGHT_CORE_PROCESS_INFO_HOSTNAME),
            pinsight_event_text(event, PINSIGHT_CORE_PROCESS_INFO_PROGRAM),
            pinsight_event_text(event, PINSIGHT_CORE_PROCESS_INFO_COMMAND),
            pinsight_event_text(event, PINSIGHT_CORE_PROCESS_INFO_VERSION));
        break;
    case PINSIGHT_EVENT_CORE_THREAD_INFO:
        pinsight_model_thread_info(
            model, process_named(model, event, PINSIGHT_CORE_THREAD_INFO_PID),
            (uint32_t)pinsight_event_integer(event, PINSIGHT_CORE_THREAD_INFO_TID),
            pinsight_event_integer(event, PINSIGHT_CORE_THREAD_INFO_PYTHON_THREAD_ID),
            pinsight_event_text(event, PINSIGHT_CORE_THREAD_INFO_NAME), event->ns);
        break;
    case PINSIGHT_EVENT_PYTHON_CODE_INFO:
        pinsight_names_code_info(
            process_of(model, event),
            (uint32_t)pinsight_event_integer(event, PINSIGHT_PYTHON_CODE_INFO_CODE),
            (uint64_t)pinsight_event_integer(event, PINSIGHT_PYTHON_CODE_INFO_CODE_ID),
            pinsight_event_text(event, PINSIGHT_PYTHON_CODE_INFO_QUALNAME),
            pinsight_event_text(event, PINSIGHT_PYTHON_CODE_INFO_FILENAME),
            (int32_t)pinsight_event_integer(event, PINSIGHT_PYTHON_CODE_INFO_LINENO),
            pinsight_event_text(event, PINSIGHT_PYTHON_CODE_INFO_MODULE));
        break;
    case PINSIGHT_EVENT_PYTHON_CALLEE_INFO:
        pinsight_names_callee_info(
            process_of(model, event),
            (uint32_t)pinsight_event_integer(event, PINSIGHT_PYTHON_CALLEE_INFO_CALLEE),
            pinsight_event_text(event, PINSIGHT_PYTHON_CALLEE_INFO_CALLEE_NAME),
            pinsight_event_text(event, PINSIGHT_PYTHON_CALLEE_INFO_MODULE));
        break;
    case PINSIGHT_EVENT_CORE_LEXGION_PROFILE:
        profile(model, event);
        break;
    default:
        domain_event(model, event);
    }
}

void pinsight_ingest(struct pinsight_model *model, const struct pinsight_event *event)
{
    switch (event->binding->id) {
    case PINSIGHT_EVENT_UNKNOWN:
        break;
    case PINSIGHT_EVENT_PYTHON_FUNCTION_BEGIN:
    case PINSIGHT_EVENT_PYTHON_FUNCTION_END:
    case PINSIGHT_EVENT_PYTHON_C_CALL_BEGIN:
    case PINSIGHT_EVENT_PYTHON_C_CALL_END:
        inline_event(model, event);
        break;
    case PINSIGHT_EVENT_PYTHON_BEGIN:
    case PINSIGHT_EVENT_PYTHON_END:
    case PINSIGHT_EVENT_PYTHON_C_BEGIN:
    case PINSIGHT_EVENT_PYTHON_C_END:
        registry_event(model, event);
        break;
    case PINSIGHT_EVENT_CORE_REGION_BEGIN:
    case PINSIGHT_EVENT_CORE_REGION_END:
        model->regions += event->binding->id == PINSIGHT_EVENT_CORE_REGION_BEGIN;
        pinsight_model_touch(process_of(model, event), event->ns);
        break;
    case PINSIGHT_EVENT_CORE_MARK:
        model->marks++;
        pinsight_model_touch(process_of(model, event), event->ns);
        break;
    default:
        definition(model, event);
    }
}
