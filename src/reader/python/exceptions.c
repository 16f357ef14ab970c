/* Exceptions; see exceptions.h. */
#include "reader/python/exceptions.h"

#include "base/memory.h"
#include "reader/kit/paths.h"
#include "reader/lookup.h"
#include "reader/python/gil.h"

#include <stdlib.h>
#include <string.h>

static uint32_t field(const struct pinsight_event *event, unsigned number) {
    return (uint32_t)pinsight_event_integer(event, number);
}

static void type(struct pinsight_model *model, const struct pinsight_event *event) {
    const struct pinsight_process *process = pinsight_lookup_process(model, event);

    pinsight_map_set(&pinsight_python_of(model)->exceptions.type_map, process->index,
                     field(event, PINSIGHT_PYTHON_EXCEPTION_TYPE_TYPE), 0,
                     pinsight_lookup_text(model, event, PINSIGHT_PYTHON_EXCEPTION_TYPE_NAME));
}

/* Returns the string number of a type's name. */
static uint32_t type_name(struct pinsight_model *model, const struct pinsight_process *process,
                          uint32_t number) {
    uint32_t name = pinsight_map_get(&pinsight_python_of(model)->exceptions.type_map,
                                     process->index, number, 0);

    return name == PINSIGHT_MAP_NONE ? pinsight_strings_add(&model->strings, "?", 1) : name;
}

static struct pinsight_flights *flights_of(struct pinsight_exceptions *exceptions,
                                           const struct pinsight_thread *thread) {
    return PINSIGHT_KEYED(&exceptions->thread_map, thread->process->index, thread->tid, 0,
                          exceptions->threads, exceptions->thread_count,
                          exceptions->thread_capacity, 0);
}

static size_t depth_of(const struct pinsight_model *model, uint32_t path) {
    size_t depth;

    free(pinsight_path_frames(model, path, &depth));
    return depth;
}

/* Returns the number of functions that an exception leaves on its way to a handler. */
static uint32_t frames_between(const struct pinsight_model *model, uint32_t raised,
                               uint32_t handler) {
    size_t inner = depth_of(model, raised), outer = depth_of(model, handler);

    return inner > outer ? (uint32_t)(inner - outer) : 0;
}

/* Returns the row of exceptions. Makes it at the first call. `handler` is an index, or
 * PINSIGHT_NONE. */
static struct pinsight_exception *row_of(struct pinsight_model *model, uint32_t type,
                                         uint32_t raised, uint32_t handler) {
    struct pinsight_exceptions *exceptions = &pinsight_python_of(model)->exceptions;
    size_t known = exceptions->count;
    struct pinsight_exception *row = PINSIGHT_KEYED(
        &exceptions->row_map, type, raised, handler, exceptions->rows, exceptions->count,
        exceptions->capacity, .type = type, .raised = raised, .handler = handler);

    if (exceptions->count > known && handler != PINSIGHT_NONE)
        row->frames = frames_between(model, raised, exceptions->handlers[handler].path);
    return row;
}

/* Returns the index of a handler. */
static uint32_t handler_of(struct pinsight_exceptions *exceptions, uint32_t path, uint32_t line) {
    return PINSIGHT_NUMBERED(&exceptions->handler_map, path, line, 0, exceptions->handlers,
                             exceptions->handler_count, exceptions->handler_capacity, .path = path,
                             .line = (int32_t)line);
}

static void count(struct pinsight_model *model, const struct pinsight_flight *flight) {
    struct pinsight_exception *row = row_of(model, flight->type, flight->raised,
                                            flight->is_handled ? flight->handler : PINSIGHT_NONE);
    uint64_t ns = flight->is_handled && flight->end_ns > flight->begin_ns
                      ? flight->end_ns - flight->begin_ns
                      : 0;

    row->count++;
    row->total_ns += ns;
    if (ns > row->max_ns)
        row->max_ns = ns;
}

/* Counts a flight, and removes it. */
static void settle(struct pinsight_model *model, struct pinsight_flights *flights, uint32_t at) {
    count(model, &flights->flights[at]);
    flights->count--;
    memmove(&flights->flights[at], &flights->flights[at + 1],
            (flights->count - at) * sizeof(flights->flights[0]));
}

/* Returns the index of the last flight of an exception, or `count` if there is none. */
static uint32_t find(const struct pinsight_flights *flights, uint32_t exception) {
    uint32_t at = flights->count;

    while (at && flights->flights[at - 1].exception != exception)
        at--;
    return at ? at - 1 : flights->count;
}

static void raised(struct pinsight_model *model, struct pinsight_thread *thread,
                   const struct pinsight_event *event) {
    struct pinsight_exceptions *exceptions = &pinsight_python_of(model)->exceptions;
    struct pinsight_flights *flights = flights_of(exceptions, thread);
    uint32_t exception = field(event, PINSIGHT_PYTHON_EXCEPTION_RAISED_EXCEPTION);
    uint32_t before = find(flights, exception);

    if (before < flights->count)
        settle(model, flights, before); /* the same object, or another one in its place */
    else if (flights->count == PINSIGHT_FLIGHTS)
        settle(model, flights, 0);
    flights->flights[flights->count++] = (struct pinsight_flight){
        .exception = exception,
        .type =
            type_name(model, thread->process, field(event, PINSIGHT_PYTHON_EXCEPTION_RAISED_TYPE)),
        .raised = pinsight_path_of(thread->process,
                                   field(event, PINSIGHT_PYTHON_EXCEPTION_RAISED_PY_PATH)),
        .begin_ns = event->ns};
}

static void handled(struct pinsight_model *model, struct pinsight_thread *thread,
                    const struct pinsight_event *event) {
    struct pinsight_exceptions *exceptions = &pinsight_python_of(model)->exceptions;
    struct pinsight_flights *flights = flights_of(exceptions, thread);
    uint32_t at = find(flights, field(event, PINSIGHT_PYTHON_EXCEPTION_HANDLED_EXCEPTION));
    uint32_t path =
        pinsight_path_of(thread->process, field(event, PINSIGHT_PYTHON_EXCEPTION_HANDLED_PY_PATH));
    uint32_t line = field(event, PINSIGHT_PYTHON_EXCEPTION_HANDLED_LINENO);

    if (at == flights->count)
        return; /* it was raised before the recording */
    flights->flights[at].is_handled = true;
    flights->flights[at].end_ns = event->ns;
    flights->flights[at].handler = handler_of(exceptions, path, line);
}

static void reraised(struct pinsight_model *model, struct pinsight_thread *thread,
                     const struct pinsight_event *event) {
    struct pinsight_flights *flights = flights_of(&pinsight_python_of(model)->exceptions, thread);
    uint32_t at = find(flights, field(event, PINSIGHT_PYTHON_EXCEPTION_RERAISED_EXCEPTION));

    if (at < flights->count)
        flights->flights[at].is_handled = false;
}

static void counted(struct pinsight_model *model, struct pinsight_thread *thread,
                    const struct pinsight_event *event) {
    struct pinsight_exceptions *exceptions = &pinsight_python_of(model)->exceptions;
    const uint32_t line = field(event, PINSIGHT_PYTHON_EXCEPTION_COUNTED_HANDLER_LINENO);
    const uint32_t path = pinsight_path_of(
        thread->process, field(event, PINSIGHT_PYTHON_EXCEPTION_COUNTED_HANDLER_PATH));
    const uint64_t number =
        (uint64_t)pinsight_event_integer(event, PINSIGHT_PYTHON_EXCEPTION_COUNTED_COUNT);
    struct pinsight_exception *row = row_of(
        model,
        type_name(model, thread->process, field(event, PINSIGHT_PYTHON_EXCEPTION_COUNTED_TYPE)),
        pinsight_path_of(thread->process,
                         field(event, PINSIGHT_PYTHON_EXCEPTION_COUNTED_RAISED_PATH)),
        (int32_t)line < 0 ? PINSIGHT_NONE : handler_of(exceptions, path, line));

    row->count += number;
    row->untimed += number;
}

_Static_assert(
    (int)PINSIGHT_PYTHON_EXCEPTION_RAISED_TID == (int)PINSIGHT_PYTHON_EXCEPTION_HANDLED_TID &&
        (int)PINSIGHT_PYTHON_EXCEPTION_RAISED_TID == (int)PINSIGHT_PYTHON_EXCEPTION_RERAISED_TID &&
        (int)PINSIGHT_PYTHON_EXCEPTION_RAISED_TID == (int)PINSIGHT_PYTHON_EXCEPTION_COUNTED_TID,
    "the events have the thread in the same place");

/* Returns the thread of counts, which another thread may have recorded. */
static struct pinsight_thread *counting_thread(struct pinsight_model *model,
                                               const struct pinsight_event *event) {
    struct pinsight_process *process = pinsight_lookup_process(model, event);

    return pinsight_model_thread_by_tid(
        model, process->host, field(event, PINSIGHT_PYTHON_EXCEPTION_COUNTED_TID), process);
}

void pinsight_exceptions_take(struct pinsight_model *model, const struct pinsight_event *event) {
    struct pinsight_thread *thread;

    if (event->binding->id == PINSIGHT_EVENT_PYTHON_EXCEPTION_TYPE) {
        type(model, event);
        return;
    }
    thread =
        event->binding->id == PINSIGHT_EVENT_PYTHON_EXCEPTION_COUNTED
            ? counting_thread(model, event)
            : pinsight_lookup_registry_thread(model, event, PINSIGHT_PYTHON_EXCEPTION_RAISED_TID);
    pinsight_model_touch(thread->process, event->ns);
    if (!thread->selected || model->options.names_only)
        return;
    if (event->binding->id == PINSIGHT_EVENT_PYTHON_EXCEPTION_RAISED)
        raised(model, thread, event);
    else if (event->binding->id == PINSIGHT_EVENT_PYTHON_EXCEPTION_HANDLED)
        handled(model, thread, event);
    else if (event->binding->id == PINSIGHT_EVENT_PYTHON_EXCEPTION_COUNTED)
        counted(model, thread, event);
    else
        reraised(model, thread, event);
}

void pinsight_exceptions_finish(struct pinsight_model *model) {
    struct pinsight_exceptions *exceptions =
        model->state[READER_PYTHON] ? &pinsight_python_of(model)->exceptions : NULL;

    for (size_t i = 0; exceptions && i < exceptions->thread_count; i++)
        while (exceptions->threads[i].count)
            settle(model, &exceptions->threads[i], 0);
}

void pinsight_exceptions_free(struct pinsight_exceptions *exceptions) {
    free(exceptions->rows);
    free(exceptions->handlers);
    free(exceptions->threads);
    pinsight_map_clear(&exceptions->row_map);
    pinsight_map_clear(&exceptions->type_map);
    pinsight_map_clear(&exceptions->handler_map);
    pinsight_map_clear(&exceptions->thread_map);
}
