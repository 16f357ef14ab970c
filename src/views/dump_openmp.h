/* Names for numbers in events of OpenMP and MPI: native places, call paths, threads. */
#ifndef PINSIGHT_VIEWS_DUMP_OPENMP_H
#define PINSIGHT_VIEWS_DUMP_OPENMP_H

#include "reader/ctf/event.h"
#include "reader/kit/native_lines.h"
#include "reader/model.h"
#include "reader/subject.h"

#include <stdbool.h>

/* Names that were made. All zero is empty. */
struct pinsight_dump_names {
    struct pinsight_native_lines *lines;
    char **natives; /* by the number of the native place; NULL: not made yet */
    size_t count;
};

void pinsight_dump_names_clear(struct pinsight_dump_names *names);

/* Return whether a thread recorded an event of a domain, and whether the domain is OpenMP or
 * MPI. */
bool pinsight_dump_is_of(const struct pinsight_event *event, const struct pinsight_subject *subject,
                         enum reader_domain_number domain);
bool pinsight_dump_is_native(const struct pinsight_event *event,
                             const struct pinsight_subject *subject);

/* Returns the name for a field's value: a native place, or a line of Python. The caller frees it.
 * Returns NULL if there is no name for the number. */
char *pinsight_dump_name(struct pinsight_dump_names *names, struct pinsight_model *model,
                         const struct pinsight_event *event, const struct pinsight_subject *subject,
                         unsigned field);

/* Return the function of a path_info event, and the path that caused an event of OpenMP; or
 * PINSIGHT_NONE. */
uint32_t pinsight_dump_path_function(struct pinsight_model *model,
                                     const struct pinsight_event *event);
uint32_t pinsight_dump_path(const struct pinsight_event *event,
                            const struct pinsight_subject *subject);

#endif
