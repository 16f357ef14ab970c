/*
 * Brings the interpreter into the mode and the configuration in force: what is observed, counted
 * and redirected from then on.
 */
#ifndef PINSIGHT_PYTHON_MODE_H
#define PINSIGHT_PYTHON_MODE_H

#include "domains/python/domain.h"

/* Take over what the configuration in force says. Holds the GIL. */
void pinsight_python_take_settings(void);

/* The same, and bring the interpreter into it, and into the mode in force. Holds the GIL, of the
 * main interpreter. */
void pinsight_python_apply_settings(void);

/* A callback found that the mode or the configuration is not the one applied, or that nobody
 * listens any more: apply them. Where threads are to wait, wait before, without the GIL. Holds the
 * GIL; keeps a pending exception. */
void pinsight_python_catch_up(void);

/* In a forked child, which may be asked to record where it records nothing. Holds the GIL. */
void pinsight_python_apply_in_child(void);

/* For the domain's descriptor: see core/domain.h. */
int pinsight_python_apply_mode(struct pinsight_domain *domain, enum pinsight_mode from,
                               const char *reason);
void pinsight_python_settings_changed(struct pinsight_domain *domain);
uint64_t pinsight_python_applied_at(struct pinsight_domain *domain);

#endif
