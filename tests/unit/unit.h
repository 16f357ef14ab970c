/*
 * What every unit test includes: cmocka, what it needs before it, and a program's main() in one
 * statement, in which each test is named once. A function before or after may be NULL.
 *
 *     return RUN_TESTS(test_a, test_b);
 *     return RUN_TESTS_EACH(before_each, after_each, test_a, test_b);
 *     return RUN_TESTS_GROUP(before_all, after_all, test_a, test_b);
 */
#ifndef PINSIGHT_TEST_UNIT_H
#define PINSIGHT_TEST_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* cmocka 2 has a name for each type, and warns of the one that cmocka 1 has. */
#ifdef assert_uint_in_range
#undef assert_in_range
#define assert_in_range assert_uint_in_range
#endif

/* Does what follows with each of these texts. */
#define FOR_TEXTS(text, ...)                                                                       \
    for (const char *const *unit_at = (const char *const[]){__VA_ARGS__, NULL}, *text;             \
         (text = *unit_at) != NULL; unit_at++)

/* Compares a text, and frees it. */
static inline void unit_assert_text(char *text, const char *expected) {
    assert_string_equal(text, expected);
    free(text);
}

struct unit_fixtures {
    CMFixtureFunction group_setup, group_teardown, setup, teardown;
};

#define RUN_TESTS(...) UNIT_RUN(((struct unit_fixtures){0}), __VA_ARGS__)
#define RUN_TESTS_EACH(setup, teardown, ...)                                                       \
    UNIT_RUN(((struct unit_fixtures){NULL, NULL, setup, teardown}), __VA_ARGS__)
#define RUN_TESTS_GROUP(setup, teardown, ...)                                                      \
    UNIT_RUN(((struct unit_fixtures){setup, teardown, NULL, NULL}), __VA_ARGS__)

#define UNIT_RUN(fixtures, ...)                                                                    \
    unit_run(#__VA_ARGS__, (const CMUnitTestFunction[]){__VA_ARGS__},                              \
             sizeof((const CMUnitTestFunction[]){__VA_ARGS__}) / sizeof(CMUnitTestFunction),       \
             fixtures)

/* Runs `count` functions, whose names are listed in `listed`; what a main() returns. */
static inline int unit_run(const char *listed, const CMUnitTestFunction *functions, size_t count,
                           struct unit_fixtures fixtures) {
    static struct CMUnitTest tests[64];
    static char names[4096];
    char *rest = NULL;

    if (count > sizeof(tests) / sizeof(*tests) || strlen(listed) >= sizeof(names)) {
        fprintf(stderr, "unit.h: too many tests\n");
        return 1;
    }
    strcpy(names, listed);
    for (size_t i = 0; i < count; i++)
        tests[i] = (struct CMUnitTest){.name = strtok_r(i ? NULL : names, ", \n", &rest),
                                       .test_func = functions[i],
                                       .setup_func = fixtures.setup,
                                       .teardown_func = fixtures.teardown};
    return _cmocka_run_group_tests("tests", tests, count, fixtures.group_setup,
                                   fixtures.group_teardown);
}

#endif
