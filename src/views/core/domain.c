/* Views of regions that the program marks itself. */
#include "views/domain.h"

static void text_of_mark(struct pinsight_slice_texts *texts, const struct pinsight_slice *slice,
                         struct pinsight_slice_text *text) {
    text->name = pinsight_strings_text(&texts->model->strings, slice->id);
}

static const struct slice_view marked = {
    .category = "region", .word = "region", .text = text_of_mark};

const struct view_domain view_domain_core = {.slices = {[PINSIGHT_SLICE_MARKED] = &marked}};
