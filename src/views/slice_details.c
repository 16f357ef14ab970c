/* Details of slices; see slice_details.h. */
#include "views/slice_details.h"

#include "reader/native.h"

static void of_place(const struct pinsight_model *model, uint32_t number,
                     const struct pinsight_slice_details *details) {
    const struct pinsight_native *native = &model->natives[number];

    if (native->known) {
        details->text(details->data, "object",
                      pinsight_strings_text(&model->strings, native->object));
        details->address(details->data, "offset", native->offset);
    } else {
        details->address(details->data, "address", native->address);
    }
}

static void of_cuda(const struct pinsight_slice *slice,
                    const struct pinsight_slice_details *details) {
    static const char *const grid[] = {"grid_x", "grid_y", "grid_z"};
    static const char *const block[] = {"block_x", "block_y", "block_z"};

    if (slice->bytes)
        details->size(details->data, "bytes", slice->bytes);
    if (slice->correlation)
        details->size(details->data, "correlation", slice->correlation);
    for (size_t i = 0; slice->shape.grid[0] && i < 3; i++)
        details->size(details->data, grid[i], slice->shape.grid[i]);
    for (size_t i = 0; slice->shape.grid[0] && i < 3; i++)
        details->size(details->data, block[i], slice->shape.block[i]);
}

void pinsight_slice_details(const struct pinsight_model *model, const struct pinsight_slice *slice,
                            const struct pinsight_slice_text *text,
                            const struct pinsight_slice_details *details) {
    if (*text->file)
        details->text(details->data, "file", text->file);
    if (text->line)
        details->number(details->data, "line", text->line);
    if (slice->kind == PINSIGHT_SLICE_FUNCTION && slice->how == PINSIGHT_HOW_RESUME)
        details->flag(details->data, "resumed");
    else if (slice->kind == PINSIGHT_SLICE_FUNCTION && slice->how == PINSIGHT_HOW_THROW)
        details->flag(details->data, "thrown_into");
    if (slice->kind == PINSIGHT_SLICE_PART)
        details->flag(details->data, "part"); /* it has the name of its region */
    if (slice->kind == PINSIGHT_SLICE_MPI) {
        if (slice->bytes || slice->outs)
            details->size(details->data, "bytes", slice->bytes);
        if (slice->peer >= 0)
            details->number(details->data, "peer", slice->peer);
        if (slice->tag >= 0)
            details->number(details->data, "tag", slice->tag);
    }
    if (slice->kind == PINSIGHT_SLICE_CUDA || slice->kind == PINSIGHT_SLICE_WORK)
        of_cuda(slice, details);
    if (slice->native != PINSIGHT_NONE)
        of_place(model, slice->native, details);
}
