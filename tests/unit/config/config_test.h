/* What every unit test of configurations includes: cmocka, domains to test with, short ways. */
#ifndef PINSIGHT_TESTS_CONFIG_TEST_H
#define PINSIGHT_TESTS_CONFIG_TEST_H

#include "unit.h"

#include "config/config.h"

enum { PYTHON, OPENMP, MPI, CUDA, DOMAINS };

/* Python as it is, and three domains that are like those to come. */
extern const struct pinsight_description test_domains[DOMAINS];

/* A text with these domains, called "f.ini". */
struct pinsight_config_input test_input(const char *text);

/* Reads a text with these domains, called "f.ini"; NULL with test_errors. */
struct pinsight_config *test_read(const char *text);

/* The same; the test fails if there is an error. */
struct pinsight_config *test_good(const char *text);

/* Fails the test where nothing was read; else has the configuration freed when the test is over.
 * Gives the configuration. */
struct pinsight_config *test_kept(struct pinsight_config *config);

/* Frees what the test kept. */
int test_release(void **state);

#define RUN_CONFIG_TESTS(...) RUN_TESTS_EACH(NULL, test_release, __VA_ARGS__)

/* The text has exactly this one error: "f.ini:1:2: ...". */
void test_wrong(const char *text, const char *message);

extern struct pinsight_config_errors test_errors;

/* A setting's value as text, in a static buffer. */
const char *test_value(const struct pinsight_config *config,
                       const struct pinsight_config_setting *setting);

/* The value of a lexgion's key for a region, named as in [Lexgion(...)]. */
const char *test_resolved(const struct pinsight_config *config, const char *region,
                          enum pinsight_config_key key);

#endif
