/* Sections of a report that an option shows in place of the tables. A section is registered by
 * section.c, or by a domain (views/domain.h). The forms of a report go through all sections. Most
 * sections are tables, which have all forms. A function may replace a form. */
#ifndef PINSIGHT_VIEWS_REPORT_SECTION_H
#define PINSIGHT_VIEWS_REPORT_SECTION_H

#include "base/json.h"
#include "views/kit/table.h"
#include "views/report/report.h"

struct pinsight_section {
    const char *option;  /* of `pinsight report`, without its dashes */
    const char *about;   /* text for --help; '\n' begins another line */
    const char *example; /* caption of an example in the documentation; NULL: no example */
    const char *next;    /* text in a summary if the section has something to show; or NULL */
    /* Returns whether a summary suggests the section. NULL: always, if it has something to show. */
    bool (*suggested)(const struct pinsight_report *report);
    bool with_tree;    /* it supports --tree */
    unsigned share;    /* rows of its tables, out of every 10 that fit the screen */
    const char *title; /* shown above the result of `none` */
    /* Returns whether there is anything to show; and otherwise why not, with the cure. */
    bool (*seen)(const struct pinsight_report *report);
    const char *(*none)(const struct pinsight_report *report);
    const struct pinsight_table *table;         /* its only table, in all forms; or */
    const struct pinsight_table *const *tables; /* those on a screen and in JSON; or */
    const struct pinsight_table *lines;         /* with `tables`: the table for CSV */
    /* Key of the object with the lists in JSON. NULL: they are members of the report's object. */
    const char *key;
    /* The forms, with at most `limit` rows of each table; 0: all. NULL: the tables are written. */
    void (*screen)(const struct pinsight_report *report, FILE *out, size_t limit);
    void (*csv)(const struct pinsight_report *report, FILE *out, size_t limit);
    void (*svg)(const struct pinsight_report *report, FILE *out); /* NULL: no SVG */
    /* Writes members of the report's object. If it is NULL and there are no tables, the section's
     * domain writes them, see struct view_domain. */
    void (*json)(const struct pinsight_report *report, struct pinsight_json *json, size_t limit);
    bool last; /* in JSON it stands after the domains */
};

/* The members that every section has. */
#define PINSIGHT_SECTION(of_option, of_title, of_share, has_any, why_none)                         \
    .option = of_option, .title = of_title, .share = of_share, .seen = has_any, .none = why_none

/* The members of a section with several lists, one of which is the CSV. */
#define PINSIGHT_SECTION_TABLES(of_key, of_tables, of_lines)                                       \
    .key = of_key, .tables = of_tables, .lines = of_lines

/* Write a section of a report in a form. */
void pinsight_section_screen(const struct pinsight_section *section,
                             const struct pinsight_report *report, FILE *out, size_t limit);
void pinsight_section_csv(const struct pinsight_section *section,
                          const struct pinsight_report *report, FILE *out, size_t limit);
void pinsight_section_json(const struct pinsight_section *section,
                           const struct pinsight_report *report, struct pinsight_json *json,
                           size_t limit);

/* Writes the title, and why there is nothing to show. */
void pinsight_section_nothing(const struct pinsight_section *section,
                              const struct pinsight_report *report, FILE *out);

/* Writes the title with a remark alone, for a report of everything without more room. Frees the
 * remark. */
void pinsight_section_remark(const struct pinsight_section *section,
                             const struct pinsight_report *report, FILE *out, char *remark);

/* Returns the section of an index, or NULL at the end. */
const struct pinsight_section *pinsight_section_at(size_t index);

extern const struct pinsight_section pinsight_section_of_imports, pinsight_section_of_attribution,
    pinsight_section_of_lines, pinsight_section_of_imbalance;

#endif
