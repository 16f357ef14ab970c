/* Calls of a domain, by the names of its events; see calls.h. */
#include "reader/kit/calls.h"

#include "base/memory.h"
#include "reader/frame.h"
#include "reader/kit/native.h"
#include "reader/kit/paths.h"
#include "reader/lookup.h"

#include <stdlib.h>
#include <string.h>

/* With more sites than this, calls are reported without their Python path. */
#define MOST_SITES (1u << 18)

enum calls_field { PY_PATH, CODEPTR, BYTES, PID, LEXGION, OBJECT, OFFSET, SYMBOL };
const char *const reader_calls_fields[READER_CALLS_FIELDS] = {READER_CALLS_FIELD_NAMES};

enum { CALL_INFO = EVENT_OWN };
const char *const reader_calls_moments[] = {"call_info"};

static struct reader_calls *calls_in(struct pinsight_model *model,
                                     enum reader_domain_number number) {
    if (!model->state[number])
        model->state[number] = pinsight_calloc(1, sizeof(struct reader_calls));
    return model->state[number];
}

static bool waits(const struct reader_calls_domain *domain, const char *name) {
    for (const char *const *at = domain->waiting; *at; at++)
        if (!strcmp(*at, name))
            return true;
    return false;
}

static uint32_t function_of(const struct reader_calls_domain *domain, struct pinsight_model *model,
                            const char *name) {
    struct reader_calls *calls = calls_in(model, domain->number);
    uint32_t string = pinsight_strings_add(&model->strings, name, strlen(name));
    uint32_t function = pinsight_map_get(&calls->function_map, string, 0, 0);

    if (function != PINSIGHT_MAP_NONE)
        return function;
    calls->functions = pinsight_grow(calls->functions, calls->function_count,
                                     &calls->function_capacity, sizeof(*calls->functions));
    function = (uint32_t)calls->function_count++;
    calls->functions[function] =
        (struct reader_calls_function){.name = string, .waits = waits(domain, name)};
    pinsight_map_set(&calls->function_map, string, 0, 0, function);
    return function;
}

static uint32_t site_of(struct reader_calls *calls, uint32_t function, uint32_t path,
                        uint32_t native) {
    uint32_t site;

    if (calls->site_count >= MOST_SITES)
        path = PINSIGHT_NONE;
    site = pinsight_map_get(&calls->site_map, function, path, native);
    if (site != PINSIGHT_MAP_NONE)
        return site;
    calls->sites = pinsight_grow(calls->sites, calls->site_count, &calls->site_capacity,
                                 sizeof(*calls->sites));
    site = (uint32_t)calls->site_count++;
    calls->sites[site] = (struct reader_calls_site){function, path, native};
    pinsight_map_set(&calls->site_map, function, path, native, site);
    return site;
}

struct pinsight_thread *reader_calls_thread(struct reader_calls_domain *domain,
                                            struct pinsight_model *model,
                                            const struct pinsight_event *event) {
    unsigned moment = event_layout_of(&domain->layouts, event)->moment;

    return moment == EVENT_BEGIN || moment == EVENT_END
               ? pinsight_lookup_native_thread(model, event, 0)
               : NULL;
}

static void begin(const struct reader_calls_domain *domain, struct pinsight_thread *thread,
                  struct pinsight_process *process, const struct pinsight_event *event,
                  const struct event_layout *layout) {
    struct reader_calls *calls = calls_in(process->model, domain->number);
    const struct pinsight_slice *outer = pinsight_chain_top(thread, domain->number);
    uint64_t codeptr = (uint64_t)event_layout_get(layout, event, CODEPTR, 0);
    uint32_t path =
        pinsight_path_of(process, (uint32_t)event_layout_get(layout, event, PY_PATH, 0));
    uint32_t native = codeptr ? pinsight_native_at(process, codeptr) : PINSIGHT_NONE;
    struct pinsight_slice *frame;
    uint32_t site;

    if (outer && outer->key == READER_CALLS_DEEPEST) {
        calls->unmatched_begins++;
        return;
    }
    if (path == PINSIGHT_NONE)
        path = pinsight_track_path(thread->track);
    site =
        site_of(calls,
                function_of(domain, process->model,
                            domain->function ? domain->function(layout, event) : layout->function),
                path, native);
    frame = pinsight_chain_push(thread, domain->number, PINSIGHT_SLICE_CALL + domain->number, site,
                                event->ns);
    frame->path = path;
    frame->native = native;
    frame->bytes = (uint64_t)event_layout_get(layout, event, BYTES, 0);
    if (calls->functions[calls->sites[site].function].waits)
        frame->waited_ns = PINSIGHT_WAITS_ALWAYS;
    if (domain->begun)
        frame->own = domain->begun(calls, process, layout, event);
    pinsight_track_reported(thread->track);
}

/* Drops a call whose end is missing. */
static void lose(struct reader_calls *calls, enum reader_domain_number number,
                 struct pinsight_thread *thread) {
    const struct pinsight_slice *frame = pinsight_chain_top(thread, number);

    calls->functions[calls->sites[frame->id].function].open++;
    pinsight_chain_drop(thread, number);
}

static void add_call(struct reader_calls_function *function, uint64_t time) {
    pinsight_extremes_add(&function->min_ns, &function->max_ns, !function->calls, time, time);
    function->calls++;
    function->total_ns += time;
}

static void end(const struct reader_calls_domain *domain, struct pinsight_thread *thread,
                const struct event_layout *layout, uint64_t ns) {
    struct pinsight_model *model = thread->process->model;
    struct reader_calls *calls = calls_in(model, domain->number);
    const struct pinsight_slice *frame = pinsight_chain_top(thread, domain->number);
    uint32_t function = !domain->function ? function_of(domain, model, layout->function)
                        : frame           ? calls->sites[frame->id].function
                                          : PINSIGHT_NONE;
    struct pinsight_frame_times times;

    while (frame && calls->sites[frame->id].function != function)
        frame = pinsight_chain_outer(thread, frame);
    if (!frame) {
        calls->unmatched_ends++;
        return;
    }
    for (; pinsight_chain_top(thread, domain->number) != frame; calls->unmatched_begins++)
        lose(calls, domain->number, thread);
    uint32_t site = frame->id, own = frame->own;
    pinsight_chain_pop(thread, domain->number, ns, &times);
    if (domain->ended)
        domain->ended(calls, site, own, &times, pinsight_chain_top(thread, domain->number) != NULL);
    add_call(&calls->functions[function], times.total_ns);
    calls->calls++;
}

static void call_info(const struct reader_calls_domain *domain, struct pinsight_process *process,
                      const struct pinsight_event *event, const struct event_layout *layout) {
    pinsight_native_info(process, domain->number,
                         (uint32_t)event_layout_get(layout, event, LEXGION, 0),
                         (uint64_t)event_layout_get(layout, event, CODEPTR, 0),
                         pinsight_native_name(event_layout_text(layout, event, OBJECT)),
                         (uint64_t)event_layout_get(layout, event, OFFSET, 0),
                         pinsight_native_name(event_layout_text(layout, event, SYMBOL)));
}

void reader_calls_ingest(struct reader_calls_domain *domain, struct pinsight_model *model,
                         const struct pinsight_event *event) {
    struct pinsight_process *process = pinsight_lookup_process(model, event);
    const struct event_layout *layout = event_layout_of(&domain->layouts, event);
    struct pinsight_thread *thread;

    if (layout->moment == CALL_INFO)
        call_info(domain, process, event, layout);
    else if (layout->moment > CALL_INFO && domain->define)
        domain->define(calls_in(model, domain->number), process, layout, event);
    thread = reader_calls_thread(domain, model, event);
    if (!thread)
        return;
    pinsight_model_touch(process, event->ns);
    if (model->options.names_only || !thread->selected)
        return;
    if (layout->moment == EVENT_BEGIN)
        begin(domain, thread, process, event, layout);
    else
        end(domain, thread, layout, event->ns);
}

void reader_calls_profile(struct reader_calls_domain *domain, struct pinsight_thread *thread,
                          const struct pinsight_event *event,
                          const struct pinsight_monitored *counted) {
    struct pinsight_model *model = thread->process->model;
    uint32_t function =
        function_of(domain, model, pinsight_event_text(event, PINSIGHT_CORE_LEXGION_PROFILE_NAME));
    struct reader_calls_function *sum = &calls_in(model, domain->number)->functions[function];

    if (!thread->selected)
        return;
    pinsight_monitored_add(&sum->counted, counted);
}

uint64_t reader_calls_close(enum reader_domain_number number, struct pinsight_thread *thread,
                            uint64_t ns) {
    uint64_t open = 0;

    (void)ns;
    for (; pinsight_chain_top(thread, number); open++)
        lose(thread->process->model->state[number], number, thread);
    return open;
}

void reader_calls_free(enum reader_domain_number number, struct pinsight_model *model) {
    struct reader_calls *calls = model->state[number];

    if (!calls)
        return;
    pinsight_map_clear(&calls->function_map);
    pinsight_map_clear(&calls->site_map);
    PINSIGHT_FREE(calls->functions, calls->sites, calls);
    model->state[number] = NULL;
}
