/* Views of regions that the program marks itself. */
#include "views/domain.h"
#include "views/core/core.h"

static void text_of_mark(struct pinsight_slice_texts *texts, const struct pinsight_slice *slice,
                         struct pinsight_slice_text *text) {
    text->name = pinsight_strings_text(&texts->model->strings, slice->id);
}

static const struct slice_view marked = {
    .category = "region", .word = "region", .text = text_of_mark};

static const struct pinsight_section *const sections[] = {&pinsight_section_of_marked,
                                                          &pinsight_section_of_values, NULL};

const struct view_domain view_domain_core = {.sections = sections,
                                             .lines = pinsight_marked_line,
                                             .brief = pinsight_marked_brief,
                                             .slices = {[PINSIGHT_SLICE_MARKED] = &marked}};
