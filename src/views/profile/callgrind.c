/*
 * Writes Callgrind's profile format, version 1, for KCachegrind, QCachegrind and
 * callgrind_annotate. Each function has its own cost. Each call has its line, its count, and the
 * cost of the callee with all beneath it. A name is written once with a number, and later by that
 * number alone.
 *
 * There are two costs. `ns` is time in the thread itself, as in the report. `threads_ns` adds the
 * time of the other threads in a team to the region and to its callers. In `ns`, the process calls
 * these parts. If a device has streams, a third cost `device_ns` is their work. This cost counts
 * for the kernel, and for all callers that launched it. Code outside Python stands in a file with
 * the name of its kind, so that the tools can group by kind.
 */
#include "views/domain.h"
#include "views/export/formats.h"
#include "views/profile/context_sums.h"
#include "views/profile/profile.h"

#include "base/memory.h"
#include "base/order.h"

#include "pinsight_version.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct writer {
    FILE *out;
    const struct pinsight_contexts *contexts;
    const struct pinsight_context_sums *sums;
    struct pinsight_strings files; /* numbered; those below `file_count` are in the output */
    uint32_t file_count;
    bool *named;     /* by frame, and behind the frames by root: the name is in the output */
    bool *ambiguous; /* by frame: another function of the file has the same name */
    char **process;  /* by root */
};

static const char *file_of(const struct pinsight_context_frame *frame) {
    return pinsight_context_is_python(frame) && *frame->file ? frame->file
                                                             : slice_view_of(frame->kind)->word;
}

static void put_file(struct writer *writer, const char *tag, const char *file) {
    uint32_t number = pinsight_strings_add(&writer->files, file, strlen(file));

    fprintf(writer->out, "%s=(%" PRIu32 ")", tag, number + 1);
    if (number >= writer->file_count) {
        writer->file_count = number + 1;
        fprintf(writer->out, " %s", file);
    }
    putc('\n', writer->out);
}

/* Writes a function with its file. */
static void put_function(struct writer *writer, const char *file_tag, const char *tag,
                         uint32_t number) {
    const struct pinsight_context_frame *frame = &writer->contexts->frames[number];

    put_file(writer, file_tag, file_of(frame));
    fprintf(writer->out, "%s=(%" PRIu32 ")", tag, number + 1);
    if (!writer->named[number]) {
        writer->named[number] = true;
        fprintf(writer->out, " %s", frame->name);
        if (writer->ambiguous[number])
            fprintf(writer->out, ":%" PRId32, frame->line);
    }
    putc('\n', writer->out);
}

static int32_t first_line(const struct writer *writer, uint32_t frame) {
    int32_t line = frame != PINSIGHT_NONE ? writer->contexts->frames[frame].line : 0;

    return line > 0 ? line : 0;
}

static void put_costs(const struct writer *writer, uint64_t ns, uint64_t threads_ns,
                      uint64_t device_ns) {
    fprintf(writer->out, " %" PRIu64 " %" PRIu64, ns, threads_ns);
    if (writer->sums->device_ns)
        fprintf(writer->out, " %" PRIu64, device_ns);
    putc('\n', writer->out);
}

/* Writes a call with a count of at least 1, because the tools count a cost without a count as the
 * caller's own. */
static void put_call(struct writer *writer, const struct pinsight_context_arc *arc, uint64_t ns,
                     uint64_t threads_ns) {
    int32_t line = arc->line > 0 ? arc->line : first_line(writer, arc->caller);

    put_function(writer, "cfi", "cfn", arc->callee);
    fprintf(writer->out, "calls=%" PRIu64 " %" PRId32 "\n%" PRId32,
            arc->sum.calls ? arc->sum.calls : 1, first_line(writer, arc->callee), line);
    put_costs(writer, ns, threads_ns, arc->sum.device_ns);
}

/* Sorts by caller and root, then by line and callee. */
ORDER(by_caller, struct pinsight_context_arc,
      BY(a->caller, b->caller)
        ?: (a->caller == PINSIGHT_NONE ? BY(a->root, b->root) : 0)
        ?: BY(a->line, b->line) ?: BY(a->callee, b->callee))

/* Writes the calls of a function, which begin at *at. */
static void put_calls(struct writer *writer, uint32_t caller, size_t *at) {
    for (; *at < writer->sums->arc_count && writer->sums->arcs[*at].caller == caller; (*at)++) {
        const struct pinsight_context_arc *arc = &writer->sums->arcs[*at];

        put_call(writer, arc, arc->remote ? 0 : arc->sum.total_ns, arc->sum.threads_ns);
    }
}

static void put_functions(struct writer *writer, size_t *at) {
    for (uint32_t i = 0; i < writer->contexts->frame_count; i++) {
        const struct pinsight_context_sum *sum = &writer->sums->frames[i];

        if (writer->contexts->frames[i].same != i)
            continue;
        put_function(writer, "fl", "fn", i);
        fprintf(writer->out, "%" PRId32, first_line(writer, i));
        put_costs(writer, sum->self_ns, sum->self_ns, sum->device_self_ns);
        put_calls(writer, i, at);
        putc('\n', writer->out);
    }
}

/* Writes the processes, which call the outermost frames of their threads. These calls begin at the
 * arc `at`. */
static void put_roots(struct writer *writer, size_t at) {
    const struct pinsight_contexts *contexts = writer->contexts;

    for (uint32_t i = 0; i < contexts->root_count; i++) {
        put_file(writer, "fl", "process");
        fprintf(writer->out, "fn=(%zu) %s\n0", contexts->frame_count + i + 1, writer->process[i]);
        put_costs(writer, 0, 0, 0);
        for (; at < writer->sums->arc_count && writer->sums->arcs[at].root == i; at++)
            put_call(writer, &writer->sums->arcs[at], writer->sums->arcs[at].sum.total_ns,
                     writer->sums->arcs[at].sum.threads_ns);
        for (size_t j = 0; j < writer->sums->arc_count; j++)
            if (writer->sums->arcs[j].remote && writer->sums->arcs[j].root == i)
                put_call(writer, &writer->sums->arcs[j], writer->sums->arcs[j].sum.total_ns, 0);
        putc('\n', writer->out);
    }
}

/* Functions with one name in one file get their line, because the tools identify a function by file
 * and name. */
static void mark_ambiguous(struct writer *writer) {
    const struct pinsight_contexts *contexts = writer->contexts;
    struct pinsight_strings strings = {0};
    struct pinsight_map names = {0};

    for (uint32_t i = 0; i < contexts->frame_count; i++) {
        const struct pinsight_context_frame *frame = &contexts->frames[i];
        const char *in = file_of(frame);
        uint32_t name, file, first;

        if (frame->same != i)
            continue;
        name = pinsight_strings_add(&strings, frame->name, strlen(frame->name));
        file = pinsight_strings_add(&strings, in, strlen(in));
        first = pinsight_map_get(&names, name, file, 0);
        if (first == PINSIGHT_MAP_NONE)
            pinsight_map_set(&names, name, file, 0, i);
        else
            writer->ambiguous[first] = writer->ambiguous[i] = true;
    }
    pinsight_strings_clear(&strings);
    pinsight_map_clear(&names);
}

static void put_head(struct writer *writer) {
    bool device = writer->sums->device_ns != 0;

    fprintf(writer->out,
            "# callgrind format\n"
            "version: 1\n"
            "creator: pinsight " PINSIGHT_VERSION "\n"
            "positions: line\n"
            "event: ns : Time in the thread itself (ns)\n"
            "event: threads_ns : Time of all threads (ns)\n%s"
            "events: ns threads_ns%s\n"
            "summary:",
            device ? "event: device_ns : Time of devices (ns)\n" : "", device ? " device_ns" : "");
    put_costs(writer, writer->sums->self_ns, writer->sums->self_ns, writer->sums->device_ns);
    putc('\n', writer->out);
}

static void write_profile(struct pinsight_export *export,
                          const struct pinsight_contexts *contexts) {
    struct pinsight_context_sums sums;
    struct writer writer = {.out = export->out, .contexts = contexts, .sums = &sums};
    size_t at = 0;

    pinsight_context_sums_make(&sums, contexts);
    PINSIGHT_SORT(sums.arcs, sums.arc_count, by_caller);
    writer.named = pinsight_calloc(contexts->frame_count + 1, sizeof(*writer.named));
    writer.ambiguous = pinsight_calloc(contexts->frame_count + 1, sizeof(*writer.ambiguous));
    writer.process = pinsight_calloc(contexts->root_count + 1, sizeof(*writer.process));
    for (uint32_t i = 0; i < contexts->root_count; i++)
        writer.process[i] = pinsight_context_root_name(contexts, i, "");
    mark_ambiguous(&writer);
    put_head(&writer);
    put_functions(&writer, &at);
    put_roots(&writer, at);
    fputs("totals:", export->out);
    put_costs(&writer, sums.self_ns, sums.self_ns, sums.device_ns);
    for (uint32_t i = 0; i < contexts->root_count; i++)
        free(writer.process[i]);
    PINSIGHT_FREE(writer.process, writer.ambiguous, writer.named);
    pinsight_strings_clear(&writer.files);
    pinsight_context_sums_clear(&sums);
}

const struct pinsight_export_format pinsight_export_callgrind = {
    .name = "callgrind",
    .suffix = ".callgrind",
    .about = "KCachegrind, QCachegrind, callgrind_annotate",
    .profile = &(
        const struct pinsight_profile_form){.lines = true, .streams = true, .write = write_profile},
};
