/* What every unit test of the session includes: cmocka and what it needs before it. */
#ifndef PINSIGHT_TESTS_SESSION_TEST_H
#define PINSIGHT_TESTS_SESSION_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
