/*
 * Writes folded stacks, which Brendan Gregg's flamegraph.pl reads. Each calling context is a line.
 * The line has the frames from the outermost on, separated by semicolons, then a space, and the
 * self time in ns.
 *
 * The work of a team's threads stands beneath its cause, so that widths are the time of all
 * threads. With several processes, each process is the outermost frame of its stacks. A stream of a
 * device always is the outermost frame, and its work stands beneath the Python path that launched
 * it.
 */
#include "views/export/formats.h"
#include "views/profile/profile.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A deeper frame counts for its caller, because no tool reads such long lines. CPython's limit of
 * recursion is 1000. */
#define DEEPEST 1024
/* Each level of a recursion has a line that repeats all levels above it. If all lines would exceed
 * this size, the deepest lines are left out. */
#define MOST_BYTES (16u << 20)

/* A name with its length. */
struct label {
    char *text; /* owned */
    size_t length;
};

static struct label label(char *text) {
    return (struct label){text, strlen(text)};
}

/* Returns a label for each frame: "step (solver.py:12)", or the name alone. */
static struct label *frame_labels(const struct pinsight_contexts *contexts) {
    struct label *labels = pinsight_calloc(contexts->frame_count + 1, sizeof(*labels));

    for (size_t i = 0; i < contexts->frame_count; i++) {
        const struct pinsight_context_frame *frame = &contexts->frames[i];

        if (pinsight_context_is_python(frame) && *frame->file)
            labels[i] = label(pinsight_format("%s (%s:%" PRId32 ")", frame->name,
                                              pinsight_context_short_file(frame), frame->line));
        else
            labels[i] = label(pinsight_strdup(frame->name));
    }
    return labels;
}

/* Returns the name of each process, or empty labels if there is only one. */
static struct label *root_labels(const struct pinsight_contexts *contexts) {
    struct label *labels = pinsight_calloc(contexts->root_count + 1, sizeof(*labels));

    for (uint32_t i = 0; contexts->root_count > 1 && i < contexts->root_count; i++)
        labels[i] = label(pinsight_context_root_name(contexts, i, ";"));
    return labels;
}

static void free_labels(struct label *labels, size_t count) {
    for (size_t i = 0; i < count; i++)
        free(labels[i].text);
    free(labels);
}

/* Returns the depth of each node, in frames. The caller frees the array. */
static uint32_t *depths(const struct pinsight_contexts *contexts) {
    uint32_t *deep = pinsight_calloc(contexts->node_count + 1, sizeof(*deep));

    /* Children have higher indices than their parents. */
    for (size_t i = 0; i < contexts->node_count; i++)
        deep[i] =
            contexts->nodes[i].parent == PINSIGHT_NONE ? 0 : deep[contexts->nodes[i].parent] + 1;
    return deep;
}

/* Returns the depth of the deepest frames that are written. */
static uint32_t deepest(const struct pinsight_contexts *contexts, const uint32_t *deep,
                        const struct label *labels) {
    uint64_t *bytes = pinsight_calloc(contexts->node_count + 1, sizeof(*bytes)); /* of each line */
    uint64_t at_depth[DEEPEST + 1] = {0}, all = 0;
    uint32_t most = 0;

    for (size_t i = 0; i < contexts->node_count; i++) {
        const struct pinsight_context *node = &contexts->nodes[i];

        if (node->parent == PINSIGHT_NONE)
            continue;
        bytes[i] = bytes[node->parent] + labels[node->frame].length + 1;
        if (deep[i] <= DEEPEST)
            at_depth[deep[i]] += bytes[i];
    }
    free(bytes);
    while (most < DEEPEST && all + at_depth[most + 1] <= MOST_BYTES)
        all += at_depth[++most];
    return most ? most : 1;
}

/* Returns the own time of each node, in ns. The time of a small or too deep node counts for its
 * parent. A node is small if it takes less than the threshold, with all beneath it. The outermost
 * frames stay. The caller frees the array. */
static uint64_t *own_times(const struct pinsight_contexts *contexts, uint64_t threshold_ns,
                           const uint32_t *deep, uint32_t most) {
    uint64_t *own = pinsight_calloc(contexts->node_count + 1, sizeof(*own));
    uint64_t *all = pinsight_calloc(contexts->node_count + 1, sizeof(*all));

    /* Children have higher indices than their parents. */
    for (size_t i = contexts->node_count; i--;) {
        uint32_t parent = contexts->nodes[i].parent;
        bool is_outermost =
            parent == PINSIGHT_NONE || contexts->nodes[parent].parent == PINSIGHT_NONE;

        own[i] += contexts->nodes[i].self_ns;
        all[i] += contexts->nodes[i].self_ns;
        if (parent != PINSIGHT_NONE)
            all[parent] += all[i];
        if ((all[i] < threshold_ns || deep[i] > most) && !is_outermost) {
            own[parent] += own[i];
            own[i] = 0;
        }
    }
    free(all);
    return own;
}

static void write_stack(FILE *out, const struct pinsight_contexts *contexts, uint32_t node,
                        uint64_t ns, const struct label *process, const struct label *labels) {
    uint32_t stack[DEEPEST];
    size_t count = 0;

    for (uint32_t at = node; contexts->nodes[at].parent != PINSIGHT_NONE;
         at = contexts->nodes[at].parent)
        stack[count++] = contexts->nodes[at].frame;
    if (process->text) {
        fwrite(process->text, 1, process->length, out);
        putc(';', out);
    }
    for (size_t i = count; i--;) {
        const struct label *frame = &labels[stack[i]];

        if (i + 1 < count)
            putc(';', out);
        fwrite(frame->text, 1, frame->length, out);
    }
    fprintf(out, " %" PRIu64 "\n", ns);
}

static void write_profile(struct pinsight_export *export,
                          const struct pinsight_contexts *contexts) {
    struct label *frames = frame_labels(contexts), *roots = root_labels(contexts);
    uint32_t *deep = depths(contexts), most = deepest(contexts, deep, frames), cut = 0;
    uint64_t *own = own_times(contexts, export->options->threshold_ns, deep, most);

    for (uint32_t i = 0; i < contexts->node_count; i++)
        cut += deep[i] > most && contexts->nodes[i].self_ns;
    if (cut && !export->note)
        export->note = pinsight_format(
            "%" PRIu32 " stacks are deeper than %" PRIu32 " frames, and %s: their time is that of "
            "the outermost %" PRIu32 "; --to speedscope or --to callgrind have them whole",
            cut, most,
            most == DEEPEST ? "such lines are longer than programs read"
                            : "with them the file would have more than 16 MiB",
            most);
    for (uint32_t i = 0; i < contexts->node_count; i++) {
        const struct pinsight_context *node = &contexts->nodes[i];

        if (own[i] && node->parent != PINSIGHT_NONE)
            write_stack(export->out, contexts, i, own[i], &roots[node->root], frames);
    }
    free(own);
    free(deep);
    free_labels(frames, contexts->frame_count);
    free_labels(roots, contexts->root_count);
}

const struct pinsight_export_format pinsight_export_folded = {
    .name = "folded",
    .suffix = ".folded",
    .about = "a line a stack: flamegraph.pl, inferno, speedscope",
    .threshold = true,
    .profile =
        &(const struct pinsight_profile_form){
            .flat = true, .streams = true, .avoid = ";", .write = write_profile},
};
