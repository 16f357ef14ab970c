/* From events to the model. Names are read the first time that a code object is seen; after that an
 * event is a few integers. */
#include "reader/ingest.h"

#include "reader/imports.h"
#include "reader/ingest_control.h"
#include "reader/ingest_cuda.h"
#include "reader/ingest_mpi.h"
#include "reader/ingest_openmp.h"
#include "reader/lookup.h"
#include "reader/mpi.h"
#include "reader/names.h"
#include "reader/native.h"
#include "reader/openmp.h"
#include "reader/paths.h"
#include "reader/timeline.h"

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

static void import_event(struct pinsight_model *model, const struct pinsight_event *event) {
    /* Begin and end have the module and the thread in the same places. */
    struct pinsight_thread *thread =
        pinsight_lookup_inline_thread(model, event, PINSIGHT_PYTHON_IMPORT_BEGIN_PYTHON_THREAD_ID);
    uint32_t module = pinsight_lookup_text(model, event, PINSIGHT_PYTHON_IMPORT_BEGIN_MODULE);

    pinsight_model_touch(thread->process, event->ns);
    if (event->binding->id == PINSIGHT_EVENT_PYTHON_IMPORT_BEGIN)
        pinsight_imports_begin(thread, module, event->ns);
    else
        pinsight_imports_end(
            thread, module, (unsigned)pinsight_event_integer(event, PINSIGHT_PYTHON_IMPORT_END_HOW),
            event->ns);
}

_Static_assert((int)PINSIGHT_PYTHON_IMPORT_BEGIN_MODULE == (int)PINSIGHT_PYTHON_IMPORT_END_MODULE &&
                   (int)PINSIGHT_PYTHON_IMPORT_BEGIN_PYTHON_THREAD_ID ==
                       (int)PINSIGHT_PYTHON_IMPORT_END_PYTHON_THREAD_ID &&
                   (int)PINSIGHT_CORE_REGION_BEGIN_NAME == (int)PINSIGHT_CORE_REGION_END_NAME &&
                   (int)PINSIGHT_CORE_REGION_BEGIN_NAME == (int)PINSIGHT_CORE_MARK_NAME &&
                   (int)PINSIGHT_CORE_REGION_BEGIN_PYTHON_THREAD_ID ==
                       (int)PINSIGHT_CORE_REGION_END_PYTHON_THREAD_ID &&
                   (int)PINSIGHT_CORE_REGION_BEGIN_PYTHON_THREAD_ID ==
                       (int)PINSIGHT_CORE_MARK_PYTHON_THREAD_ID,
               "begins and ends have the same fields in the same places");

/* What the program itself marked: a part of it, or a moment. */
static void marked_event(struct pinsight_model *model, const struct pinsight_event *event) {
    /* All three have the name and the thread in the same places. */
    uint32_t name = pinsight_lookup_text(model, event, PINSIGHT_CORE_REGION_BEGIN_NAME);
    struct pinsight_slice slice = pinsight_slice_of(PINSIGHT_SLICE_MARKED, name, name);
    struct pinsight_thread *thread;

    pinsight_model_touch(pinsight_lookup_process(model, event), event->ns);
    model->regions += event->binding->id == PINSIGHT_EVENT_CORE_REGION_BEGIN;
    model->marks += event->binding->id == PINSIGHT_EVENT_CORE_MARK;
    if (!model->timeline)
        return;
    thread =
        pinsight_lookup_inline_thread(model, event, PINSIGHT_CORE_REGION_BEGIN_PYTHON_THREAD_ID);
    if (event->binding->id == PINSIGHT_EVENT_CORE_MARK)
        pinsight_track_instant(thread, pinsight_strings_text(&model->strings, name), event->ns);
    else if (event->binding->id == PINSIGHT_EVENT_CORE_REGION_END)
        pinsight_slice_end(thread, PINSIGHT_SLICE_MARKED, name, event->ns);
    else
        pinsight_slice_begin(thread, &slice, event->ns);
}

/* What MONITORING counted of a native region: it knows the place, and nothing of Python. */
static void region_profile(struct pinsight_thread *thread, const struct pinsight_event *event,
                           const struct pinsight_counted *counted) {
    struct pinsight_process *process = thread->process;
    uint32_t number =
        (uint32_t)pinsight_event_integer(event, PINSIGHT_CORE_LEXGION_PROFILE_LEXGION);

    if (!strcmp(pinsight_event_text(event, PINSIGHT_CORE_LEXGION_PROFILE_DOMAIN), "MPI"))
        pinsight_mpi_count(process, pinsight_event_text(event, PINSIGHT_CORE_LEXGION_PROFILE_NAME),
                           pinsight_native_numbered(process, PINSIGHT_MPI_PLACES | number),
                           counted);
    else if (thread->selected)
        pinsight_omp_count(thread, pinsight_native_numbered(process, number), counted);
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
    int64_t kind = pinsight_event_integer(event, PINSIGHT_CORE_LEXGION_PROFILE_KIND);
    bool function = kind == PINSIGHT_FUNCTION;

    pinsight_model_touch(process, event->ns);
    if (kind == PINSIGHT_REGION) {
        region_profile(thread, event, &counted);
        return;
    }
    pinsight_names_profile(
        thread, function ? PINSIGHT_FUNCTION : PINSIGHT_C_CALL,
        pinsight_event_text(event, PINSIGHT_CORE_LEXGION_PROFILE_NAME),
        pinsight_event_text(event, PINSIGHT_CORE_LEXGION_PROFILE_FILENAME),
        (int32_t)pinsight_event_integer(event, PINSIGHT_CORE_LEXGION_PROFILE_LINENO), &counted);
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
    case PINSIGHT_EVENT_PYTHON_PATH_INFO:
        pinsight_path_info(
            pinsight_lookup_process(model, event),
            (uint32_t)pinsight_event_integer(event, PINSIGHT_PYTHON_PATH_INFO_PATH),
            (uint32_t)pinsight_event_integer(event, PINSIGHT_PYTHON_PATH_INFO_PARENT),
            (uint32_t)pinsight_event_integer(event, PINSIGHT_PYTHON_PATH_INFO_CODE),
            (int32_t)pinsight_event_integer(event, PINSIGHT_PYTHON_PATH_INFO_LINENO));
        break;
    case PINSIGHT_EVENT_CORE_LEXGION_PROFILE:
        profile(model, event);
        break;
    default:
        pinsight_ingest_control(model, event);
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
    case PINSIGHT_EVENT_PYTHON_IMPORT_BEGIN:
    case PINSIGHT_EVENT_PYTHON_IMPORT_END:
        import_event(model, event);
        break;
    case PINSIGHT_EVENT_CORE_REGION_BEGIN:
    case PINSIGHT_EVENT_CORE_REGION_END:
    case PINSIGHT_EVENT_CORE_MARK:
        marked_event(model, event);
        break;
    case PINSIGHT_EVENT_OPENMP_THREAD_BEGIN ... PINSIGHT_EVENT_OPENMP_REGION_INFO:
        pinsight_ingest_openmp(model, event);
        break;
    default:
        if (pinsight_is_mpi(event))
            pinsight_ingest_mpi(model, event);
        else if (pinsight_is_cuda(event))
            pinsight_ingest_cuda(model, event);
        else
            definition(model, event);
    }
}
