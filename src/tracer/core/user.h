/*
 * The domain User: regions and marks that the program names itself (pinsight/pinsight.h). It has
 * modes and windows like any domain. It begins with the first region or mark of the process that a
 * session hears, or when somebody asks for it by its name.
 *
 * Regions of a thread may overlap, and may end in another function than they began in. Their counts
 * therefore stand beside the call paths of the other domains, in a tree of their own: a region
 * within a region is its child.
 */
#ifndef PINSIGHT_CORE_USER_H
#define PINSIGHT_CORE_USER_H

#include "tracer/core/domain.h"

/* Returns the domain, which it registers at the first call. Returns NULL if the configuration
 * cannot be read. Any thread. */
struct pinsight_domain *pinsight_user_domain(void);

/* Records range_begin and range_end, for a range of the process. `id` comes from the caller. It is
 * never 0 and never reused in the process. Any thread. */
PINSIGHT_API void pinsight_range_begin(uint64_t id, const char *name);
PINSIGHT_API void pinsight_range_end(uint64_t id);

/* Returns whether a name is that of the domain, ignoring case. */
bool pinsight_user_is(const char *name);

#endif
