/* Events of the core: processes and threads, marks of the program, counts of MONITORING, and
 * actions of control. The history excludes processes that are filtered out. */
#include "reader/domain.h"
#include "reader/clock.h"
#include "reader/core/counted.h"
#include "reader/core/ranges.h"
#include "reader/core/starts.h"
#include "reader/core/values.h"
#include "reader/ctf/event.h"
#include "reader/lookup.h"
#include "reader/python/names.h"
#include "reader/timeline.h"

#include <string.h>

static uint32_t u32(const struct pinsight_event *event, unsigned field) {
    return (uint32_t)pinsight_event_integer(event, field);
}

static uint64_t u64(const struct pinsight_event *event, unsigned field) {
    return (uint64_t)pinsight_event_integer(event, field);
}

/* Returns the number of a text. The recorder writes "-" for an empty one. */
static uint32_t text(struct pinsight_model *model, const struct pinsight_event *event,
                     unsigned field) {
    if (!strcmp(pinsight_event_text(event, field), "-"))
        return 0;
    return pinsight_lookup_text(model, event, field);
}

static struct pinsight_process_domain *find_domain(struct pinsight_model *model,
                                                   const struct pinsight_event *event, unsigned pid,
                                                   unsigned domain) {
    return pinsight_model_domain(pinsight_lookup_process_named(model, event, pid),
                                 pinsight_event_text(event, domain));
}

static void domain_info(struct pinsight_model *model, const struct pinsight_event *event) {
    struct pinsight_process_domain *domain =
        find_domain(model, event, PINSIGHT_CORE_DOMAIN_INFO_PID, PINSIGHT_CORE_DOMAIN_INFO_DOMAIN);

    uint32_t selection = text(model, event, PINSIGHT_CORE_DOMAIN_INFO_SELECTION);

    domain->selection_changed |= domain->has_info && domain->selection != selection;
    domain->selection = selection;
    domain->has_info = true;
    domain->runtime = pinsight_lookup_text(model, event, PINSIGHT_CORE_DOMAIN_INFO_RUNTIME);
    domain->mechanism = pinsight_lookup_text(model, event, PINSIGHT_CORE_DOMAIN_INFO_MECHANISM);
    domain->events = pinsight_lookup_text(model, event, PINSIGHT_CORE_DOMAIN_INFO_EVENTS);
    /* The event comes again after a rotation, and may then still have the first mode. */
    if (!domain->mode_changed)
        domain->mode = u32(event, PINSIGHT_CORE_DOMAIN_INFO_MODE);
}

static void domain_totals(struct pinsight_model *model, const struct pinsight_event *event) {
    struct pinsight_process_domain *domain = find_domain(
        model, event, PINSIGHT_CORE_DOMAIN_TOTALS_PID, PINSIGHT_CORE_DOMAIN_TOTALS_DOMAIN);

    domain->has_totals = true;
    domain->lost_frames = u64(event, PINSIGHT_CORE_DOMAIN_TOTALS_LOST_FRAMES);
    domain->under_way = u64(event, PINSIGHT_CORE_DOMAIN_TOTALS_UNDER_WAY);
    domain->dropped_ends = u64(event, PINSIGHT_CORE_DOMAIN_TOTALS_DROPPED_ENDS);
    domain->outside = u64(event, PINSIGHT_CORE_DOMAIN_TOTALS_OUTSIDE);
    domain->bytes = u64(event, PINSIGHT_CORE_DOMAIN_TOTALS_BYTES);
    domain->size_limit = u64(event, PINSIGHT_CORE_DOMAIN_TOTALS_SIZE_LIMIT);
    domain->size_limit_reached |= u64(event, PINSIGHT_CORE_DOMAIN_TOTALS_SIZE_LIMIT_REACHED) != 0;
}

static void callback_cost(struct pinsight_model *model, const struct pinsight_event *event) {
    struct pinsight_process_domain *domain = find_domain(
        model, event, PINSIGHT_CORE_CALLBACK_COST_PID, PINSIGHT_CORE_CALLBACK_COST_DOMAIN);

    domain->callbacks = (struct pinsight_callbacks){
        .count = u64(event, PINSIGHT_CORE_CALLBACK_COST_CALLBACKS),
        .samples = u64(event, PINSIGHT_CORE_CALLBACK_COST_SAMPLES),
        .own_ns = u64(event, PINSIGHT_CORE_CALLBACK_COST_OWN_NS),
        .functions = u64(event, PINSIGHT_CORE_CALLBACK_COST_FUNCTIONS),
        .generators = u64(event, PINSIGHT_CORE_CALLBACK_COST_GENERATORS),
        .unwinds = u64(event, PINSIGHT_CORE_CALLBACK_COST_UNWINDS),
        .exceptions = u64(event, PINSIGHT_CORE_CALLBACK_COST_EXCEPTIONS),
        .calls = u64(event, PINSIGHT_CORE_CALLBACK_COST_CALLS),
        .operators = u64(event, PINSIGHT_CORE_CALLBACK_COST_OPERATORS),
        .met = u64(event, PINSIGHT_CORE_CALLBACK_COST_MET),
        .tasks = u64(event, PINSIGHT_CORE_CALLBACK_COST_TASKS),
    };
}

/* Returns a change in the process that a field of the event names. */
static struct pinsight_change change_of(struct pinsight_model *model,
                                        const struct pinsight_event *event, unsigned pid_field,
                                        enum pinsight_change_kind kind) {
    return (struct pinsight_change){.ns = event->ns,
                                    .process =
                                        pinsight_lookup_process_named(model, event, pid_field),
                                    .kind = kind};
}

static void add_change(struct pinsight_model *model, const struct pinsight_change *change) {
    if (change->process->selected)
        pinsight_history_add(&model->history, change);
}

static void mode_change(struct pinsight_model *model, const struct pinsight_event *event) {
    struct pinsight_change change =
        change_of(model, event, PINSIGHT_CORE_MODE_CHANGE_PID, PINSIGHT_CHANGED_MODE);
    struct pinsight_process_domain *domain = pinsight_model_domain(
        change.process, pinsight_event_text(event, PINSIGHT_CORE_MODE_CHANGE_DOMAIN));

    change.mode.domain = domain->name;
    change.mode.from = u32(event, PINSIGHT_CORE_MODE_CHANGE_FROM_MODE);
    change.mode.to = u32(event, PINSIGHT_CORE_MODE_CHANGE_TO_MODE);
    change.mode.reason = text(model, event, PINSIGHT_CORE_MODE_CHANGE_REASON);
    domain->mode = change.mode.to;
    domain->mode_changed = true;
    if (!strcmp(pinsight_event_text(event, PINSIGHT_CORE_MODE_CHANGE_REASON), "size_limit"))
        domain->size_limit_reached = true;
    if (!strcmp(pinsight_event_text(event, PINSIGHT_CORE_MODE_CHANGE_REASON), "budget"))
        domain->budget_ended = true;
    add_change(model, &change);
}

static void config_change(struct pinsight_model *model, const struct pinsight_event *event) {
    struct pinsight_change change =
        change_of(model, event, PINSIGHT_CORE_CONFIG_CHANGE_PID, PINSIGHT_CHANGED_CONFIGURATION);

    change.config.path = text(model, event, PINSIGHT_CORE_CONFIG_CHANGE_PATH);
    change.config.reason = text(model, event, PINSIGHT_CORE_CONFIG_CHANGE_REASON);
    change.config.message = text(model, event, PINSIGHT_CORE_CONFIG_CHANGE_MESSAGE);
    change.config.generation = u32(event, PINSIGHT_CORE_CONFIG_CHANGE_GENERATION);
    change.config.failed = u32(event, PINSIGHT_CORE_CONFIG_CHANGE_FAILED) != 0;
    add_change(model, &change);
}

static void window_end(struct pinsight_model *model, const struct pinsight_event *event) {
    struct pinsight_past_window window = {
        .ns = event->ns,
        .process = pinsight_lookup_process_named(model, event, PINSIGHT_CORE_WINDOW_END_PID),
        .domain = text(model, event, PINSIGHT_CORE_WINDOW_END_DOMAIN),
        .name = pinsight_lookup_text(model, event, PINSIGHT_CORE_WINDOW_END_NAME),
        .file = pinsight_lookup_text(model, event, PINSIGHT_CORE_WINDOW_END_FILENAME),
        .line = (int32_t)pinsight_event_integer(event, PINSIGHT_CORE_WINDOW_END_LINENO),
        .kind = (uint8_t)u32(event, PINSIGHT_CORE_WINDOW_END_KIND),
        .cause = (uint8_t)u32(event, PINSIGHT_CORE_WINDOW_END_CAUSE),
        .rule = text(model, event, PINSIGHT_CORE_WINDOW_END_RULE),
        .after = text(model, event, PINSIGHT_CORE_WINDOW_END_AFTER),
        .executions = u64(event, PINSIGHT_CORE_WINDOW_END_EXECUTIONS),
        .recorded = u64(event, PINSIGHT_CORE_WINDOW_END_RECORDED),
    };

    if (window.process->selected)
        pinsight_history_window(&model->history, &window);
}

static void introspect_begin(struct pinsight_model *model, const struct pinsight_event *event) {
    struct pinsight_change change =
        change_of(model, event, PINSIGHT_CORE_INTROSPECT_BEGIN_PID, PINSIGHT_INTROSPECTED);
    struct pinsight_past_introspection *introspection = &change.introspection;

    introspection->begun = true;
    introspection->number = u32(event, PINSIGHT_CORE_INTROSPECT_BEGIN_NUMBER);
    introspection->cause = text(model, event, PINSIGHT_CORE_INTROSPECT_BEGIN_CAUSE);
    introspection->script = text(model, event, PINSIGHT_CORE_INTROSPECT_BEGIN_SCRIPT);
    introspection->pause_ns =
        pinsight_event_integer(event, PINSIGHT_CORE_INTROSPECT_BEGIN_PAUSE_NS);
    introspection->status = PINSIGHT_STATUS_UNKNOWN;
    add_change(model, &change);
}

static void introspect_end(struct pinsight_model *model, const struct pinsight_event *event) {
    struct pinsight_process *process =
        pinsight_lookup_process_named(model, event, PINSIGHT_CORE_INTROSPECT_END_PID);
    struct pinsight_past_introspection introspection = {
        .number = u32(event, PINSIGHT_CORE_INTROSPECT_END_NUMBER),
        .chunk = text(model, event, PINSIGHT_CORE_INTROSPECT_END_CHUNK),
        .message = text(model, event, PINSIGHT_CORE_INTROSPECT_END_MESSAGE),
        .how = (uint8_t)u32(event, PINSIGHT_CORE_INTROSPECT_END_HOW),
        .status = (int32_t)pinsight_event_integer(event, PINSIGHT_CORE_INTROSPECT_END_STATUS),
        .threads_stopped = u32(event, PINSIGHT_CORE_INTROSPECT_END_THREADS_STOPPED),
        .threads_running = u32(event, PINSIGHT_CORE_INTROSPECT_END_THREADS_RUNNING),
        .mode = u32(event, PINSIGHT_CORE_INTROSPECT_END_MODE),
        .reloaded = u32(event, PINSIGHT_CORE_INTROSPECT_END_RELOADED) != 0,
    };

    if (!process->selected)
        return;
    uint64_t began =
        pinsight_history_introspected(&model->history, process, event->ns, &introspection);
    /* If no thread was stopped, all of them continued to run. */
    if (began && introspection.how != PINSIGHT_INTROSPECT_NOT_WAITED &&
        introspection.threads_stopped)
        pinsight_model_pause(process, began, event->ns);
}

_Static_assert((int)PINSIGHT_CORE_REGION_BEGIN_NAME == (int)PINSIGHT_CORE_REGION_END_NAME &&
                   (int)PINSIGHT_CORE_REGION_BEGIN_NAME == (int)PINSIGHT_CORE_MARK_NAME &&
                   (int)PINSIGHT_CORE_REGION_BEGIN_PYTHON_THREAD_ID ==
                       (int)PINSIGHT_CORE_REGION_END_PYTHON_THREAD_ID &&
                   (int)PINSIGHT_CORE_REGION_BEGIN_PYTHON_THREAD_ID ==
                       (int)PINSIGHT_CORE_MARK_PYTHON_THREAD_ID,
               "begins and ends have the same fields in the same places");

/* Takes a mark of the program: the begin or end of a part, or a moment. */
static void marked_event(struct pinsight_model *model, const struct pinsight_event *event) {
    /* All three events have the name and the thread in the same places. */
    uint32_t name = pinsight_lookup_text(model, event, PINSIGHT_CORE_REGION_BEGIN_NAME);
    struct pinsight_thread *thread;

    pinsight_model_touch(pinsight_lookup_process(model, event), event->ns);
    model->regions += event->binding->id == PINSIGHT_EVENT_CORE_REGION_BEGIN;
    model->marks += event->binding->id == PINSIGHT_EVENT_CORE_MARK;
    thread =
        pinsight_lookup_inline_thread(model, event, PINSIGHT_CORE_REGION_BEGIN_PYTHON_THREAD_ID);
    if (event->binding->id == PINSIGHT_EVENT_CORE_REGION_BEGIN)
        pinsight_marked_sums_begin(thread, name, event->ns);
    else if (event->binding->id == PINSIGHT_EVENT_CORE_REGION_END)
        pinsight_marked_sums_end(thread, name, event->ns);
    else if (thread->selected)
        pinsight_marked_sums_moment(model, PINSIGHT_MARKED_MARK, name);
    if (!model->timeline)
        return;
    if (event->binding->id == PINSIGHT_EVENT_CORE_MARK)
        pinsight_track_instant(thread, pinsight_strings_text(&model->strings, name), event->ns);
    else if (event->binding->id == PINSIGHT_EVENT_CORE_REGION_END)
        pinsight_marked_end(thread, name, event->ns);
    else
        pinsight_marked_begin(thread, name, event->ns);
}

/* Takes the begin or end of a range of the process, in any thread. */
static void range_event(struct pinsight_model *model, const struct pinsight_event *event) {
    struct pinsight_process *process = pinsight_lookup_process(model, event);
    bool begins = event->binding->id == PINSIGHT_EVENT_CORE_RANGE_BEGIN;

    pinsight_model_touch(process, event->ns);
    model->regions += begins;
    if (!process->selected)
        return;
    if (begins)
        pinsight_ranges_begin(process, u64(event, PINSIGHT_CORE_RANGE_BEGIN_ID),
                              pinsight_lookup_text(model, event, PINSIGHT_CORE_RANGE_BEGIN_NAME),
                              event->ns);
    else
        pinsight_ranges_end(process, u64(event, PINSIGHT_CORE_RANGE_END_ID), event->ns);
}

/* Takes a count of MONITORING. Passes that of a native region to its domain. */
static void profile(struct pinsight_model *model, const struct pinsight_event *event) {
    struct pinsight_process *process =
        pinsight_lookup_process_named(model, event, PINSIGHT_CORE_LEXGION_PROFILE_PID);
    struct pinsight_thread *thread = pinsight_model_thread(
        process, pinsight_event_integer(event, PINSIGHT_CORE_LEXGION_PROFILE_PYTHON_THREAD_ID),
        (uint32_t)pinsight_event_integer(event, PINSIGHT_CORE_LEXGION_PROFILE_TID));
    struct pinsight_monitored counted = {
        .calls = (uint64_t)pinsight_event_integer(event, PINSIGHT_CORE_LEXGION_PROFILE_CALLS),
        .total_ns =
            (uint64_t)pinsight_event_integer(event, PINSIGHT_CORE_LEXGION_PROFILE_INCLUSIVE_NS),
        .self_ns =
            (uint64_t)pinsight_event_integer(event, PINSIGHT_CORE_LEXGION_PROFILE_EXCLUSIVE_NS)};
    int64_t kind = pinsight_event_integer(event, PINSIGHT_CORE_LEXGION_PROFILE_KIND);
    bool function = kind == PINSIGHT_FUNCTION;
    const struct reader_domain *domain;

    pinsight_model_touch(process, event->ns);
    if (kind == PINSIGHT_REGION) {
        domain =
            reader_domain_named(pinsight_event_text(event, PINSIGHT_CORE_LEXGION_PROFILE_DOMAIN));
        if (domain && domain->profile)
            domain->profile(thread, event, &counted);
        return;
    }
    pinsight_names_profile(
        thread, function ? PINSIGHT_FUNCTION : PINSIGHT_C_CALL,
        pinsight_event_text(event, PINSIGHT_CORE_LEXGION_PROFILE_NAME),
        pinsight_event_text(event, PINSIGHT_CORE_LEXGION_PROFILE_FILENAME),
        (int32_t)pinsight_event_integer(event, PINSIGHT_CORE_LEXGION_PROFILE_LINENO), &counted);
}

static void process_info(struct pinsight_model *model, const struct pinsight_event *event) {
    const struct pinsight_process_mark mark = {
        .instance = event->instance,
        .namespace = u64(event, PINSIGHT_CORE_PROCESS_INFO_PID_NAMESPACE),
        .program = u64(event, PINSIGHT_CORE_PROCESS_INFO_PROGRAM_NUMBER),
    };

    pinsight_model_process_info(
        model, event->binding->host, pinsight_event_integer(event, PINSIGHT_CORE_PROCESS_INFO_PID),
        event->ns, pinsight_event_integer(event, PINSIGHT_CORE_PROCESS_INFO_PPID),
        (int32_t)pinsight_event_integer(event, PINSIGHT_CORE_PROCESS_INFO_RANK),
        pinsight_event_text(event, PINSIGHT_CORE_PROCESS_INFO_HOSTNAME),
        pinsight_event_text(event, PINSIGHT_CORE_PROCESS_INFO_PROGRAM),
        pinsight_event_text(event, PINSIGHT_CORE_PROCESS_INFO_COMMAND),
        pinsight_event_text(event, PINSIGHT_CORE_PROCESS_INFO_VERSION), &mark);
    pinsight_lookup_process_named(model, event, PINSIGHT_CORE_PROCESS_INFO_PID)->other_clock =
        pinsight_lookup_text(model, event, PINSIGHT_CORE_PROCESS_INFO_OTHER_CLOCK);
}

static void thread_info(struct pinsight_model *model, const struct pinsight_event *event) {
    pinsight_model_thread_info(
        model, pinsight_lookup_process_named(model, event, PINSIGHT_CORE_THREAD_INFO_PID),
        (uint32_t)pinsight_event_integer(event, PINSIGHT_CORE_THREAD_INFO_TID),
        pinsight_event_integer(event, PINSIGHT_CORE_THREAD_INFO_PYTHON_THREAD_ID),
        pinsight_event_text(event, PINSIGHT_CORE_THREAD_INFO_NAME), event->ns);
}

/* Takes a reading of a thread's clock, if the packet or the event's context names the thread. */
static void thread_clock(struct pinsight_model *model, const struct pinsight_event *event) {
    struct pinsight_thread *thread;

    if (pinsight_event_vtid(event) < 0)
        return;
    pinsight_model_touch(pinsight_lookup_process(model, event), event->ns);
    thread = pinsight_lookup_native_thread(model, event, 0);
    pinsight_clock_read(thread, (uint32_t)pinsight_event_vtid(event), event->ns,
                        u64(event, PINSIGHT_CORE_THREAD_CLOCK_PROCESSOR_NS),
                        u64(event, PINSIGHT_CORE_THREAD_CLOCK_RUN_DELAY_NS));
    thread->clock.moved = event->earlier;
}

static void process_memory(struct pinsight_model *model, const struct pinsight_event *event) {
    struct pinsight_process *process = pinsight_lookup_process(model, event);
    uint64_t bytes = u64(event, PINSIGHT_CORE_PROCESS_MEMORY_RESIDENT_BYTES);

    pinsight_model_touch(process, event->ns);
    if (!process->selected || model->options.names_only)
        return;
    if (bytes > process->resident_most)
        process->resident_most = bytes;
    if (model->timeline && model->timeline->memory)
        model->timeline->memory(model->timeline->data, process, bytes, event->ns);
}

static void ingest(struct pinsight_model *model, const struct pinsight_event *event) {
    static void (*const takes[])(struct pinsight_model *, const struct pinsight_event *) = {
        [PINSIGHT_EVENT_CORE_PROCESS_INFO] = process_info,
        [PINSIGHT_EVENT_CORE_THREAD_INFO] = thread_info,
        [PINSIGHT_EVENT_CORE_PROCESS_START] = pinsight_children_take,
        [PINSIGHT_EVENT_CORE_PROCESS_END] = pinsight_children_take,
        [PINSIGHT_EVENT_CORE_PROCESS_NAME] = pinsight_children_take,
        [PINSIGHT_EVENT_CORE_THREAD_START] = pinsight_starts_take,
        [PINSIGHT_EVENT_CORE_REGION_BEGIN] = marked_event,
        [PINSIGHT_EVENT_CORE_REGION_END] = marked_event,
        [PINSIGHT_EVENT_CORE_MARK] = marked_event,
        [PINSIGHT_EVENT_CORE_VALUE] = pinsight_values_take,
        [PINSIGHT_EVENT_CORE_RANGE_BEGIN] = range_event,
        [PINSIGHT_EVENT_CORE_RANGE_END] = range_event,
        [PINSIGHT_EVENT_CORE_LEXGION_PROFILE] = profile,
        [PINSIGHT_EVENT_CORE_PATH_PROFILE] = pinsight_counted_take,
        [PINSIGHT_EVENT_CORE_DOMAIN_INFO] = domain_info,
        [PINSIGHT_EVENT_CORE_DOMAIN_TOTALS] = domain_totals,
        [PINSIGHT_EVENT_CORE_CALLBACK_COST] = callback_cost,
        [PINSIGHT_EVENT_CORE_MODE_CHANGE] = mode_change,
        [PINSIGHT_EVENT_CORE_CONFIG_CHANGE] = config_change,
        [PINSIGHT_EVENT_CORE_WINDOW_END] = window_end,
        [PINSIGHT_EVENT_CORE_LEXGION_OUTSIDE] = pinsight_marked_sums_outside,
        [PINSIGHT_EVENT_CORE_INTROSPECT_BEGIN] = introspect_begin,
        [PINSIGHT_EVENT_CORE_INTROSPECT_END] = introspect_end,
        [PINSIGHT_EVENT_CORE_THREAD_CLOCK] = thread_clock,
        [PINSIGHT_EVENT_CORE_PROCESS_MEMORY] = process_memory,
    };
    size_t id = event->binding->id;

    if (id < sizeof(takes) / sizeof(takes[0]) && takes[id])
        takes[id](model, event);
}

static void finish(struct pinsight_model *model) {
    pinsight_counted_finish(model);
    pinsight_marked_sums_finish(model);
    pinsight_children_finish(model);
}

static const enum pinsight_event_id names[] = {
    PINSIGHT_EVENT_CORE_PROCESS_INFO, PINSIGHT_EVENT_CORE_THREAD_INFO,
    PINSIGHT_EVENT_CORE_THREAD_START, PINSIGHT_EVENT_CORE_DOMAIN_INFO, PINSIGHT_EVENT_UNKNOWN};

/* Returns the thread of a mark of the program. Other events have none. */
static struct pinsight_thread *thread_of(struct pinsight_model *model,
                                         const struct pinsight_event *event) {
    switch (event->binding->id) {
    case PINSIGHT_EVENT_CORE_REGION_BEGIN:
    case PINSIGHT_EVENT_CORE_REGION_END:
    case PINSIGHT_EVENT_CORE_MARK:
        return pinsight_lookup_inline_thread(model, event,
                                             PINSIGHT_CORE_REGION_BEGIN_PYTHON_THREAD_ID);
    case PINSIGHT_EVENT_CORE_VALUE:
        return pinsight_lookup_inline_thread(model, event, PINSIGHT_CORE_VALUE_PYTHON_THREAD_ID);
    case PINSIGHT_EVENT_CORE_RANGE_BEGIN:
        return pinsight_lookup_inline_thread(model, event,
                                             PINSIGHT_CORE_RANGE_BEGIN_PYTHON_THREAD_ID);
    case PINSIGHT_EVENT_CORE_RANGE_END:
        return pinsight_lookup_inline_thread(model, event,
                                             PINSIGHT_CORE_RANGE_END_PYTHON_THREAD_ID);
    default:
        return NULL;
    }
}

const struct reader_domain reader_domain_core = {.table = "core",
                                                 .name = "User",
                                                 .names = names,
                                                 .ingest = ingest,
                                                 .thread_of = thread_of,
                                                 .profile = pinsight_marked_sums_profile,
                                                 .end_process = pinsight_ranges_close,
                                                 .finish = finish,
                                                 .free = pinsight_ranges_free};
