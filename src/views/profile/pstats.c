/*
 * Writes the format of cProfile's dump_stats(), for pstats, SnakeViz and gprof2dot. The file is one
 * object of Python's marshal module, a dict `{(file, line, name): (cc, nc, tt, ct, callers)}`. Here
 * nc counts all calls, and cc those outside other calls of the function. The self time is tt, and
 * the total time ct, in seconds. The dict `callers`, `{(file, line, name): (nc, cc, tt, ct)}`, has
 * the part of each caller.
 *
 * Every Python 3 reads these types: those of marshal's version 0, Unicode, and the binary floats of
 * version 2. Code outside Python has the file "~" and line 0, as in cProfile. Work of devices is
 * left out, because the format has one kind of time, and that is the threads'.
 */
#include "base/memory.h"
#include "base/order.h"
#include "views/export/formats.h"
#include "views/profile/context_sums.h"
#include "views/profile/profile.h"

#include <stdlib.h>
#include <string.h>

static void put32(FILE *out, uint32_t value) {
    for (int i = 0; i < 4; i++)
        putc((int)(value >> (8 * i) & 0xff), out);
}

static void put_text(FILE *out, const char *before, const char *text, const char *behind) {
    putc('u', out);
    put32(out, (uint32_t)(strlen(before) + strlen(text) + strlen(behind)));
    fputs(before, out);
    fputs(text, out);
    fputs(behind, out);
}

/* Larger integers have digits of 15 bits. */
static void put_integer(FILE *out, uint64_t value) {
    uint32_t digits = 0;

    if (value <= INT32_MAX) {
        putc('i', out);
        put32(out, (uint32_t)value);
        return;
    }
    for (uint64_t rest = value; rest; rest >>= 15)
        digits++;
    putc('l', out);
    put32(out, digits);
    for (; value; value >>= 15) {
        putc((int)(value & 0xff), out);
        putc((int)(value >> 8 & 0x7f), out);
    }
}

static void put_seconds(FILE *out, uint64_t ns) {
    double seconds = (double)ns / 1e9;
    uint64_t bits;

    memcpy(&bits, &seconds, sizeof(bits));
    putc('g', out);
    put32(out, (uint32_t)bits);
    put32(out, (uint32_t)(bits >> 32));
}

static void put_tuple(FILE *out, uint32_t size) {
    putc('(', out);
    put32(out, size);
}

static void put_key(FILE *out, const struct pinsight_context_frame *frame) {
    bool marked = frame->kind == PINSIGHT_SLICE_MARKED;

    put_tuple(out, 3);
    if (pinsight_context_is_python(frame)) {
        put_text(out, "", frame->file, "");
        put_integer(out, frame->line > 0 ? (uint64_t)frame->line : 0);
        put_text(out, "", frame->name, "");
        return;
    }
    put_text(out, "", "~", "");
    put_integer(out, 0);
    put_text(out, marked ? "" : "<", frame->name, marked ? "" : ">");
}

static void put_calls(FILE *out, uint64_t first, uint64_t second, uint64_t self_ns,
                      uint64_t total_ns) {
    put_integer(out, first);
    put_integer(out, second);
    put_seconds(out, self_ns);
    put_seconds(out, total_ns);
}

/* Sorts by callee, then by caller. Calls from outside come last. */
ORDER(by_callee, struct pinsight_context_arc, BY(a->callee, b->callee) ?: BY(a->caller, b->caller))

/* Writes the callers of a frame, which begin at *at. */
static void put_callers(FILE *out, const struct pinsight_contexts *contexts,
                        const struct pinsight_context_sums *sums, uint32_t frame, size_t *at) {
    const struct pinsight_context_arc *arcs = sums->arcs, *arc;

    putc('{', out);
    for (; *at < sums->arc_count && (arc = &arcs[*at])->callee == frame;) {
        struct pinsight_context_sum sum = {0};

        for (; *at < sums->arc_count && !by_callee(&arcs[*at], arc); (*at)++) {
            sum.calls += arcs[*at].sum.calls;
            sum.outermost += arcs[*at].sum.outermost;
            sum.self_ns += arcs[*at].sum.self_ns;
            sum.total_ns += arcs[*at].own_ns;
        }
        if (arc->caller == PINSIGHT_NONE)
            continue;
        put_key(out, &contexts->frames[arc->caller]);
        put_tuple(out, 4);
        put_calls(out, sum.calls, sum.outermost, sum.self_ns, sum.total_ns);
    }
    putc('0', out);
}

static void put_nothing(FILE *out) {
    static char name[] = "nothing was recorded";
    static const struct pinsight_context_frame nothing = {.kind = PINSIGHT_SLICE_KINDS,
                                                          .name = name};

    put_key(out, &nothing);
    put_tuple(out, 5);
    put_calls(out, 0, 0, 0, 0);
    fputs("{0", out);
}

static void write_profile(struct pinsight_export *export,
                          const struct pinsight_contexts *contexts) {
    struct pinsight_context_sums sums;
    FILE *out = export->out;
    size_t at = 0;

    pinsight_context_sums_make(&sums, contexts);
    PINSIGHT_SORT(sums.arcs, sums.arc_count, by_callee);
    putc('{', out);
    for (uint32_t i = 0; i < contexts->frame_count; i++) {
        const struct pinsight_context_sum *sum = &sums.frames[i];

        if (contexts->frames[i].same != i)
            continue;
        put_key(out, &contexts->frames[i]);
        put_tuple(out, 5);
        put_calls(out, sum->outermost, sum->calls, sum->self_ns, sum->total_ns);
        put_callers(out, contexts, &sums, i, &at);
    }
    if (contexts->model->device_work && !export->note)
        export->note = pinsight_strdup("the work of devices is left out, as pstats has one kind of "
                                       "time; --to callgrind, folded and speedscope have it");
    /* pstats refuses a profile without functions. */
    if (!contexts->frame_count)
        put_nothing(out);
    putc('0', out);
    pinsight_context_sums_clear(&sums);
}

const struct pinsight_export_format pinsight_export_pstats = {
    .name = "pstats",
    .suffix = ".pstats",
    .about = "as cProfile writes: python -m pstats, SnakeViz, gprof2dot",
    .profile = &(const struct pinsight_profile_form){.write = write_profile},
};
