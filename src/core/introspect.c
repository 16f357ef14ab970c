#include "core/introspect.h"
void pinsight_introspect(const struct pinsight_introspection *how, struct pinsight_answer *answer) {
    (void)how; (void)answer;
}
void pinsight_introspect_resume(void) {}
int64_t pinsight_introspect_due(void) { return -1; }
void pinsight_introspect_tend(void) {}
void pinsight_introspect_fork_child(void) {}
