/* Counted call paths; see counted.h. */
#include "reader/core/counted.h"

#include "base/memory.h"
#include "reader/ctf/event.h"
#include "reader/lookup.h"
#include "reader/python/names.h"
#include "reader/python/stacks.h"
#include "reader/waits.h"

#include <stdlib.h>

#define NONE PINSIGHT_NONE

static uint64_t number(const struct pinsight_event *event, unsigned field) {
    return (uint64_t)pinsight_event_integer(event, field);
}

/* Returns the number of a thread's node, or that of a new one. An OS thread without Python is
 * identified by its id, with the highest bit set. */
static uint32_t path_of(struct pinsight_model *model, const struct pinsight_thread *thread,
                        uint32_t node) {
    uint32_t of = thread->number >= 0 ? (uint32_t)thread->number : thread->tid | UINT32_C(1) << 31;

    return pinsight_map_number(&model->counted_map, thread->process->index, of, node,
                               model->counted_count);
}

void pinsight_counted_take(struct pinsight_model *model, const struct pinsight_event *event) {
    struct pinsight_process *process =
        pinsight_lookup_process_named(model, event, PINSIGHT_CORE_PATH_PROFILE_PID);
    struct pinsight_thread *thread = pinsight_model_thread(
        process, pinsight_event_integer(event, PINSIGHT_CORE_PATH_PROFILE_PYTHON_THREAD_ID),
        (uint32_t)number(event, PINSIGHT_CORE_PATH_PROFILE_TID));
    uint32_t above = (uint32_t)number(event, PINSIGHT_CORE_PATH_PROFILE_PARENT);
    const struct reader_domain *domain;
    struct pinsight_counted *path;
    uint32_t parent = NONE, at;

    pinsight_model_touch(process, event->ns);
    if (!thread->selected || model->options.names_only)
        return;
    if (above) {
        /* In a part of a trace, the event of the parent may be missing. */
        parent = path_of(model, thread, above);
        if (parent == model->counted_count)
            *PINSIGHT_ADD(model->counted, model->counted_count, model->counted_capacity) =
                (struct pinsight_counted){.thread = thread,
                                          .parent = NONE,
                                          .kind = PINSIGHT_REGION,
                                          .domain = READER_DOMAINS};
    }
    at = path_of(model, thread, (uint32_t)number(event, PINSIGHT_CORE_PATH_PROFILE_NODE));
    if (at == model->counted_count) {
        domain = reader_domain_named(pinsight_event_text(event, PINSIGHT_CORE_PATH_PROFILE_DOMAIN));
        *PINSIGHT_ADD(model->counted, model->counted_count, model->counted_capacity) =
            (struct pinsight_counted){
                .thread = thread,
                .parent = parent,
                .lexgion = (uint32_t)number(event, PINSIGHT_CORE_PATH_PROFILE_LEXGION),
                .line = (int32_t)pinsight_event_integer(event, PINSIGHT_CORE_PATH_PROFILE_LINENO),
                .kind = (uint8_t)number(event, PINSIGHT_CORE_PATH_PROFILE_KIND),
                .folded = number(event, PINSIGHT_CORE_PATH_PROFILE_FOLDED) != 0,
                .domain = READER_DOMAINS};
        for (size_t i = 0; i < READER_DOMAINS; i++)
            if (reader_domains[i] == domain)
                model->counted[at].domain = (uint8_t)i;
    }
    path = &model->counted[at];
    path->cut_off |= number(event, PINSIGHT_CORE_PATH_PROFILE_CUT_OFF) != 0;
    path->calls += number(event, PINSIGHT_CORE_PATH_PROFILE_CALLS);
    path->inclusive_ns += number(event, PINSIGHT_CORE_PATH_PROFILE_INCLUSIVE_NS);
    if (path->max_ns < number(event, PINSIGHT_CORE_PATH_PROFILE_MAX_NS))
        path->max_ns = number(event, PINSIGHT_CORE_PATH_PROFILE_MAX_NS);
    path->own_ns += pinsight_event_integer(event, PINSIGHT_CORE_PATH_PROFILE_SELF_NS);
}

void pinsight_counted_move(struct pinsight_model *model, const struct pinsight_thread *from,
                           struct pinsight_thread *to) {
    for (size_t i = 0; i < model->counted_count; i++)
        if (model->counted[i].thread == from)
            model->counted[i].thread = to;
}

static void name(struct pinsight_counted *path) {
    struct pinsight_process *process = path->thread->process;

    if (path->kind == PINSIGHT_FUNCTION)
        path->id = pinsight_names_code(process, path->lexgion);
    else if (path->kind == PINSIGHT_C_CALL)
        path->id = pinsight_names_callee_number(process, path->lexgion);
}

/* Adds native work to its Python caller. Python that the native work called becomes a child of that
 * caller. */
static void join_regions(struct pinsight_model *model) {
    for (size_t i = model->counted_count; i-- > 0;) {
        struct pinsight_counted *path = &model->counted[i];
        uint32_t above = path->parent;

        while (above != NONE && !pinsight_counted_is_python(&model->counted[above]))
            above = model->counted[above].parent;
        if (above != NONE && !pinsight_counted_is_python(path))
            model->counted[above].own_ns += path->own_ns;
        if (pinsight_counted_is_python(path) && above != path->parent) {
            path->parent = above;
            path->line = 0;
        }
    }
}

static void add_up(struct pinsight_model *model) {
    for (size_t i = model->counted_count; i-- > 0;) {
        struct pinsight_counted *path = &model->counted[i];

        path->self_ns = path->own_ns > 0 ? (uint64_t)path->own_ns : 0;
        path->total_ns += path->self_ns;
        /* Time in it that belongs to no path, such as a garbage collection. */
        if (!path->folded && path->total_ns < path->inclusive_ns)
            path->total_ns = path->inclusive_ns;
        if (pinsight_counted_is_python(path) && path->parent != NONE)
            model->counted[path->parent].total_ns += path->total_ns;
    }
}

/* Adds the sums that the sums by function lack. */
static void add_longest(struct pinsight_model *model, struct pinsight_counted *path) {
    const struct pinsight_monitored more = {.sum_ns = path->inclusive_ns, .max_ns = path->max_ns};

    if (path->kind == PINSIGHT_FUNCTION)
        pinsight_monitored_add(&model->functions[path->id].counted, &more);
    else if (path->kind == PINSIGHT_C_CALL)
        pinsight_monitored_add(&model->callees[path->id].counted, &more);
    if (path->kind == PINSIGHT_C_CALL &&
        pinsight_wait_is_all(pinsight_strings_text(&model->strings, model->callees[path->id].name)))
        path->waiting_ns = path->self_ns;
}

static void add_sites(struct pinsight_model *model) {
    for (size_t i = 0; i < model->counted_count; i++) {
        struct pinsight_counted *path = &model->counted[i];
        const struct pinsight_counted *above =
            path->parent == NONE ? NULL : &model->counted[path->parent];
        bool by_function = above && above->kind == PINSIGHT_FUNCTION;

        add_longest(model, path);
        if (path->kind != PINSIGHT_C_CALL)
            continue;
        path->site = pinsight_names_site(model, path->id, by_function ? above->id : NONE,
                                         by_function ? path->line : 0);
        pinsight_monitored_add(&model->sites[path->site].counted,
                               &(struct pinsight_monitored){.calls = path->calls,
                                                            .total_ns = path->total_ns,
                                                            .self_ns = path->self_ns,
                                                            .sum_ns = path->inclusive_ns,
                                                            .max_ns = path->max_ns});
    }
}

static void add_nodes(struct pinsight_model *model) {
    uint32_t *nodes = pinsight_calloc(model->counted_count + 1, sizeof(*nodes));

    for (size_t i = 0; i < model->counted_count; i++) {
        const struct pinsight_counted *path = &model->counted[i];
        uint32_t parent = path->parent == NONE ? NONE : nodes[path->parent];

        if (pinsight_counted_is_python(path))
            nodes[i] = pinsight_stacks_counted_node(
                model, parent, path->kind, path->id,
                &(struct pinsight_monitored){
                    .calls = path->calls, .total_ns = path->total_ns, .self_ns = path->self_ns});
    }
    free(nodes);
}

void pinsight_counted_finish(struct pinsight_model *model) {
    for (size_t i = 0; i < model->counted_count; i++)
        name(&model->counted[i]);
    join_regions(model);
    add_up(model);
    add_sites(model);
    pinsight_counted_take_off(model);
    if (model->options.tree && pinsight_counted_is_all(model))
        add_nodes(model);
}

bool pinsight_counted_is_all(const struct pinsight_model *model) {
    for (size_t p = 0; p < model->process_count; p++)
        for (size_t t = 0; t < model->processes[p]->thread_count; t++)
            if (model->processes[p]->thread_list[t]->selected &&
                model->processes[p]->thread_list[t]->last_ns)
                return false;
    return model->counted_count > 0;
}

uint64_t pinsight_counted_folded(const struct pinsight_model *model) {
    uint64_t calls = 0;

    for (size_t i = 0; i < model->counted_count; i++)
        calls += model->counted[i].folded ? model->counted[i].calls : 0;
    return calls;
}

uint64_t pinsight_counted_cut_off(const struct pinsight_model *model) {
    uint64_t calls = 0;

    for (size_t i = 0; i < model->counted_count; i++)
        calls += model->counted[i].cut_off;
    return calls;
}

struct pinsight_counted_links *pinsight_counted_links(const struct pinsight_model *model,
                                                      uint32_t *first) {
    struct pinsight_counted_links *links =
        pinsight_calloc(model->counted_count + 1, sizeof(*links));

    *first = NONE;
    for (size_t i = 0; i < model->counted_count; i++)
        links[i] = (struct pinsight_counted_links){NONE, NONE};
    for (size_t i = model->counted_count; i-- > 0;) {
        const struct pinsight_counted *path = &model->counted[i];
        uint32_t *head = path->parent == NONE ? first : &links[path->parent].first;

        if (!pinsight_counted_is_python(path))
            continue;
        links[i].next = *head;
        *head = (uint32_t)i;
    }
    return links;
}
