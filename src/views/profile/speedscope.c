/*
 * Writes speedscope's file format: frames that all profiles share, and a profile for each thread
 * and each stream of a device. The profiles are of the kind `evented`, in which frames open and
 * close along an axis.
 *
 * The axis is not the clock. Each calling context stands once, as long as all its times together,
 * in the order of first calls. Therefore the file grows with the distinct contexts, and a trace of
 * any length opens. Other forms show the order of single calls. The format's other kind, `sampled`,
 * would repeat the whole stack for each context.
 */
#include "base/json.h"
#include "views/export/formats.h"
#include "views/profile/profile.h"

#include "base/memory.h"
#include "base/order.h"

#include "pinsight_version.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Writes a frame's name. The body of each module is called <module>, and gets the name of its file.
 * The application shows the file of only one frame at a time. */
static void put_name(FILE *out, const struct pinsight_context_frame *frame) {
    char *name;

    if (!pinsight_context_is_python(frame) || strcmp(frame->name, "<module>")) {
        pinsight_json_quote(out, frame->name);
        return;
    }
    name = pinsight_format("<module> %s", pinsight_context_short_file(frame));
    pinsight_json_quote(out, name);
    free(name);
}

static void put_frames(FILE *out, const struct pinsight_contexts *contexts) {
    for (size_t i = 0; i < contexts->frame_count; i++) {
        const struct pinsight_context_frame *frame = &contexts->frames[i];

        fputs(i ? ",\n{\"name\":" : "\n{\"name\":", out);
        put_name(out, frame);
        if (*frame->file) {
            fputs(",\"file\":", out);
            pinsight_json_quote(out, frame->file);
        }
        if (frame->line > 0)
            fprintf(out, ",\"line\":%" PRId32, frame->line);
        putc('}', out);
    }
}

static void put_event(FILE *out, bool *first, char type, uint32_t frame, uint64_t at) {
    fprintf(out, "%s{\"type\":\"%c\",\"frame\":%" PRIu32 ",\"at\":%" PRIu64 "}",
            *first ? "" : ",\n", type, frame, at);
    *first = false;
}

/* Writes the events of a tree. Returns the end of the last one. */
static uint64_t put_tree(FILE *out, const struct pinsight_contexts *contexts,
                         const struct pinsight_context_links *links, uint32_t root) {
    uint32_t node = root;
    uint64_t at = 0;
    bool first = true;

    for (;;) {
        if (links[node].first != PINSIGHT_NONE) {
            node = links[node].first;
        } else {
            for (; node != root && links[node].next == PINSIGHT_NONE;
                 node = contexts->nodes[node].parent)
                put_event(out, &first, 'C', contexts->frames[contexts->nodes[node].frame].same, at);
            if (node == root)
                return at;
            put_event(out, &first, 'C', contexts->frames[contexts->nodes[node].frame].same, at);
            node = links[node].next;
        }
        put_event(out, &first, 'O', contexts->frames[contexts->nodes[node].frame].same, at);
        at += contexts->nodes[node].self_ns;
    }
}

static void put_profile(FILE *out, const struct pinsight_contexts *contexts,
                        const struct pinsight_context_links *links,
                        const struct pinsight_context_root *root) {
    char *name = pinsight_context_root_name(contexts, contexts->nodes[root->node].root, "");
    uint64_t end;

    fputs("{\"type\":\"evented\",\"name\":", out);
    pinsight_json_quote(out, name);
    fputs(",\"unit\":\"nanoseconds\",\"startValue\":0,\"events\":[\n", out);
    end = put_tree(out, contexts, links, root->node);
    fprintf(out, "\n],\"endValue\":%" PRIu64 "}", end);
    free(name);
}

/* Sorts by rank, then Python's threads by number, other threads, and streams. The application shows
 * the first one at its start. */
static int by_thread(const void *left, const void *right) {
    const struct pinsight_context_root *a = left, *b = right;
    int64_t key[2][5];

    if (!a->track || !b->track)
        return a->track ? -1 : b->track ? 1 : 0;
    for (int i = 0; i < 2; i++) {
        const struct pinsight_track *track = (i ? b : a)->track;
        const struct pinsight_thread *thread = track->thread;

        key[i][0] = pinsight_track_rank(track);
        key[i][1] = pinsight_track_process(track)->index;
        key[i][2] = track->stream ? (int64_t)track->stream->device : -1;
        key[i][3] = track->stream        ? (int64_t)track->stream->number
                    : thread->number < 0 ? INT64_MAX
                                         : thread->number;
        key[i][4] = track->number;
    }
    for (int i = 0; i < 5; i++)
        if (key[0][i] != key[1][i])
            return key[0][i] < key[1][i] ? -1 : 1;
    return 0;
}

static void write_profile(struct pinsight_export *export,
                          const struct pinsight_contexts *contexts) {
    struct pinsight_context_links *links = pinsight_contexts_links(contexts);
    size_t count = contexts->root_count;
    struct pinsight_context_root *roots = pinsight_calloc(count ? count : 1, sizeof(*roots));
    FILE *out = export->out;

    if (count) {
        memcpy(roots, contexts->roots, count * sizeof(*roots));
        PINSIGHT_SORT(roots, count, by_thread);
    }
    fputs("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
          "\"exporter\":\"pinsight " PINSIGHT_VERSION "\",\n\"name\":",
          out);
    pinsight_json_quote(out, export->options->trace);
    fputs(",\n\"shared\":{\"frames\":[", out);
    put_frames(out, contexts);
    fputs("]},\n\"profiles\":[", out);
    for (size_t i = 0; i < count; i++) {
        fputs(i ? ",\n" : "\n", out);
        put_profile(out, contexts, links, &roots[i]);
    }
    fputs("]}\n", out);
    free(roots);
    free(links);
}

const struct pinsight_export_format pinsight_export_speedscope = {
    .name = "speedscope",
    .suffix = ".speedscope.json",
    .about = "a flame graph a thread: https://www.speedscope.app",
    .profile = &(const struct pinsight_profile_form){.by = PINSIGHT_CONTEXTS_BY_THREAD,
                                                     .flat = true,
                                                     .streams = true,
                                                     .write = write_profile},
};
