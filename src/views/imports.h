/* Imports of modules: a tree for each process, larger totals first. */
#ifndef PINSIGHT_VIEWS_IMPORTS_H
#define PINSIGHT_VIEWS_IMPORTS_H

#include "views/json.h"
#include "views/report.h"
#include "views/tree.h"

/* The tree of one process. */
struct pinsight_import_tree {
    const struct pinsight_process *process;
    struct pinsight_tree tree; /* its nodes are numbers of nodes, below */
    uint32_t *nodes;           /* of the model's imports */
    uint32_t *parents;         /* among nodes, PINSIGHT_NONE for an outermost one */
    size_t count;
};

struct pinsight_import_trees {
    struct pinsight_import_tree *trees; /* in the order of the processes, those without left out */
    size_t count;
};

/* depth 0 is all; threshold is a share of the process's whole, in percent. */
struct pinsight_import_trees pinsight_imports_make(const struct pinsight_report *report,
                                                   int64_t depth, double threshold);
void pinsight_imports_free(struct pinsight_import_trees *trees);

/* Why there are none, and how to have some. */
const char *pinsight_imports_none(const struct pinsight_report *report);

/* The forms. JSON is a list under the key "imports". */
void pinsight_section_imports(const struct pinsight_report *report, FILE *out);
/* One line that says that there are some; nothing where there are none. */
void pinsight_section_imports_brief(const struct pinsight_report *report, FILE *out);
void pinsight_imports_json(const struct pinsight_report *report, struct pinsight_json *json);
void pinsight_imports_csv(const struct pinsight_report *report, FILE *out,
                          void (*write_text)(FILE *out, const char *text));

#endif
