/*
 * Answers from the current configuration for a domain, so that domains do not depend on how a
 * configuration is stored. These are slow paths. A domain keeps the answers together with
 * pinsight_config_version(), which it reads before it asks. Any thread.
 */
#ifndef PINSIGHT_CORE_RESOLVE_H
#define PINSIGHT_CORE_RESOLVE_H

#include "tracer/core/settings.h"
#include "tracer/core/window.h"

/* Returns the kinds of events that are on: bit n is kind n of the domain's description. */
PINSIGHT_API uint64_t pinsight_resolve_events(const struct pinsight_domain *domain);

/* Returns whether events have numbers in place of names. */
PINSIGHT_API bool pinsight_resolve_registry(const struct pinsight_domain *domain);

/* Returns the recorded part of code that runs within imports. */
PINSIGHT_API enum pinsight_import_events
pinsight_resolve_import(const struct pinsight_domain *domain);

/* Returns the counted part of allocations. */
PINSIGHT_API enum pinsight_allocations
pinsight_resolve_allocations(const struct pinsight_domain *domain);

/* Returns whether exceptions are recorded. */
PINSIGHT_API bool pinsight_resolve_exceptions(const struct pinsight_domain *domain);

/* Returns the recorded part of the devices' work. */
PINSIGHT_API enum pinsight_device_activity
pinsight_resolve_device_activity(const struct pinsight_domain *domain);

/* Returns whether the lines of a function are measured. `file` and `name` are its source file and
 * its qualified name. */
PINSIGHT_API bool pinsight_resolve_lines(const struct pinsight_domain *domain, const char *file,
                                         const char *name);

/* Calls `visit` for each section that turns the measurement of lines on, with its title and whether
 * it names the function. Without a function (NULL), it names none. The title is valid during the
 * call. */
PINSIGHT_API void pinsight_resolve_line_sections(const struct pinsight_domain *domain,
                                                 const char *file, const char *name,
                                                 void (*visit)(const char *title, bool names));

/* Returns the number of elements from which on calls with vectors are recorded. */
PINSIGHT_API uint64_t pinsight_resolve_shortest_vector(const struct pinsight_domain *domain);

/* Returns whether calls within recorded calls are recorded. */
PINSIGHT_API bool pinsight_resolve_nested(const struct pinsight_domain *domain);

/* Returns the share of the processor time that recording may cost, in thousandths of a percent; 0
 * without a limit. Writes the place of the setting into `rule`. */
PINSIGHT_API uint32_t pinsight_resolve_budget(const struct pinsight_domain *domain, char *rule,
                                              size_t room);

/* Returns whether any module is excluded. If not, pinsight_resolve_module() is true for every
 * name. */
PINSIGHT_API bool pinsight_resolve_has_modules(const struct pinsight_domain *domain);

/* Returns whether module_filter and module_exclude admit code of this module. */
PINSIGHT_API bool pinsight_resolve_module(const struct pinsight_domain *domain, const char *module);

/* Returns whether module_exclude excludes the module. */
PINSIGHT_API bool pinsight_resolve_module_excluded(const struct pinsight_domain *domain,
                                                   const char *module);

/* Returns whether the windows exclude every C callable, whatever its name. Concerns only TRACING,
 * because MONITORING counts without windows. */
PINSIGHT_API bool pinsight_resolve_no_c_calls(const struct pinsight_domain *domain);

/* Returns whether no window limits any region of the domain, whatever its name. */
PINSIGHT_API bool pinsight_resolve_all_recorded(const struct pinsight_domain *domain);

/* Returns the types that a key (operators, properties) names, and their number. The caller frees
 * the names and the list. Sets *is_default if the key has its default. Returns NULL and 0 if there
 * are none, or without memory. */
PINSIGHT_API char **pinsight_resolve_types(const struct pinsight_domain *domain,
                                           enum pinsight_config_key key, size_t *count,
                                           bool *is_default);

/* Returns whether the unit with a number is in its range. */
PINSIGHT_API bool pinsight_resolve_in_range(const struct pinsight_domain *domain, unsigned punit,
                                            uint32_t number);

/* Returns whether the range excludes some units. */
PINSIGHT_API bool pinsight_resolve_some_processes(const struct pinsight_domain *domain,
                                                  unsigned punit);

/* Returns whether the range has a unit with a number (-1: none) and names. The list of names ends
 * with NULL, and has empty texts for missing names. */
PINSIGHT_API bool pinsight_resolve_process(const struct pinsight_domain *domain, unsigned punit,
                                           int64_t number, const char *const *names);

/* Returns the highest number in the range. */
PINSIGHT_API uint32_t pinsight_resolve_range_end(const struct pinsight_domain *domain,
                                                 unsigned punit);

/* Writes the recorded part of the domain's code and units as text for people: "module_filter =
 * numpy, range = 0", or "-" for everything. */
PINSIGHT_API void pinsight_resolve_selection(const struct pinsight_domain *domain, unsigned punit,
                                             char *text, size_t room);

/*
 * Returns the window of a region. If the current settings are those of `window`, it returns
 * `window`, whose counts continue. Otherwise it returns a new one, made with malloc, or NULL if
 * every execution is recorded. The caller then frees the old window when it has no readers left,
 * after pinsight_window_forget. `after` gets the mode after the window. Calls for one region must
 * not overlap.
 */
PINSIGHT_API struct pinsight_window *
pinsight_resolve_window(struct pinsight_window *window, const struct pinsight_window_owner *owner,
                        uint32_t config_version, enum pinsight_mode *after);

#endif
