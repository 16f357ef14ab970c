/* Collects the details of slices; see slice_details.h. */
#include "views/slice_details.h"

#include "reader/kit/native.h"
#include "reader/kit/paths.h"
#include "views/domain.h"

static void of_place(const struct pinsight_model *model, uint32_t number,
                     const struct pinsight_slice_details *details) {
    const struct pinsight_native_place *native = &model->natives[number];

    if (native->known) {
        pinsight_detail_text(details, "object",
                             pinsight_strings_text(&model->strings, native->object));
        pinsight_detail(details, "offset", PINSIGHT_DETAIL_ADDRESS, native->offset);
    } else {
        pinsight_detail(details, "address", PINSIGHT_DETAIL_ADDRESS, native->address);
    }
}

/* Adds the user's line whose gradient a slice computes. */
static void of_forward(const struct pinsight_model *model, uint32_t path,
                       const struct pinsight_slice_details *details) {
    uint32_t frame = pinsight_path_users_line(model, path);
    const struct pinsight_path *place;

    if (frame == PINSIGHT_NONE || model->paths[frame].function == PINSIGHT_NONE)
        return;
    place = &model->paths[frame];
    pinsight_detail_text(
        details, "forward_file",
        pinsight_strings_text(&model->strings, model->functions[place->function].file));
    pinsight_detail(details, "forward_line", PINSIGHT_DETAIL_NUMBER, (uint64_t)place->line);
}

void pinsight_slice_details(const struct pinsight_model *model, const struct pinsight_slice *slice,
                            const struct pinsight_slice_text *text,
                            const struct pinsight_slice_details *details) {
    const struct slice_view *view = slice_view_of(slice->kind);

    if (*text->file)
        pinsight_detail_text(details, "file", text->file);
    if (text->line)
        pinsight_detail(details, "line", PINSIGHT_DETAIL_NUMBER, (uint64_t)text->line);
    if (slice->forward != PINSIGHT_NONE)
        of_forward(model, slice->forward, details);
    if (view->details)
        view->details(slice, &(struct pinsight_slice_details){model, details->data, details->add});
    if (slice->native != PINSIGHT_NONE)
        of_place(model, slice->native, details);
}

void pinsight_slice_end_details(const struct pinsight_slice *slice,
                                const struct pinsight_slice_details *details) {
    if (slice->generator)
        pinsight_detail(details, "generator", PINSIGHT_DETAIL_SIZE, slice->generator);
    if (slice->cut)
        pinsight_detail(details, "end_not_seen", PINSIGHT_DETAIL_FLAG, 1);
}
