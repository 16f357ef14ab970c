/* Processes that others started; see children.h. */
#include "reader/core/children.h"

#include "base/memory.h"
#include "reader/kit/paths.h"
#include "reader/lookup.h"
#include "reader/model.h"

static int64_t integer(const struct pinsight_event *event, unsigned field) {
    return pinsight_event_integer(event, field);
}

static struct pinsight_child *add(struct pinsight_model *model,
                                  const struct pinsight_child *child) {
    struct pinsight_children *all = &model->children;
    struct pinsight_child *added = PINSIGHT_ADD(all->children, all->count, all->capacity);

    *added = *child;
    return added;
}

static void process_name(struct pinsight_model *model, const struct pinsight_event *event) {
    struct pinsight_process *process =
        pinsight_lookup_process_named(model, event, PINSIGHT_CORE_PROCESS_NAME_PID);
    uint32_t name = pinsight_lookup_text(model, event, PINSIGHT_CORE_PROCESS_NAME_NAME);

    /* The first source is multiprocessing. */
    if (integer(event, PINSIGHT_CORE_PROCESS_NAME_SOURCE))
        process->title = name;
    else
        process->own_name = name;
}

void pinsight_children_take(struct pinsight_model *model, const struct pinsight_event *event) {
    struct pinsight_process *by;

    if (event->binding->id == PINSIGHT_EVENT_CORE_PROCESS_NAME) {
        process_name(model, event);
    } else if (event->binding->id == PINSIGHT_EVENT_CORE_PROCESS_START) {
        by = pinsight_lookup_process_named(model, event, PINSIGHT_CORE_PROCESS_START_PID);
        add(model, &(struct pinsight_child){
                       .by = by,
                       .pid = integer(event, PINSIGHT_CORE_PROCESS_START_CHILD),
                       .ns = event->ns,
                       .path = pinsight_path_of(
                           by, (uint32_t)integer(event, PINSIGHT_CORE_PROCESS_START_PY_PATH))});
    } else {
        by = pinsight_lookup_process_named(model, event, PINSIGHT_CORE_PROCESS_END_PID);
        add(model, &(struct pinsight_child){
                       .by = by,
                       .pid = integer(event, PINSIGHT_CORE_PROCESS_END_CHILD),
                       .ns = event->ns,
                       .ended = true,
                       .status = (int32_t)integer(event, PINSIGHT_CORE_PROCESS_END_STATUS)});
    }
}

static bool is_of(const struct pinsight_child *child, const struct pinsight_process *process) {
    return child->pid == process->pid && child->by->host == process->host &&
           child->by->namespace == process->namespace && child->by != process;
}

static uint64_t distance(uint64_t a, uint64_t b) {
    return a > b ? a - b : b - a;
}

/* Returns the start that a process asked a fork server for, if the given one is the server's. It is
 * the next one of the same number, by a process that is not the parent. Otherwise returns the given
 * start. */
static const struct pinsight_child *asked_for(const struct pinsight_children *all,
                                              const struct pinsight_process *process,
                                              const struct pinsight_child *start) {
    const struct pinsight_child *next = NULL;

    for (size_t i = 0; start->by->pid == process->ppid && i < all->count; i++) {
        const struct pinsight_child *child = &all->children[i];

        if (is_of(child, process) && !child->ended && child->ns > start->ns &&
            (!next || child->ns < next->ns))
            next = child;
    }
    return next && next->by->pid != process->ppid ? next : start;
}

/* Sets the start that is nearest to the begin of the process, and the first end after it. */
static void assign(const struct pinsight_children *all, struct pinsight_process *process) {
    const struct pinsight_child *start = NULL, *end = NULL;

    for (size_t i = 0; i < all->count; i++) {
        const struct pinsight_child *child = &all->children[i];

        if (!is_of(child, process))
            continue;
        if (child->ended) {
            if (!end && child->ns >= process->announced_ns)
                end = child;
        } else if (!start || distance(child->ns, process->announced_ns) <
                                 distance(start->ns, process->announced_ns)) {
            start = child;
        }
    }
    if (start) {
        start = asked_for(all, process, start);
        process->start_path = start->path;
        process->starter = start->by;
    }
    if (end) {
        process->has_status = true;
        process->status = end->status;
    }
}

void pinsight_children_finish(struct pinsight_model *model) {
    for (size_t i = 0; model->children.count && i < model->process_count; i++)
        if (pinsight_process_is_there(model->processes[i]))
            assign(&model->children, model->processes[i]);
}
