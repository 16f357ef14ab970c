/* Python's events with numbers; see run.h. What is the same for all of a run is found once. */
#include "reader/python/run.h"

#include "reader/lookup.h"
#include "reader/python/frames.h"

_Static_assert((int)PINSIGHT_PYTHON_BEGIN_TID == (int)PINSIGHT_PYTHON_C_BEGIN_TID &&
                   (int)PINSIGHT_PYTHON_BEGIN_CODE_HOW == (int)PINSIGHT_PYTHON_C_BEGIN_CALLEE_HOW,
               "the thread and the number are in the same places");
_Static_assert((int)PINSIGHT_PYTHON_C_BEGIN_LINENO == (int)PINSIGHT_PYTHON_C_OPEN_LINENO,
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
    case PINSIGHT_EVENT_PYTHON_BEGIN:
    case PINSIGHT_EVENT_PYTHON_END:
    case PINSIGHT_EVENT_PYTHON_C_END:
        break;
    default:
        return;
    }
    /* Whose it is stands in the event, or is the same for all of a packet. */
    binding->in_runs = fixed && is_number(fields[PINSIGHT_PYTHON_BEGIN_CODE_HOW]) &&
                       (has_tid || (!fields[PINSIGHT_PYTHON_BEGIN_TID].there &&
                                    binding->vtid.scope != PINSIGHT_IN_EVENT &&
                                    binding->vpid.scope != PINSIGHT_IN_EVENT));
}

static inline int64_t number(const unsigned char *at, const struct pinsight_binding *binding,
                             unsigned field) {
    struct pinsight_slot slot = binding->fields[field];

    return pinsight_slot_integer(at + slot.offset, slot);
}

/* Whether an event is of the thread of the run. */
static inline bool is_same(const unsigned char *at, const struct pinsight_binding *binding,
                           const struct pinsight_binding *first, int64_t tid) {
    if (!binding || !binding->in_runs)
        return false;
    if (!first->fields[PINSIGHT_PYTHON_BEGIN_TID].there)
        return !binding->fields[PINSIGHT_PYTHON_BEGIN_TID].there;
    return binding->fields[PINSIGHT_PYTHON_BEGIN_TID].there &&
           number(at, binding, PINSIGHT_PYTHON_BEGIN_TID) == tid;
}

/* The call site that the end of a C call closes: mostly the innermost one. */
static inline uint32_t open_site(const struct pinsight_thread *thread, uint32_t callee) {
    const struct pinsight_slice *top = pinsight_chain_top(thread, READER_PYTHON);

    if (top && top->kind == PINSIGHT_SLICE_C_CALL &&
        thread->process->model->sites[top->id].callee == callee)
        return top->id;
    return pinsight_lookup_open_site(thread, callee);
}

/* What one event does. `line` is of the begin of a C call alone. */
static inline void take(struct pinsight_thread *thread, enum pinsight_event_id event,
                        uint32_t packed, int32_t line, uint64_t ns) {
    struct pinsight_process *process = thread->process;
    uint32_t id;

    pinsight_model_touch(process, ns);
    switch (event) {
    case PINSIGHT_EVENT_UNKNOWN: /* nothing new */
        break;
    case PINSIGHT_EVENT_PYTHON_BEGIN:
        id = pinsight_names_code(process, packed / 4);
        frames_begin(thread, PINSIGHT_FUNCTION, id, packed % 4, ns);
        break;
    case PINSIGHT_EVENT_PYTHON_END:
        id = pinsight_names_code(process, packed / 4);
        frames_end(thread, PINSIGHT_FUNCTION, id, packed % 4, ns);
        break;
    case PINSIGHT_EVENT_PYTHON_C_BEGIN:
        id = pinsight_names_site(process->model, pinsight_names_callee_number(process, packed / 4),
                                 frames_top_function(thread), line);
        frames_begin(thread, PINSIGHT_C_CALL, id, PINSIGHT_HOW_START, ns);
        break;
    default:
        id = open_site(thread, pinsight_names_callee_number(process, packed / 4));
        frames_end(thread, PINSIGHT_C_CALL, id, packed % 4, ns);
    }
}

/* Whether a call that is said to be open is not known. So it is where the thread's events begin
 * with it, and with those around it. */
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

void pinsight_python_take(struct pinsight_model *model, const struct pinsight_event *event) {
    struct pinsight_thread *thread =
        pinsight_lookup_registry_thread(model, event, PINSIGHT_PYTHON_BEGIN_TID);
    enum pinsight_event_id id = pinsight_python_meaning(thread, event);

    take(thread, id, (uint32_t)pinsight_event_integer(event, PINSIGHT_PYTHON_BEGIN_CODE_HOW),
         id == PINSIGHT_EVENT_PYTHON_C_BEGIN
             ? (int32_t)pinsight_event_integer(event, PINSIGHT_PYTHON_C_BEGIN_LINENO)
             : 0,
         event->ns);
}

/* The thread of a run's first event. Where events do not say it, it is that of the packet. */
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
    owner->as_of = model->changes; /* a thread that is new has been counted */
    return owner->thread;
}

/* The number of a code object or C callable in an event, and how it begins or ends. */
static inline uint32_t packed_in(const unsigned char *at, const struct pinsight_binding *binding) {
    return (uint32_t)number(at, binding, PINSIGHT_PYTHON_BEGIN_CODE_HOW);
}

static inline int32_t line_in(const unsigned char *at, const struct pinsight_binding *binding) {
    return binding->id == PINSIGHT_EVENT_PYTHON_C_BEGIN
               ? (int32_t)number(at, binding, PINSIGHT_PYTHON_C_BEGIN_LINENO)
               : 0;
}

/* Whether what an event begins, with this number, is ended by another one. */
static inline bool is_end_of(enum pinsight_event_id end, uint32_t end_packed,
                             enum pinsight_event_id begin, uint32_t packed) {
    return end_packed / 4 == packed / 4 &&
           ((begin == PINSIGHT_EVENT_PYTHON_BEGIN && end == PINSIGHT_EVENT_PYTHON_END) ||
            (begin == PINSIGHT_EVENT_PYTHON_C_BEGIN && end == PINSIGHT_EVENT_PYTHON_C_END));
}

/* What a begin and its end do, one behind the other. */
static inline __attribute__((always_inline)) void
take_leaf(struct pinsight_thread *thread, enum pinsight_event_id event, uint32_t packed,
          int32_t line, uint64_t begin_ns, uint32_t end_packed, uint64_t ns) {
    struct pinsight_process *process = thread->process;
    uint32_t id;

    pinsight_model_touch(process, begin_ns);
    pinsight_model_touch(process, ns);
    if (event == PINSIGHT_EVENT_PYTHON_BEGIN) {
        id = pinsight_names_code(process, packed / 4);
        frames_leaf(thread, PINSIGHT_FUNCTION, id, packed % 4, begin_ns, end_packed % 4, ns);
    } else {
        id = pinsight_names_site(process->model, pinsight_names_callee_number(process, packed / 4),
                                 frames_top_function(thread), line);
        frames_leaf(thread, PINSIGHT_C_CALL, id, PINSIGHT_HOW_START, begin_ns, end_packed % 4, ns);
    }
}

size_t pinsight_python_take_run(struct pinsight_model *model, const struct pinsight_run *run) {
    const struct pinsight_binding *binding = run->first->binding, *first = binding;
    struct pinsight_thread *thread = thread_of(model, run);
    const struct pinsight_record *record = run->records, *last = record + run->count;
    const unsigned char *at = run->bytes + record->at;
    const bool leaves = frames_take_leaves(thread);
    int64_t tid = first->fields[PINSIGHT_PYTHON_BEGIN_TID].there
                      ? number(at, first, PINSIGHT_PYTHON_BEGIN_TID)
                      : 0;
    bool more;

    do {
        const struct pinsight_binding *own = binding;
        uint32_t packed = packed_in(at, own);
        int32_t line = line_in(at, own);
        uint64_t ns = record->ns;

        more = ++record != last && record->ns < run->before_ns;
        if (more) {
            at = run->bytes + record->at;
            binding = run->bindings[record->class];
            more = is_same(at, binding, first, tid);
        }
        if (leaves && more && is_end_of(binding->id, packed_in(at, binding), own->id, packed)) {
            take_leaf(thread, own->id, packed, line, ns, packed_in(at, binding), record->ns);
            more = ++record != last && record->ns < run->before_ns;
            if (more) {
                at = run->bytes + record->at;
                binding = run->bindings[record->class];
                more = is_same(at, binding, first, tid);
            }
        } else {
            take(thread, own->id, packed, line, ns);
        }
    } while (more && !*run->ended);
    return (size_t)(record - run->records);
}
