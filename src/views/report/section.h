/* Sections of a report that an option chooses, in place of the tables. A section is registered by a
 * line in section.c, or by its domain (views/domain.h); the forms of a report walk the list. */
#ifndef PINSIGHT_VIEWS_REPORT_SECTION_H
#define PINSIGHT_VIEWS_REPORT_SECTION_H

#include "base/json.h"
#include "views/report/report.h"

struct pinsight_section {
    const char *option; /* of `pinsight report`, without its dashes */
    const char *next;   /* what a summary says of it where it has something to show; NULL: none */
    bool with_tree;     /* it has a form for --tree */
    unsigned share;     /* rows of its tables, of every 10 that a screen has room for */
    /* Whether there is anything to show; and, where there is not, why, and how to have some. */
    bool (*seen)(const struct pinsight_report *report);
    const char *(*none)(const struct pinsight_report *report);
    /* The forms. At most limit rows of each table; 0 is all. */
    void (*screen)(const struct pinsight_report *report, FILE *out, size_t limit);
    void (*csv)(const struct pinsight_report *report, FILE *out, size_t limit);
    void (*svg)(const struct pinsight_report *report, FILE *out); /* NULL for none */
    /* Members of the report's object. NULL: the domain that registered it has them, see
     * struct view_domain. */
    void (*json)(const struct pinsight_report *report, struct pinsight_json *json, size_t limit);
    bool last; /* in JSON it follows what domains have */
};

/* The section of an index, or NULL at the end of the list. */
const struct pinsight_section *pinsight_section_at(size_t index);

extern const struct pinsight_section pinsight_section_of_imports, pinsight_section_of_attribution;

#endif
