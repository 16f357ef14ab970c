/* Events with numbers of Python; see run.h. Values that are the same in a whole run are found
 * once. */
#include "reader/python/run.h"

#include "reader/lookup.h"
#include "reader/python/frames.h"

_Static_assert((int)PINSIGHT_PYTHON_BEGIN_TID == (int)PINSIGHT_PYTHON_C_BEGIN_TID &&
                   (int)PINSIGHT_PYTHON_BEGIN_CODE_HOW == (int)PINSIGHT_PYTHON_C_BEGIN_CALLEE_HOW,
               "the thread and the number are in the same places");
_Static_assert((int)PINSIGHT_PYTHON_C_BEGIN_LINENO == (int)PINSIGHT_PYTHON_C_OPEN_LINENO &&
                   (int)PINSIGHT_PYTHON_C_BEGIN_LINENO == (int)PINSIGHT_PYTHON_BEGIN_LINENO,
               "they are read alike");

static bool is_number(struct pinsight_slot slot) {
    return slot.there && slot.kind != PINSIGHT_FIELD_STRING && !slot.segment;
}

void pinsight_python_bind(struct pinsight_binding *binding, bool fixed) {
    const struct pinsight_slot *fields = binding->fields;
    bool has_tid = is_number(fields[PINSIGHT_PYTHON_BEGIN_TID]);

    switch (binding->id) {
    case PINSIGHT_EVENT_PYTHON_C_BEGIN:
        fixed = fixed && is_number(fields[PINSIGHT_PYTHON_C_BEGIN_LINENO]);
        break;
    case PINSIGHT_EVENT_PYTHON_BEGIN: /* may have no line in older traces */
        fixed = fixed && (!fields[PINSIGHT_PYTHON_BEGIN_LINENO].there ||
                          is_number(fields[PINSIGHT_PYTHON_BEGIN_LINENO]));
        break;
    case PINSIGHT_EVENT_PYTHON_END:
    case PINSIGHT_EVENT_PYTHON_C_END:
        break;
    default:
        return;
    }
    /* The event names its thread, or all events of a packet have one thread. If packets name it,
     * each OS thread has one stream. */
    binding->in_runs = fixed && is_number(fields[PINSIGHT_PYTHON_BEGIN_CODE_HOW]) &&
                       (has_tid || (!fields[PINSIGHT_PYTHON_BEGIN_TID].there &&
                                    binding->vtid.scope != PINSIGHT_IN_EVENT &&
                                    binding->vpid.scope != PINSIGHT_IN_EVENT));
    binding->commutes = binding->in_runs && !has_tid && binding->vtid.scope == PINSIGHT_IN_PACKET;
}

static inline int64_t number(const unsigned char *at, const struct pinsight_binding *binding,
                             unsigned field) {
    struct pinsight_slot slot = binding->fields[field];

    return pinsight_slot_integer(at + slot.offset, slot);
}

/* Returns the call site that the end of a C call closes, mostly the innermost one. */
static inline uint32_t open_site(const struct pinsight_thread *thread, uint32_t callee) {
    const struct pinsight_slice *top = pinsight_chain_top(thread, READER_PYTHON);

    if (top && top->kind == PINSIGHT_SLICE_C_CALL &&
        thread->process->model->sites[top->id].callee == callee)
        return top->id;
    return pinsight_lookup_open_site(thread, callee);
}

/* Returns the function or call site of a begin or end. If it is unknown, makes it, or returns
 * PINSIGHT_NONE. `line` is that of a begin. */
static inline __attribute__((always_inline)) uint32_t id_of(struct pinsight_thread *thread,
                                                            enum pinsight_event_id event,
                                                            uint32_t number, int32_t line,
                                                            bool make) {
    struct pinsight_process *process = thread->process;
    bool function = event == PINSIGHT_EVENT_PYTHON_BEGIN || event == PINSIGHT_EVENT_PYTHON_END;
    uint32_t id = pinsight_numbers_get(function ? &process->codes : &process->callees, number);
    uint32_t site, caller;

    if (id == PINSIGHT_NONE && make)
        id = function ? pinsight_names_new_code(process, number)
                      : pinsight_names_new_callee(process, number);
    if (function || id == PINSIGHT_NONE)
        return id;
    if (event == PINSIGHT_EVENT_PYTHON_C_END)
        return open_site(thread, id);
    caller = frames_top_function(thread);
    site = pinsight_names_known_site(process->model, id, caller, line);
    return site == PINSIGHT_NONE && make ? pinsight_names_new_site(process->model, id, caller, line)
                                         : site;
}

/* Takes one event. An event that is taken ahead of its time must not make anything new. If it
 * would, it is not taken, and the result is false. */
static inline bool take(struct pinsight_thread *thread, enum pinsight_event_id event,
                        uint32_t packed, int32_t line, uint64_t ns, bool ahead) {
    bool function = event == PINSIGHT_EVENT_PYTHON_BEGIN || event == PINSIGHT_EVENT_PYTHON_END;
    bool begins = event == PINSIGHT_EVENT_PYTHON_BEGIN || event == PINSIGHT_EVENT_PYTHON_C_BEGIN;
    enum pinsight_kind kind = function ? PINSIGHT_FUNCTION : PINSIGHT_C_CALL;
    uint32_t id = id_of(thread, event, packed / 4, line, !ahead);

    if (ahead && (id == PINSIGHT_NONE || (begins && !frames_knows(thread, kind, id))))
        return false;
    pinsight_model_touch(thread->process, ns);
    if (begins)
        frames_begin(thread, kind, id, packed % 4, line, ns);
    else
        frames_end(thread, kind, id, packed % 4, ns);
    return true;
}

/* Returns whether an event about an open call is new information. The event is new if the thread's
 * events begin with it, and with those of the calls around it. */
static bool is_news(struct pinsight_thread *thread, uint32_t depth) {
    if (!depth)
        thread->opens = !thread->depth;
    return thread->opens && thread->depth == depth;
}

enum pinsight_event_id pinsight_python_meaning(struct pinsight_thread *thread,
                                               const struct pinsight_event *event) {
    enum pinsight_event_id id = event->binding->id;
    bool function = id == PINSIGHT_EVENT_PYTHON_OPEN;

    if (!function && id != PINSIGHT_EVENT_PYTHON_C_OPEN)
        return id;
    if (!is_news(thread, (uint32_t)pinsight_event_integer(
                             event, function ? (unsigned)PINSIGHT_PYTHON_OPEN_DEPTH
                                             : (unsigned)PINSIGHT_PYTHON_C_OPEN_DEPTH)))
        return PINSIGHT_EVENT_UNKNOWN;
    return function ? PINSIGHT_EVENT_PYTHON_BEGIN : PINSIGHT_EVENT_PYTHON_C_BEGIN;
}

static bool has_line(const struct pinsight_event *event, enum pinsight_event_id means) {
    return means == PINSIGHT_EVENT_PYTHON_C_BEGIN ||
           (event->binding->id == PINSIGHT_EVENT_PYTHON_BEGIN &&
            event->binding->fields[PINSIGHT_PYTHON_BEGIN_LINENO].there);
}

void pinsight_python_take(struct pinsight_model *model, const struct pinsight_event *event) {
    struct pinsight_thread *thread =
        pinsight_lookup_registry_thread(model, event, PINSIGHT_PYTHON_BEGIN_TID);
    enum pinsight_event_id id = pinsight_python_meaning(thread, event);

    if (id == PINSIGHT_EVENT_UNKNOWN) /* nothing new */
        pinsight_model_touch(thread->process, event->ns);
    else
        take(thread, id, (uint32_t)pinsight_event_integer(event, PINSIGHT_PYTHON_BEGIN_CODE_HOW),
             has_line(event, id)
                 ? (int32_t)pinsight_event_integer(event, PINSIGHT_PYTHON_C_BEGIN_LINENO)
                 : 0,
             event->ns, false);
}

/* Returns the thread of a run's first event. If the events do not name it, the packet does. */
static struct pinsight_thread *thread_of(struct pinsight_model *model,
                                         const struct pinsight_run *run) {
    struct pinsight_run_owner *owner = run->owner;
    const unsigned char *packet = run->first->packet;

    if (run->first->binding->fields[PINSIGHT_PYTHON_BEGIN_TID].there)
        packet = NULL;
    else if (packet && owner->packet == packet && owner->as_of == model->changes)
        return owner->thread;
    owner->thread = pinsight_lookup_registry_thread(model, run->first, PINSIGHT_PYTHON_BEGIN_TID);
    owner->packet = packet;
    owner->as_of = model->changes; /* includes the change by a new thread */
    return owner->thread;
}

/* The part of a run that is taken: the first event, and earlier ones of its thread. */
struct run_reach {
    struct pinsight_thread *thread;
    int64_t tid; /* if the events have it */
    bool has_tid;
    bool ahead; /* take events ahead of their time; see run.h */
    uint64_t before_ns;
};

struct run_event {
    const struct pinsight_binding *binding;
    const unsigned char *at;
    uint64_t ns;
    uint32_t packed; /* number of a code object or C callable, and the kind of begin or end */
};

/* Returns whether an event belongs to the thread of the run. */
static inline bool is_same(const struct run_event *event, const struct run_reach *reach) {
    const struct pinsight_binding *binding = event->binding;

    if (!binding || !binding->in_runs ||
        binding->fields[PINSIGHT_PYTHON_BEGIN_TID].there != reach->has_tid)
        return false;
    return !reach->has_tid || number(event->at, binding, PINSIGHT_PYTHON_BEGIN_TID) == reach->tid;
}

/* Reads the event at a place of the run. Returns false if there is none, or if it is not to be
 * taken. */
static inline bool read_event(struct run_event *event, const struct pinsight_run *run,
                              const struct run_reach *reach, size_t place) {
    const struct pinsight_record *record = &run->records[place];

    if (place && (place == run->count || record->ns >= reach->before_ns))
        return false;
    event->binding = run->bindings[record->class];
    event->at = run->bytes + record->at;
    event->ns = record->ns;
    if (!is_same(event, reach))
        return false;
    event->packed = (uint32_t)number(event->at, event->binding, PINSIGHT_PYTHON_BEGIN_CODE_HOW);
    return true;
}

static inline int32_t line_in(const struct run_event *event) {
    return (event->binding->id == PINSIGHT_EVENT_PYTHON_C_BEGIN ||
            event->binding->id == PINSIGHT_EVENT_PYTHON_BEGIN) &&
                   event->binding->fields[PINSIGHT_PYTHON_C_BEGIN_LINENO].there
               ? (int32_t)number(event->at, event->binding, PINSIGHT_PYTHON_C_BEGIN_LINENO)
               : 0;
}

/* Returns whether `end` ends the call that `begin` begins. */
static inline bool is_end_of(const struct run_event *end, const struct run_event *begin) {
    enum pinsight_event_id id = begin->binding->id;

    return end->packed / 4 == begin->packed / 4 &&
           ((id == PINSIGHT_EVENT_PYTHON_BEGIN && end->binding->id == PINSIGHT_EVENT_PYTHON_END) ||
            (id == PINSIGHT_EVENT_PYTHON_C_BEGIN &&
             end->binding->id == PINSIGHT_EVENT_PYTHON_C_END));
}

/* Takes a begin and its end, one directly after the other; see take(). */
static inline __attribute__((always_inline)) bool take_leaf(struct pinsight_thread *thread,
                                                            const struct run_event *begin,
                                                            const struct run_event *end,
                                                            bool ahead) {
    uint32_t how = begin->packed % 4, end_how = end->packed % 4;
    uint32_t id = id_of(thread, begin->binding->id, begin->packed / 4, line_in(begin), !ahead);

    if (ahead && id == PINSIGHT_NONE)
        return false;
    pinsight_model_touch(thread->process, begin->ns);
    pinsight_model_touch(thread->process, end->ns);
    frames_leaf(thread,
                begin->binding->id == PINSIGHT_EVENT_PYTHON_BEGIN ? PINSIGHT_FUNCTION
                                                                  : PINSIGHT_C_CALL,
                id, how, line_in(begin), begin->ns, end_how, end->ns);
    return true;
}

/* Returns whether events of a thread may be taken ahead. All of them must be in the stream of the
 * run. The thread must have had a slice, because the first one gives its track a number. */
static bool may_go_ahead(const struct pinsight_thread *thread) {
    return thread->os_threads < 2 &&
           (!thread->process->model->timeline || (thread->track && thread->track->number));
}

/* Takes events from a place of the run on. Returns the place after the last. `run` and `reach` are
 * copies, so that the compiler need not read them again after a store. */
static inline __attribute__((always_inline)) size_t
take_events(const struct pinsight_run run, const struct run_reach reach, size_t place) {
    const bool leaves = frames_take_leaves(reach.thread);
    struct run_event event, next;
    bool more = read_event(&event, &run, &reach, place), taken = true;

    while (more && taken && !(place && *run.ended)) {
        more = read_event(&next, &run, &reach, place + 1);
        if (leaves && more && is_end_of(&next, &event)) {
            taken = take_leaf(reach.thread, &event, &next, reach.ahead);
            place += taken ? 2 : 0;
            more = read_event(&event, &run, &reach, place);
        } else {
            taken = take(reach.thread, event.binding->id, event.packed, line_in(&event), event.ns,
                         reach.ahead);
            place += taken;
            event = next;
        }
    }
    return place;
}

static __attribute__((noinline)) size_t take_read_ahead(const struct pinsight_run *run,
                                                        struct run_reach reach, size_t place) {
    reach.ahead = true;
    reach.before_ns = run->ahead_ns;
    return take_events(*run, reach, place);
}

size_t pinsight_python_take_run(struct pinsight_model *model, const struct pinsight_run *run) {
    const struct pinsight_binding *first = run->first->binding;
    struct run_reach reach = {.thread = thread_of(model, run),
                              .has_tid = first->fields[PINSIGHT_PYTHON_BEGIN_TID].there,
                              .before_ns = run->before_ns};
    size_t count;

    if (reach.has_tid)
        reach.tid = number(run->bytes + run->records->at, first, PINSIGHT_PYTHON_BEGIN_TID);
    count = take_events(*run, reach, 0);
    if (run->ahead_ns > run->before_ns && may_go_ahead(reach.thread))
        count = take_read_ahead(run, reach, count);
    return count;
}
