/* The tree of imports. A module has a node for each place that imported it. Mostly this is one: a
 * second import of a module finds it in sys.modules, and has no event. */
#include "reader/python/imports.h"

#include "base/memory.h"
#include "reader/frame.h"
#include "reader/python/stacks.h"

static uint32_t find_node(struct pinsight_thread *thread, uint32_t parent, uint32_t module,
                          uint64_t ns) {
    struct pinsight_process *process = thread->process;
    struct pinsight_model *model = process->model;
    uint32_t node = pinsight_map_get(&model->import_map, parent, module, process->index);

    if (node != PINSIGHT_MAP_NONE)
        return node;
    model->imports = pinsight_grow(model->imports, model->import_count, &model->import_capacity,
                                   sizeof(*model->imports));
    node = (uint32_t)model->import_count++;
    model->imports[node] = (struct pinsight_import){
        .process = process, .parent = parent, .module = module, .first_ns = ns};
    pinsight_map_set(&model->import_map, parent, module, process->index, node);
    return node;
}

void pinsight_imports_begin(struct pinsight_thread *thread, uint32_t module, uint32_t path,
                            uint64_t ns) {
    struct pinsight_model *model = thread->process->model;
    const struct pinsight_slice *outer;
    struct pinsight_slice *frame;

    if (!thread->selected || model->options.names_only)
        return;
    ns = pinsight_stacks_time(thread, ns);
    frame = pinsight_chain_push(thread, PINSIGHT_IMPORTS, PINSIGHT_SLICE_IMPORT, module, ns);
    frame->path = path;
    outer = pinsight_chain_outer(thread, frame);
    frame->node = find_node(thread, outer ? outer->node : PINSIGHT_NONE, module, ns);
    model->imports[frame->node].count++;
    pinsight_track_reported(thread->track);
}

static void pop(struct pinsight_thread *thread, uint64_t ns) {
    struct pinsight_frame_times times;
    const struct pinsight_slice *frame = pinsight_chain_pop(thread, PINSIGHT_IMPORTS, ns, &times);
    struct pinsight_import *import = &thread->process->model->imports[frame->node];

    import->total_ns += times.total_ns;
    import->self_ns += times.self_ns;
    pinsight_stacks_stand_apart(thread, frame);
}

static struct pinsight_slice *innermost(const struct pinsight_thread *thread) {
    return pinsight_chain_top(thread, PINSIGHT_IMPORTS);
}

static bool is_open(const struct pinsight_thread *thread, uint32_t module) {
    const struct pinsight_slice *frame = innermost(thread);

    while (frame && frame->id != module)
        frame = pinsight_chain_outer(thread, frame);
    return frame != NULL;
}

void pinsight_imports_end(struct pinsight_thread *thread, uint32_t module, unsigned how,
                          uint64_t ns) {
    struct pinsight_model *model = thread->process->model;

    if (!thread->selected || model->options.names_only)
        return;
    ns = pinsight_stacks_end_time(thread, how, ns);
    if (!is_open(thread, module)) {
        model->unmatched_ends++;
        model->ends_of_nothing += !innermost(thread);
        return;
    }
    while (innermost(thread)->id != module) {
        model->unmatched_begins++;
        pop(thread, ns);
    }
    if (how == PINSIGHT_IMPORT_RAISED)
        model->imports[innermost(thread)->node].failed++;
    pop(thread, ns);
}

uint64_t pinsight_imports_close(struct pinsight_thread *thread, uint64_t ns) {
    uint64_t closed = 0;

    if (innermost(thread) && ns > thread->last_ns)
        thread->last_ns = ns;
    for (; innermost(thread); closed++)
        pop(thread, thread->last_ns);
    return closed;
}
