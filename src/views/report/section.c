/* The registered sections. */
#include "views/report/section.h"

#include "views/domain.h"
#include "views/report/head.h"
#include "views/report/tables.h"

#include <stdlib.h>

static const struct pinsight_section *const sections[] = {
    &pinsight_section_of_imports,
    &pinsight_section_of_attribution,
    &pinsight_section_of_lines,
    &pinsight_section_of_imbalance,
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

void pinsight_section_nothing(const struct pinsight_section *section,
                              const struct pinsight_report *report, FILE *out) {
    pinsight_head_section(report, out, section->title, NULL);
    pinsight_head_note(report, out, "%s", section->none(report));
}

void pinsight_section_remark(const struct pinsight_section *section,
                             const struct pinsight_report *report, FILE *out, char *remark) {
    pinsight_head_section(report, out, section->title, remark);
    free(remark);
}

/* Returns NULL at the end. */
static const struct pinsight_table *table_at(const struct pinsight_section *section, size_t index) {
    if (section->tables)
        return section->tables[index];
    return index ? NULL : section->table;
}

void pinsight_section_screen(const struct pinsight_section *section,
                             const struct pinsight_report *report, FILE *out, size_t limit) {
    if (section->screen) {
        section->screen(report, out, limit);
        return;
    }
    if (!section->seen(report))
        pinsight_section_nothing(section, report, out);
    for (size_t i = 0; table_at(section, i); i++)
        pinsight_section_print(report, out, table_at(section, i), limit);
}

void pinsight_section_csv(const struct pinsight_section *section,
                          const struct pinsight_report *report, FILE *out, size_t limit) {
    if (section->csv)
        section->csv(report, out, limit);
    else
        pinsight_report_lines(report, out, section->table ? section->table : section->lines, limit,
                              true);
}

void pinsight_section_json(const struct pinsight_section *section,
                           const struct pinsight_report *report, struct pinsight_json *json,
                           size_t limit) {
    if (section->json) {
        section->json(report, json, limit);
        return;
    }
    if (section->key)
        pinsight_json_open(json, section->key, '{');
    for (size_t i = 0; table_at(section, i); i++)
        pinsight_report_list(report, json, table_at(section, i), limit);
    if (section->key)
        pinsight_json_close(json, '}');
}
