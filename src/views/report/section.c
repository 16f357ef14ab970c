/* The registered sections. */
#include "views/report/section.h"

#include "views/domain.h"

static const struct pinsight_section *const sections[] = {
    &pinsight_section_of_imports,
    &pinsight_section_of_attribution,
};

const struct pinsight_section *pinsight_section_at(size_t index) {
    size_t count = sizeof(sections) / sizeof(sections[0]);

    if (index < count)
        return sections[index];
    index -= count;
    for (size_t d = 0; d < READER_DOMAINS; d++)
        for (const struct pinsight_section *const *of = view_domains[d]->sections; of && *of; of++)
            if (index-- == 0)
                return *of;
    return NULL;
}
