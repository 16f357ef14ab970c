/*
 * What the configuration in force says, for a domain: whole answers, so that a domain knows nothing
 * of how a configuration is kept. Slow paths; a domain keeps the answers together with
 * pinsight_config_version(), read before it asks. Any thread.
 */
#ifndef PINSIGHT_CORE_RESOLVE_H
#define PINSIGHT_CORE_RESOLVE_H

#include "core/settings.h"
#include "core/window.h"

/* The kinds of events that are on; bit n is kind n of the domain's description. */
PINSIGHT_API uint64_t pinsight_resolve_events(const struct pinsight_domain *domain);

/* Numbers in place of names? */
PINSIGHT_API bool pinsight_resolve_registry(const struct pinsight_domain *domain);

/* What is to be counted of allocations. */
PINSIGHT_API enum pinsight_allocations
pinsight_resolve_allocations(const struct pinsight_domain *domain);

/* What is to be recorded of what devices do. */
PINSIGHT_API enum pinsight_device_activity
pinsight_resolve_device_activity(const struct pinsight_domain *domain);

/* Is any module excluded? If not, pinsight_resolve_module is true for every name. */
PINSIGHT_API bool pinsight_resolve_has_modules(const struct pinsight_domain *domain);

/* Is code of this module wanted, by module_filter and module_exclude? */
PINSIGHT_API bool pinsight_resolve_module(const struct pinsight_domain *domain, const char *module);

/* Is it excluded by module_exclude? */
PINSIGHT_API bool pinsight_resolve_module_excluded(const struct pinsight_domain *domain,
                                                   const char *module);

/* Is no C callable recorded by the windows, whatever it is called? While TRACING: MONITORING counts
 * without windows. */
PINSIGHT_API bool pinsight_resolve_no_c_calls(const struct pinsight_domain *domain);

/* The types that a key (operators, properties) names, and how many; the caller frees the names and
 * the list. `is_default` says that nobody has set them. NULL and 0 where there is none, or memory
 * is short. */
PINSIGHT_API char **pinsight_resolve_types(const struct pinsight_domain *domain,
                                           enum pinsight_config_key key, size_t *count,
                                           bool *is_default);

/* Is the unit of that number in its range? */
PINSIGHT_API bool pinsight_resolve_in_range(const struct pinsight_domain *domain, unsigned punit,
                                            uint32_t number);

/* The highest number that is in the range. */
PINSIGHT_API uint32_t pinsight_resolve_range_end(const struct pinsight_domain *domain,
                                                 unsigned punit);

/* What of the domain's code and units the configuration records, as text for people:
 * "module_filter = numpy, range = 0"; "-" where that is all. */
PINSIGHT_API void pinsight_resolve_selection(const struct pinsight_domain *domain, unsigned punit,
                                             char *text, size_t room);

/*
 * The window of a region. Returns `window`, whose counts go on, where the settings in force are its
 * own; another one, made with malloc; or NULL where every execution is recorded. Where that is not
 * `window`, the caller frees `window` (pinsight_window_forget before) when nobody can be looking at
 * it any more. `after` gets how the region goes on after its window. Not at the same time as
 * another call for this region.
 */
PINSIGHT_API struct pinsight_window *
pinsight_resolve_window(struct pinsight_window *window, const struct pinsight_window_owner *owner,
                        uint32_t config_version, enum pinsight_mode *after);

#endif
