/* Folded stacks, as Brendan Gregg's flamegraph.pl reads them: a line for each calling context, its
 * frames from the outermost to the innermost with semicolons between, a space, and its self time in
 * nanoseconds. What a team's threads did stands beneath who had it done, so that widths are the
 * time of all threads. With several processes each is the outermost frame of its stacks. */
#include "views/export_contexts.h"
#include "views/export_formats.h"
#include "views/slice_text.h"

#include <inttypes.h>
#include <stdlib.h>

/* Deeper ones are written as one of this many frames: lines would become longer than anything
 * reads. CPython's limit of recursion is 1000. */
#define DEEPEST 1024

static void write_frame(FILE *out, const struct pinsight_context_frame *frame) {
    fputs(frame->name, out);
    if (pinsight_context_is_python(frame) && *frame->file)
        fprintf(out, " (%s:%" PRId32 ")", pinsight_context_short_file(frame), frame->line);
}

static void write_stack(struct pinsight_export *export, const struct pinsight_contexts *contexts,
                        uint32_t *stack, uint32_t node, const char *process) {
    FILE *out = export->out;
    uint32_t at = node;
    size_t count = 0, first;

    /* The innermost of each DEEPEST are overwritten by those further out. */
    for (; contexts->nodes[at].parent != PINSIGHT_NONE; at = contexts->nodes[at].parent)
        stack[count++ % DEEPEST] = contexts->nodes[at].frame;
    first = count;
    fputs(process, out);
    if (*process)
        putc(';', out);
    for (size_t i = 0; i < first && i < DEEPEST; i++) {
        if (i)
            putc(';', out);
        write_frame(out, &contexts->frames[stack[(count - 1 - i) % DEEPEST]]);
    }
    fprintf(out, " %" PRIu64 "\n", contexts->nodes[node].self_ns);
}

static int begin(struct pinsight_export *export) {
    pinsight_export_contexts_begin(export)->flat = true;
    return 0;
}

static int finish(struct pinsight_export *export) {
    const struct pinsight_contexts *contexts = pinsight_export_contexts_finish(export, ";");
    uint32_t stack[DEEPEST];

    for (uint32_t i = 0; i < contexts->node_count; i++) {
        const struct pinsight_context *node = &contexts->nodes[i];
        char *process;

        if (!node->self_ns || node->parent == PINSIGHT_NONE)
            continue;
        process = pinsight_context_root_name(contexts, node->root, ";");
        write_stack(export, contexts, stack, i, contexts->root_count > 1 ? process : "");
        free(process);
    }
    return 0;
}

const struct pinsight_export_format pinsight_export_folded = {
    .name = "folded",
    .suffix = ".folded",
    .about = "a line a stack: flamegraph.pl, inferno, speedscope",
    .begin = begin,
    .finish = finish,
    .clear = pinsight_export_contexts_clear,
};
