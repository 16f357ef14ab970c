/* Modes: their names, and changing a domain's mode at run time. */
#ifndef PINSIGHT_CORE_MODE_H
#define PINSIGHT_CORE_MODE_H

#include "tracer/core/domain.h"

/* Returns the mode's name in capitals, as in configuration and trace. */
PINSIGHT_API const char *pinsight_mode_name(enum pinsight_mode mode);

/* Reads a mode's name, ignoring case. Returns 0, or -1 without a change of *mode. */
PINSIGHT_API int pinsight_mode_parse(const char *text, enum pinsight_mode *mode);

/* Returns the name of the mode that is nearest to a misspelt one, for messages. */
PINSIGHT_API const char *pinsight_mode_nearest(const char *text);

/*
 * Changes the mode of a domain, lets the domain apply it, and records a mode_change event with
 * `reason`. Does nothing if the mode is in force already. Any thread. Returns 0, or -1 if the
 * runtime refuses; the old mode is then in force again.
 */
PINSIGHT_API int pinsight_domain_set_mode(struct pinsight_domain *domain, enum pinsight_mode mode,
                                          const char *reason);

/*
 * Requests a mode from a thread that must not wait for the runtime, such as the watchdog. Only the
 * atomic changes. The domain applies the mode at its next callback.
 */
PINSIGHT_API void pinsight_domain_request_mode(struct pinsight_domain *domain,
                                               enum pinsight_mode mode);

/* Writes ": why" for the domain's last refusal, for messages; "" without a reason. Returns
 * `text`. */
PINSIGHT_API const char *pinsight_domain_refusal(struct pinsight_domain *domain, char *text,
                                                 size_t room);

#endif
