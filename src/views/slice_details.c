/* Details of slices; see slice_details.h. */
#include "views/slice_details.h"

#include "reader/kit/native.h"
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

void pinsight_slice_details(const struct pinsight_model *model, const struct pinsight_slice *slice,
                            const struct pinsight_slice_text *text,
                            const struct pinsight_slice_details *details) {
    const struct slice_view *view = slice_view_of(slice->kind);

    if (*text->file)
        pinsight_detail_text(details, "file", text->file);
    if (text->line)
        pinsight_detail(details, "line", PINSIGHT_DETAIL_NUMBER, (uint64_t)text->line);
    if (view->details)
        view->details(slice, details);
    if (slice->native != PINSIGHT_NONE)
        of_place(model, slice->native, details);
}
