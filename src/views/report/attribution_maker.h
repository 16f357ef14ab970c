/* How the rows of attribution.h are made. */
#ifndef PINSIGHT_VIEWS_REPORT_ATTRIBUTION_MAKER_H
#define PINSIGHT_VIEWS_REPORT_ATTRIBUTION_MAKER_H

#include "reader/kit/paths.h"
#include "views/openmp/keys.h"
#include "views/report/attribution.h"

/* What rows are made with. */
struct pinsight_attribution_maker {
    const struct pinsight_report *report;
    struct pinsight_attribution_view *view;
    struct pinsight_omp_keys keys;
    struct pinsight_map functions, lines, forwards, calls, parts;
    uint32_t forward_count;
    size_t function_capacity, line_capacity, call_capacity, part_capacity;
};

/* The row of a function of the model's, or of PINSIGHT_NONE; made at its first mention. */
uint32_t pinsight_attribution_row(struct pinsight_attribution_maker *maker, uint32_t function);

/* That of one of its lines; where it computes gradients, for a line of the forward pass or NULL. */
struct pinsight_attribution_line *
pinsight_attribution_line_row(struct pinsight_attribution_maker *maker, uint32_t function,
                              int32_t line, const struct pinsight_path *forward);

/* ---- attribution_calls.c ---- */

void pinsight_attribution_add_calls(struct pinsight_attribution_maker *maker,
                                    const struct pinsight_attribution_walk *walk);
void pinsight_attribution_add_imports(struct pinsight_attribution_view *view,
                                      const struct pinsight_report *report,
                                      const struct pinsight_attribution_walk *walk);

/* Sorts the calls, and tells functions their own. */
void pinsight_attribution_sort_calls(struct pinsight_attribution_view *view);

#endif
