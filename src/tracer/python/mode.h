/*
 * Brings the interpreter to the current mode and configuration: the observed, counted and
 * redirected parts.
 */
#ifndef PINSIGHT_PYTHON_MODE_H
#define PINSIGHT_PYTHON_MODE_H

#include "tracer/python/domain.h"

/* Takes the current configuration into the settings. Holds the GIL. */
void pinsight_python_take_settings(void);

/* Decides again which threads are selected, after the selection of the process has changed. Holds
 * the GIL of the main interpreter. */
void pinsight_python_place_threads(void);

/* Takes the current configuration, and brings the interpreter to it and to the current mode. Holds
 * the GIL of the main interpreter. */
void pinsight_python_apply_settings(void);

/* Called when a callback finds that the mode or the configuration has changed, or that no session
 * listens any more. If threads are to wait, the thread waits first, without the GIL. Then applies
 * the changes. Holds the GIL. Keeps a pending exception. */
void pinsight_python_catch_up(void);

/* Applies the settings in a forked child, which may have to record although its parent did not.
 * Holds the GIL. */
void pinsight_python_apply_in_child(void);

/* Functions of the domain's descriptor; see tracer/core/domain.h. */
int pinsight_python_apply_mode(struct pinsight_domain *domain, enum pinsight_mode from,
                               const char *reason);
void pinsight_python_settings_changed(struct pinsight_domain *domain);
uint64_t pinsight_python_applied_at(struct pinsight_domain *domain);

#endif
