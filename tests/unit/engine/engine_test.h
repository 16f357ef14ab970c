/* What the unit tests of the engine have in common: a domain of their own, its configuration, and
 * numbers by chance. Nothing of an interpreter or of a runtime is there. */
#ifndef PINSIGHT_TESTS_ENGINE_TEST_H
#define PINSIGHT_TESTS_ENGINE_TEST_H

#include "unit.h"

#include "recorder.h"
#include "tracer/core/engine.h"
#include "tracer/core/mode.h"
#include "tracer/core/settings.h"

#include <unistd.h>

/* The configuration's file; main() sets it up before anything else. */
void test_settings_start(void);
void test_settings_end(void);

/* Put another configuration in force. */
void test_configure(const char *text);

void test_set_mode(struct pinsight_domain *domain, enum pinsight_mode mode);

/* The sum of a field over all events of a name, and its value in the last of them. */
uint64_t test_sum(const char *event, const char *field);
uint64_t test_last(const char *event, const char *field);

/* The next number below `limit` of the sequence that `seed` begins; the same on every machine. */
uint32_t test_random(uint64_t *seed, uint32_t limit);

/* So many random sequences; the variable PINSIGHT_TEST_SEED begins with another one. */
uint64_t test_first_seed(void);

/* The window let so many seconds pass since it was opened. */
void test_let_pass(struct pinsight_window *window, unsigned seconds);

#endif
