/* Makes the rows of attribution.h. */
#ifndef PINSIGHT_VIEWS_REPORT_ATTRIBUTION_MAKER_H
#define PINSIGHT_VIEWS_REPORT_ATTRIBUTION_MAKER_H

#include "reader/kit/paths.h"
#include "views/openmp/keys.h"
#include "views/report/attribution.h"

/* The state while rows are made. */
struct pinsight_attribution_maker {
    const struct pinsight_report *report;
    struct pinsight_attribution_view *view;
    struct pinsight_omp_keys keys;
    struct pinsight_map functions, lines, forwards, calls, parts;
    uint32_t forward_count;
    size_t function_capacity, line_capacity, call_capacity, part_capacity;
};

/* Returns the row of a function, or of PINSIGHT_NONE, and makes it at the first call. */
uint32_t pinsight_attribution_row(struct pinsight_attribution_maker *maker, uint32_t function);

/* Returns the row of a line of a function. If the line computes gradients, `forward` is a line of
 * the forward pass, else NULL. */
struct pinsight_attribution_line *
pinsight_attribution_line_row(struct pinsight_attribution_maker *maker, uint32_t function,
                              int32_t line, const struct pinsight_path *forward);

/* ---- attribution_calls.c ---- */

void pinsight_attribution_add_calls(struct pinsight_attribution_maker *maker,
                                    const struct pinsight_attribution_walk *walk);
void pinsight_attribution_add_imports(struct pinsight_attribution_view *view,
                                      const struct pinsight_report *report,
                                      const struct pinsight_attribution_walk *walk);

/* Sorts the calls, and sets each function's index of its first call. */
void pinsight_attribution_sort_calls(struct pinsight_attribution_view *view);

#endif
