/* Names for what events of OpenMP and MPI have by number: places in native code, call paths,
 * threads. */
#ifndef PINSIGHT_VIEWS_DUMP_OPENMP_H
#define PINSIGHT_VIEWS_DUMP_OPENMP_H

#include "reader/ctf/event.h"
#include "reader/kit/native_lines.h"
#include "reader/model.h"
#include "reader/subject.h"

#include <stdbool.h>

/* All zero is empty. */
struct pinsight_dump_names {
    struct pinsight_native_lines *lines;
    char **natives; /* by their number, NULL where not made yet */
    size_t count;
};

void pinsight_dump_names_clear(struct pinsight_dump_names *names);

/* Whether it is an event of a domain that a thread recorded; and whether of OpenMP or MPI. */
bool pinsight_dump_is_of(const struct pinsight_event *event, const struct pinsight_subject *subject,
                         enum reader_domain_number domain);
bool pinsight_dump_is_native(const struct pinsight_event *event,
                             const struct pinsight_subject *subject);

/* The name of what stands in a field, to be freed: a place in native code, a line of Python. NULL
 * where the number says it all. */
char *pinsight_dump_name(struct pinsight_dump_names *names, struct pinsight_model *model,
                         const struct pinsight_event *event, const struct pinsight_subject *subject,
                         unsigned field);

/* The function that a path_info event is about, or PINSIGHT_NONE; and the path that an event of
 * OpenMP was caused by. */
uint32_t pinsight_dump_path_function(struct pinsight_model *model,
                                     const struct pinsight_event *event);
uint32_t pinsight_dump_path(const struct pinsight_event *event,
                            const struct pinsight_subject *subject);

#endif
