#include "told.h"

#include "unit.h"

void tell(struct told *told, const char *format, ...) {
    va_list arguments;

    if (told->quiet)
        return;
    va_start(arguments, format);
    told->length += (size_t)vsnprintf(told->text + told->length, sizeof(told->text) - told->length,
                                      format, arguments);
    va_end(arguments);
    assert_true(told->length < sizeof(told->text));
}

static const char *name_of(const struct pinsight_slice *slice) {
    static const char *const names[PINSIGHT_SLICE_KINDS] = {
        [PINSIGHT_SLICE_FUNCTION] = "f",    [PINSIGHT_SLICE_C_CALL] = "c",
        [PINSIGHT_SLICE_IMPORT] = "i",      [PINSIGHT_SLICE_MARKED] = "m",
        [PINSIGHT_SLICE_REGION] = "region", [PINSIGHT_SLICE_PART] = "part",
        [PINSIGHT_SLICE_TASK] = "task",     [PINSIGHT_SLICE_WAIT] = "wait",
        [PINSIGHT_SLICE_MPI] = "mpi",       [PINSIGHT_SLICE_DEVICE_CALL] = "call",
        [PINSIGHT_SLICE_WORK] = "work",     [PINSIGHT_SLICE_GC] = "gc",
    };

    return names[slice->kind];
}

static void on_begin(void *data, struct pinsight_track *track, const struct pinsight_slice *slice) {
    struct told *told = data;

    assert_true(track->number < TOLD_TRACKS && !track->thread == (track->stream != NULL));
    assert_true(slice->begin_ns >= told->last_ns[track->number]);
    assert_ptr_equal(slice, &track->slices[track->depth - 1]);
    assert_int_equal(track->depth, ++told->depth[track->number]);
    assert_int_equal(slice->kind == PINSIGHT_SLICE_WORK,
                     track->stream != NULL && !track->stream->is_ranges);
    told->last_ns[track->number] = slice->begin_ns;
    told->begins++;
    tell(told, "%u +%s%d@%d", track->number, name_of(slice), (int)slice->id, (int)slice->begin_ns);
    if (slice->out)
        tell(told, ">%d", (int)slice->out);
    if (slice->in)
        tell(told, "<%d", (int)slice->in);
    tell(told, " ");
}

void seen_end(void *data, struct pinsight_track *track, const struct pinsight_slice *slice,
              uint64_t ns) {
    struct told *told = data;

    assert_true(ns >= told->last_ns[track->number] && ns >= slice->begin_ns);
    assert_ptr_equal(slice, &track->slices[track->depth - 1]);
    assert_int_equal(track->depth, told->depth[track->number]--);
    told->last_ns[track->number] = ns;
    told->ends++;
    tell(told, "%u -%s%d@%d%s ", track->number, name_of(slice), (int)slice->id, (int)ns,
         slice->cut ? "!" : "");
}

static void on_flow(void *data, const struct pinsight_flow *flow) {
    struct told *told = data;

    if (flow->kind == PINSIGHT_FLOW_LAUNCH)
        assert_true(flow->from->thread && flow->to->stream && flow->from_ns <= flow->to_ns);
    told->flows++;
    tell(told, "%u=%d>%u@%d-%d ", flow->from->number, (int)flow->number, flow->to->number,
         (int)flow->from_ns, (int)flow->to_ns);
}

void seen_listen(struct told *told, struct pinsight_model *model) {
    told->timeline = (struct pinsight_timeline){
        .data = told, .begin = on_begin, .end = seen_end, .flow = on_flow};
    pinsight_model_show(model, &told->timeline);
}

void seen_is(struct told *told, const char *expected) {
    assert_string_equal(told->text, expected);
    told->length = 0;
    told->text[0] = '\0';
}
