/* The table of calling contexts; see data.h. */
#include "base/memory.h"
#include "views/contexts.h"
#include "views/data/batch.h"
#include "views/data/data.h"
#include "views/domain.h"
#include "views/profile/profile.h"
#include "views/slice_text.h"

#include <stdlib.h>

static void add_node(struct pinsight_data_batch *batch, const struct pinsight_contexts *contexts,
                     uint32_t number, uint64_t total_ns) {
    const struct pinsight_context *node = &contexts->nodes[number];
    const struct pinsight_context_root *root = &contexts->roots[node->root];
    const struct pinsight_process *process =
        root->track ? pinsight_track_process(root->track) : NULL;
    const struct pinsight_context_frame *frame =
        node->frame != PINSIGHT_NONE ? &contexts->frames[node->frame] : NULL;
    char *name = frame ? NULL : pinsight_context_root_name(contexts, node->root, "");

    pinsight_data_add(batch, number);
    pinsight_data_add(batch, node->parent != PINSIGHT_NONE ? (int64_t)node->parent : -1);
    pinsight_data_add(batch, process ? (int64_t)process->index : -1);
    pinsight_data_add(batch, process ? view_process_rank(process) : -1);
    pinsight_data_add_text(batch, frame ? slice_view_of(frame->kind)->category : "root");
    pinsight_data_add_text(batch, frame ? frame->name : name);
    pinsight_data_add_text(batch, frame ? frame->file : "");
    pinsight_data_add(batch, frame ? frame->line : 0);
    pinsight_data_add(batch, (int64_t)node->calls);
    pinsight_data_add(batch, (int64_t)node->self_ns);
    pinsight_data_add(batch, (int64_t)total_ns);
    pinsight_data_add(batch, node->remote);
    pinsight_data_row_end(batch);
    free(name);
}

static void add_nodes(struct pinsight_data_batch *batch, const struct pinsight_contexts *contexts) {
    uint64_t *totals = pinsight_calloc(contexts->node_count + 1, sizeof(*totals));

    /* Children have higher numbers than their parents. */
    for (size_t i = contexts->node_count; i-- > 0;) {
        const struct pinsight_context *node = &contexts->nodes[i];

        totals[i] += node->self_ns;
        if (node->parent != PINSIGHT_NONE && !node->remote)
            totals[node->parent] += totals[i];
    }
    for (uint32_t i = 0; i < contexts->node_count && pinsight_data_row(batch); i++)
        add_node(batch, contexts, i, totals[i]);
    free(totals);
}

char *pinsight_data_contexts(const struct pinsight_data_options *options,
                             struct pinsight_data_batch *batch) {
    const struct pinsight_model_options wanted = {.thread = options->thread,
                                                  .process = options->process};
    struct pinsight_model *model = pinsight_model_new(&wanted);
    struct pinsight_timeline timeline = {0};
    struct pinsight_contexts contexts = {0};
    struct pinsight_slice_texts texts;
    char *error;

    pinsight_contexts_make(&contexts, model, &timeline);
    timeline.streams = true;
    pinsight_slice_texts_make(&texts, model);
    pinsight_model_show(model, &timeline);
    error = pinsight_data_read(options, model, batch, NULL, NULL);
    if (!error) {
        pinsight_contexts_add_counted(&contexts);
        pinsight_contexts_name(&contexts, &texts, "");
        add_nodes(batch, &contexts);
    }
    timeline.begin = NULL;
    timeline.end = NULL;
    pinsight_model_free(model);
    pinsight_contexts_clear(&contexts);
    pinsight_slice_texts_clear(&texts);
    return error;
}
