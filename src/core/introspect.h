/* Introspection. */
#ifndef PINSIGHT_CORE_INTROSPECT_H
#define PINSIGHT_CORE_INTROSPECT_H
#include "core/order.h"
void pinsight_introspect(const struct pinsight_introspection *how, struct pinsight_answer *answer);
void pinsight_introspect_resume(void);
int64_t pinsight_introspect_due(void);
void pinsight_introspect_tend(void);
void pinsight_introspect_fork_child(void);
#endif
