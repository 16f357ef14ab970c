/* Sections of a report that an option chooses, in place of the tables. A section is registered by a
 * line in section.c, or by its domain (views/domain.h); the forms of a report walk the list. Most
 * are tables, and have their forms from them; a function takes the place of a form. */
#ifndef PINSIGHT_VIEWS_REPORT_SECTION_H
#define PINSIGHT_VIEWS_REPORT_SECTION_H

#include "base/json.h"
#include "views/kit/table.h"
#include "views/report/report.h"

struct pinsight_section {
    const char *option;  /* of `pinsight report`, without its dashes */
    const char *about;   /* in its --help; '\n' begins another line */
    const char *example; /* what an example of it there is said to show; NULL: there is none */
    const char *next;    /* what a summary says of it where it has something to show; NULL: none */
    bool with_tree;      /* it has a form for --tree */
    unsigned share;      /* rows of its tables, of every 10 that a screen has room for */
    const char *title;   /* above what `none` says */
    /* Whether there is anything to show; and, where there is not, why, and how to have some. */
    bool (*seen)(const struct pinsight_report *report);
    const char *(*none)(const struct pinsight_report *report);
    const struct pinsight_table *table;         /* the only one, which has all forms; or */
    const struct pinsight_table *const *tables; /* those on a screen and in JSON, ended by NULL */
    const struct pinsight_table *lines;         /* and that of CSV */
    /* Of the object that has the lists in JSON; NULL: they are members of the report's. */
    const char *key;
    /* The forms, at most limit rows of each table; 0 is all. NULL: as the tables say. */
    void (*screen)(const struct pinsight_report *report, FILE *out, size_t limit);
    void (*csv)(const struct pinsight_report *report, FILE *out, size_t limit);
    void (*svg)(const struct pinsight_report *report, FILE *out); /* NULL for none */
    /* Members of the report's object. Without it and without tables the domain that registered the
     * section has them, see struct view_domain. */
    void (*json)(const struct pinsight_report *report, struct pinsight_json *json, size_t limit);
    bool last; /* in JSON it follows what domains have */
};

/* What each section has: see above. */
#define PINSIGHT_SECTION(of_option, of_title, of_share, has_any, why_none)                         \
    .option = of_option, .title = of_title, .share = of_share, .seen = has_any, .none = why_none

/* One of several lists, of which one is a CSV file's. */
#define PINSIGHT_SECTION_TABLES(of_key, of_tables, of_lines)                                       \
    .key = of_key, .tables = of_tables, .lines = of_lines

/* Print a section of a report in a form. */
void pinsight_section_screen(const struct pinsight_section *section,
                             const struct pinsight_report *report, FILE *out, size_t limit);
void pinsight_section_csv(const struct pinsight_section *section,
                          const struct pinsight_report *report, FILE *out, size_t limit);
void pinsight_section_json(const struct pinsight_section *section,
                           const struct pinsight_report *report, struct pinsight_json *json,
                           size_t limit);

/* Prints the title, and why there is nothing to show. */
void pinsight_section_nothing(const struct pinsight_section *section,
                              const struct pinsight_report *report, FILE *out);

/* Its rows alone, where a report of everything has no room for more: the title, with a remark that
 * is freed. */
void pinsight_section_remark(const struct pinsight_section *section,
                             const struct pinsight_report *report, FILE *out, char *remark);

/* The section of an index, or NULL at the end of the list. */
const struct pinsight_section *pinsight_section_at(size_t index);

extern const struct pinsight_section pinsight_section_of_imports, pinsight_section_of_attribution,
    pinsight_section_of_lines, pinsight_section_of_imbalance;

#endif
