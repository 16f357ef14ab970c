/* Modes: their names, and changing a domain's mode at run time. */
#ifndef PINSIGHT_CORE_MODE_H
#define PINSIGHT_CORE_MODE_H

#include "core/domain.h"

/* The mode's name in capitals, as configuration and trace have it. */
PINSIGHT_API const char *pinsight_mode_name(enum pinsight_mode mode);

/* Read a mode's name in any case of letters. Returns 0, or -1 and leaves `mode` alone. */
PINSIGHT_API int pinsight_mode_parse(const char *text, enum pinsight_mode *mode);

/* The name of the mode that is nearest to a misspelt one, for messages. */
PINSIGHT_API const char *pinsight_mode_nearest(const char *text);

/*
 * Change the mode of `domain`, let it apply the new one, and record a mode_change event with
 * `reason`. Changing to the mode in force does nothing. Any thread. Returns 0, or -1 where the
 * runtime refuses; the old mode is then in force again.
 */
PINSIGHT_API int pinsight_domain_set_mode(struct pinsight_domain *domain, enum pinsight_mode mode,
                                          const char *reason);

/*
 * Ask for a mode from a thread that may not wait for the runtime (a watchdog): only the atomic
 * changes, and the domain applies it at its next callback by itself.
 */
void pinsight_domain_request_mode(struct pinsight_domain *domain, enum pinsight_mode mode);

/* ": why" of what the domain refused last, for messages; "" where it does not say. */
PINSIGHT_API const char *pinsight_domain_refusal(struct pinsight_domain *domain, char *text,
                                                 size_t room);

#endif
