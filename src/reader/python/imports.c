/* The tree of imports. A module has a node for each place from which it was imported: mostly one,
 * as the second import of a module finds it in sys.modules and is no event. */
#include "reader/python/imports.h"

#include "base/memory.h"
#include "reader/timeline.h"

static uint32_t find_node(struct pinsight_thread *thread, uint32_t module, uint64_t ns) {
    struct pinsight_process *process = thread->process;
    struct pinsight_model *model = process->model;
    uint32_t parent =
        thread->import_depth ? thread->imports[thread->import_depth - 1].node : PINSIGHT_NONE;
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

/* Time does not run back within a thread. */
static uint64_t take_time(struct pinsight_thread *thread, uint64_t ns) {
    if (ns < thread->last_ns) {
        thread->process->model->late_events++;
        return thread->last_ns;
    }
    if (!thread->last_ns)
        thread->first_ns = ns;
    thread->last_ns = ns;
    return ns;
}

void pinsight_imports_begin(struct pinsight_thread *thread, uint32_t module, uint64_t ns) {
    struct pinsight_model *model = thread->process->model;
    struct pinsight_slice slice;
    uint32_t node;

    if (!thread->selected || model->options.names_only)
        return;
    ns = take_time(thread, ns);
    node = find_node(thread, module, ns);
    model->imports[node].count++;
    thread->imports = pinsight_grow(thread->imports, thread->import_depth, &thread->import_capacity,
                                    sizeof(*thread->imports));
    thread->imports[thread->import_depth++] =
        (struct pinsight_import_frame){.begin_ns = ns, .module = module, .node = node};
    slice = pinsight_slice_of(PINSIGHT_SLICE_IMPORT, module, thread->import_depth);
    pinsight_slice_begin(thread, &slice, ns);
}

static void pop(struct pinsight_thread *thread, uint64_t ns) {
    const struct pinsight_import_frame frame = thread->imports[--thread->import_depth];
    struct pinsight_import *import = &thread->process->model->imports[frame.node];
    uint64_t time = ns > frame.begin_ns ? ns - frame.begin_ns : 0;

    pinsight_slice_end(thread, PINSIGHT_SLICE_IMPORT, thread->import_depth + 1, ns);
    if (thread->import_depth)
        thread->imports[thread->import_depth - 1].children_ns += time;
    import->total_ns += time;
    import->self_ns += time > frame.children_ns ? time - frame.children_ns : 0;
}

static bool is_open(const struct pinsight_thread *thread, uint32_t module) {
    for (size_t i = thread->import_depth; i-- > 0;)
        if (thread->imports[i].module == module)
            return true;
    return false;
}

void pinsight_imports_end(struct pinsight_thread *thread, uint32_t module, unsigned how,
                          uint64_t ns) {
    struct pinsight_model *model = thread->process->model;

    if (!thread->selected || model->options.names_only)
        return;
    if (how == PINSIGHT_HOW_LOST)
        thread->process->lost_frames++;
    ns = take_time(thread, ns);
    if (!is_open(thread, module)) {
        model->unmatched_ends++;
        model->ends_of_nothing += thread->import_depth == 0;
        return;
    }
    while (thread->imports[thread->import_depth - 1].module != module) {
        model->unmatched_begins++;
        pop(thread, ns);
    }
    if (how == PINSIGHT_IMPORT_RAISED)
        model->imports[thread->imports[thread->import_depth - 1].node].failed++;
    pop(thread, ns);
}

uint64_t pinsight_imports_close(struct pinsight_thread *thread, uint64_t ns) {
    uint64_t closed = thread->import_depth;

    if (thread->import_depth && ns > thread->last_ns)
        thread->last_ns = ns;
    while (thread->import_depth)
        pop(thread, thread->last_ns);
    return closed;
}
