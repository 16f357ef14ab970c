/* Where the time of the calling threads went, as a bar and what its parts stand for. */
#ifndef PINSIGHT_VIEWS_BAR_H
#define PINSIGHT_VIEWS_BAR_H

#include "base/json.h"
#include "views/report/report.h"

/* Prints the bar with the time that it is of, and a line or two with its parts: Python, C, native
 * code of threads without Python, OpenMP's work and its waiting, MPI, calls of devices, and what a
 * thread did with Python of which nothing was recorded; those that are there. They add up to that
 * time. Nothing where there is none. */
void pinsight_bar_print(const struct pinsight_report *report, FILE *out);

/* Writes the bar as the member `bar`: the list `parts`, those that are there, with name, ns,
 * whether it waits, and the category that its slices have in exports (null if it waits or has
 * several); and `threads`, the number of threads whose time it is, 0 if that is unknown. */
void pinsight_bar_json(const struct pinsight_report *report, struct pinsight_json *json);

#endif
