/* From events to the model. Names are read the first time that a code object is seen; after that an
 * event is a few integers. */
#include "reader/ingest.h"

#include "reader/lookup.h"
#include "reader/names.h"

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
        pinsight_model_begin(thread, PINSIGHT_FUNCTION,
                             pinsight_lookup_function(thread->process, event), (unsigned)how,
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
        pinsight_model_begin(thread, PINSIGHT_C_CALL, pinsight_lookup_site(thread->process, event),
                             PINSIGHT_HOW_START, event->ns);
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

static void registry_event(struct pinsight_model *model, const struct pinsight_event *event) {
    /* The thread id stands first in all four, the packed number second. */
    struct pinsight_thread *thread =
        pinsight_lookup_registry_thread(model, event, PINSIGHT_PYTHON_BEGIN_TID);
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
        id = pinsight_lookup_open_site(thread, pinsight_names_callee_number(process, packed / 4));
        pinsight_model_end(thread, PINSIGHT_C_CALL, id, packed % 4, event->ns);
    }
}

static void profile(struct pinsight_model *model, const struct pinsight_event *event) {
    struct pinsight_process *process =
        pinsight_lookup_process_named(model, event, PINSIGHT_CORE_LEXGION_PROFILE_PID);
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

static void domain_event(struct pinsight_model *model, const struct pinsight_event *event) {
    struct pinsight_domain *domain;

    switch (event->binding->id) {
    case PINSIGHT_EVENT_CORE_DOMAIN_INFO:
        domain = pinsight_model_domain(
            pinsight_lookup_process_named(model, event, PINSIGHT_CORE_DOMAIN_INFO_PID),
            pinsight_event_text(event, PINSIGHT_CORE_DOMAIN_INFO_DOMAIN));
        domain->has_info = true;
        domain->runtime = pinsight_lookup_text(model, event, PINSIGHT_CORE_DOMAIN_INFO_RUNTIME);
        domain->mechanism = pinsight_lookup_text(model, event, PINSIGHT_CORE_DOMAIN_INFO_MECHANISM);
        domain->events = pinsight_lookup_text(model, event, PINSIGHT_CORE_DOMAIN_INFO_EVENTS);
        domain->mode = (uint32_t)pinsight_event_integer(event, PINSIGHT_CORE_DOMAIN_INFO_MODE);
        break;
    case PINSIGHT_EVENT_CORE_MODE_CHANGE:
        domain = pinsight_model_domain(
            pinsight_lookup_process_named(model, event, PINSIGHT_CORE_MODE_CHANGE_PID),
            pinsight_event_text(event, PINSIGHT_CORE_MODE_CHANGE_DOMAIN));
        domain->mode = (uint32_t)pinsight_event_integer(event, PINSIGHT_CORE_MODE_CHANGE_TO_MODE);
        if (!strcmp(pinsight_event_text(event, PINSIGHT_CORE_MODE_CHANGE_REASON), "size_limit"))
            domain->size_limit_reached = true;
        break;
    default:
        domain = pinsight_model_domain(
            pinsight_lookup_process_named(model, event, PINSIGHT_CORE_DOMAIN_TOTALS_PID),
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

static void definition(struct pinsight_model *model, const struct pinsight_event *event) {
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
            model, pinsight_lookup_process_named(model, event, PINSIGHT_CORE_THREAD_INFO_PID),
            (uint32_t)pinsight_event_integer(event, PINSIGHT_CORE_THREAD_INFO_TID),
            pinsight_event_integer(event, PINSIGHT_CORE_THREAD_INFO_PYTHON_THREAD_ID),
            pinsight_event_text(event, PINSIGHT_CORE_THREAD_INFO_NAME), event->ns);
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
    case PINSIGHT_EVENT_PYTHON_CALLEE_INFO:
        pinsight_names_callee_info(
            pinsight_lookup_process(model, event),
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

void pinsight_ingest(struct pinsight_model *model, const struct pinsight_event *event) {
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
        pinsight_model_touch(pinsight_lookup_process(model, event), event->ns);
        break;
    case PINSIGHT_EVENT_CORE_MARK:
        model->marks++;
        pinsight_model_touch(pinsight_lookup_process(model, event), event->ns);
        break;
    default:
        definition(model, event);
    }
}
