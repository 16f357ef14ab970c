/* cmocka wants these in this order. */
#ifndef PINSIGHT_TESTS_CORE_TEST_H
#define PINSIGHT_TESTS_CORE_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
