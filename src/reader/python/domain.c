/* Python as a domain of the reader. */
#include "reader/domain.h"
#include "reader/lookup.h"
#include "reader/python/gil.h"
#include "reader/python/imports.h"
#include "reader/python/ingest.h"
#include "reader/python/names.h"
#include "reader/python/run.h"
#include "reader/python/stacks.h"
#include "reader/subject.h"

#include <stdlib.h>

static const enum pinsight_event_id names[] = {
    PINSIGHT_EVENT_PYTHON_CODE_INFO,      PINSIGHT_EVENT_PYTHON_PATH_INFO,
    PINSIGHT_EVENT_PYTHON_CALLEE_INFO,    PINSIGHT_EVENT_PYTHON_THREAD_RUNS,
    PINSIGHT_EVENT_PYTHON_EXCEPTION_TYPE, PINSIGHT_EVENT_UNKNOWN};

static void take_site(struct pinsight_subject *subject, const struct pinsight_model *model,
                      uint32_t site) {
    if (site == PINSIGHT_NONE)
        return;
    subject->callee = model->sites[site].callee;
    subject->function = model->sites[site].caller;
    subject->line = model->sites[site].line;
}

static void inline_subject(struct pinsight_subject *subject, struct pinsight_model *model,
                           const struct pinsight_event *event) {
    enum pinsight_event_id id = event->binding->id;
    bool call = id == PINSIGHT_EVENT_PYTHON_C_CALL_BEGIN || id == PINSIGHT_EVENT_PYTHON_C_CALL_END;
    unsigned how = call ? PINSIGHT_PYTHON_C_CALL_END_HOW : PINSIGHT_PYTHON_FUNCTION_BEGIN_HOW;
    uint64_t value = (uint64_t)pinsight_event_integer(event, how);

    subject->thread = pinsight_lookup_inline_thread(
        model, event,
        call ? (unsigned)PINSIGHT_PYTHON_C_CALL_BEGIN_PYTHON_THREAD_ID
             : (unsigned)PINSIGHT_PYTHON_FUNCTION_BEGIN_PYTHON_THREAD_ID);
    subject->process = subject->thread->process;
    subject->moment = id == PINSIGHT_EVENT_PYTHON_FUNCTION_BEGIN ? PINSIGHT_FUNCTION_BEGIN
                      : id == PINSIGHT_EVENT_PYTHON_FUNCTION_END ? PINSIGHT_FUNCTION_END
                      : id == PINSIGHT_EVENT_PYTHON_C_CALL_BEGIN ? PINSIGHT_C_CALL_BEGIN
                                                                 : PINSIGHT_C_CALL_END;
    if (call)
        take_site(subject, model, pinsight_lookup_site(subject->process, event));
    else
        subject->function = pinsight_lookup_function(subject->process, event);
    if (id != PINSIGHT_EVENT_PYTHON_C_CALL_BEGIN || value)
        subject->how = pinsight_subject_label(id, how, value);
}

static void registry_subject(struct pinsight_subject *subject, struct pinsight_model *model,
                             const struct pinsight_event *event) {
    enum pinsight_event_id id = event->binding->id;
    uint32_t packed = (uint32_t)pinsight_event_integer(event, PINSIGHT_PYTHON_BEGIN_CODE_HOW);
    uint64_t how = packed % 4;

    subject->thread = pinsight_lookup_registry_thread(model, event, PINSIGHT_PYTHON_BEGIN_TID);
    subject->process = subject->thread->process;
    subject->tid = subject->thread->tid;
    switch (id) {
    case PINSIGHT_EVENT_PYTHON_BEGIN:
        subject->line = (int32_t)pinsight_event_integer(event, PINSIGHT_PYTHON_BEGIN_LINENO);
        /* fall through */
    case PINSIGHT_EVENT_PYTHON_END:
        subject->function = pinsight_names_code(subject->process, packed / 4);
        id = id == PINSIGHT_EVENT_PYTHON_BEGIN ? PINSIGHT_EVENT_PYTHON_FUNCTION_BEGIN
                                               : PINSIGHT_EVENT_PYTHON_FUNCTION_END;
        subject->moment = id == PINSIGHT_EVENT_PYTHON_FUNCTION_BEGIN ? PINSIGHT_FUNCTION_BEGIN
                                                                     : PINSIGHT_FUNCTION_END;
        subject->how = pinsight_subject_label(id, PINSIGHT_PYTHON_FUNCTION_BEGIN_HOW, how);
        break;
    case PINSIGHT_EVENT_PYTHON_C_BEGIN:
        subject->moment = PINSIGHT_C_CALL_BEGIN;
        subject->callee = pinsight_names_callee_number(subject->process, packed / 4);
        subject->function = pinsight_model_top_function(subject->thread);
        subject->line = (int32_t)pinsight_event_integer(event, PINSIGHT_PYTHON_C_BEGIN_LINENO);
        id = PINSIGHT_EVENT_PYTHON_C_CALL_BEGIN;
        if (how)
            subject->how = pinsight_subject_label(id, PINSIGHT_PYTHON_C_CALL_BEGIN_HOW, how);
        break;
    default:
        subject->moment = PINSIGHT_C_CALL_END;
        subject->callee = pinsight_names_callee_number(subject->process, packed / 4);
        take_site(subject, model, pinsight_lookup_open_site(subject->thread, subject->callee));
        id = PINSIGHT_EVENT_PYTHON_C_CALL_END;
        subject->how = pinsight_subject_label(id, PINSIGHT_PYTHON_C_CALL_END_HOW, how);
    }
    subject->name = pinsight_event_descs[id].name;
}

static void subject_of(struct pinsight_subject *subject, struct pinsight_model *model,
                       const struct pinsight_event *event) {
    switch (event->binding->id) {
    case PINSIGHT_EVENT_PYTHON_FUNCTION_BEGIN:
    case PINSIGHT_EVENT_PYTHON_FUNCTION_END:
    case PINSIGHT_EVENT_PYTHON_C_CALL_BEGIN:
    case PINSIGHT_EVENT_PYTHON_C_CALL_END:
        inline_subject(subject, model, event);
        break;
    case PINSIGHT_EVENT_PYTHON_BEGIN:
    case PINSIGHT_EVENT_PYTHON_END:
    case PINSIGHT_EVENT_PYTHON_C_BEGIN:
    case PINSIGHT_EVENT_PYTHON_C_END:
        registry_subject(subject, model, event);
        break;
    case PINSIGHT_EVENT_PYTHON_IMPORT_BEGIN:
    case PINSIGHT_EVENT_PYTHON_IMPORT_END:
        subject->thread = pinsight_lookup_inline_thread(
            model, event, PINSIGHT_PYTHON_IMPORT_BEGIN_PYTHON_THREAD_ID);
        break;
    case PINSIGHT_EVENT_PYTHON_GC_BEGIN:
        subject->thread =
            pinsight_lookup_inline_thread(model, event, PINSIGHT_PYTHON_GC_BEGIN_PYTHON_THREAD_ID);
        break;
    case PINSIGHT_EVENT_PYTHON_GC_END:
        subject->thread =
            pinsight_lookup_inline_thread(model, event, PINSIGHT_PYTHON_GC_END_PYTHON_THREAD_ID);
        break;
    case PINSIGHT_EVENT_PYTHON_GENERATOR:
        subject->thread = pinsight_lookup_native_thread(model, event, 0);
        break;
    case PINSIGHT_EVENT_PYTHON_LOCK_MADE:
    case PINSIGHT_EVENT_PYTHON_LOCK_WAIT_BEGIN:
    case PINSIGHT_EVENT_PYTHON_LOCK_WAIT_END:
    case PINSIGHT_EVENT_PYTHON_LOCK_RELEASE:
    case PINSIGHT_EVENT_PYTHON_GIL_LOAD:
    case PINSIGHT_EVENT_PYTHON_GIL_WAIT:
    case PINSIGHT_EVENT_PYTHON_TASK_BEGIN:
    case PINSIGHT_EVENT_PYTHON_TASK_SWITCH:
    case PINSIGHT_EVENT_PYTHON_TASK_WAKE:
    case PINSIGHT_EVENT_PYTHON_TASK_END:
    case PINSIGHT_EVENT_PYTHON_LOOP_HELD:
    case PINSIGHT_EVENT_PYTHON_EXCEPTION_RAISED:
    case PINSIGHT_EVENT_PYTHON_EXCEPTION_HANDLED:
    case PINSIGHT_EVENT_PYTHON_EXCEPTION_RERAISED:
    case PINSIGHT_EVENT_PYTHON_EXCEPTION_COUNTED:
        subject->thread =
            pinsight_lookup_registry_thread(model, event, PINSIGHT_PYTHON_GIL_WAIT_TID);
        break;
    default:
        break;
    }
}

static void free_thread(struct pinsight_thread *thread) {
    for (size_t which = 0; which < 4; which++)
        free(thread->active[which]);
}

static void finish(struct pinsight_model *model) {
    pinsight_gil_finish(model);
    pinsight_locks_finish(model);
    pinsight_tasks_finish(model);
    pinsight_exceptions_finish(model);
}

static void free_model(struct pinsight_model *model) {
    struct pinsight_python *python = model->state[READER_PYTHON];

    if (!python)
        return;
    pinsight_gil_free(python);
    pinsight_locks_free(&python->locks);
    pinsight_tasks_free(&python->tasks);
    pinsight_exceptions_free(&python->exceptions);
    pinsight_lines_free(&python->lines);
    free(python);
}

const struct reader_domain reader_domain_python = {
    READER_DOMAIN(python, "Python"),
    .names = names,
    .bind = pinsight_python_bind,
    .take_run = pinsight_python_take_run,
    .subject = subject_of,
    .close = pinsight_stacks_close,
    .finish = finish,
    .free_thread = free_thread,
    .free = free_model,
};
