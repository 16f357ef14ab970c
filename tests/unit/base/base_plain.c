/* Which interpreters are observed by public interfaces alone though nobody asked for it. */
#include "unit.h"

#include "base/plain.h"

static void releases(void **state) {
    (void)state;
    assert_false(pinsight_plain_is_needed("3.12.1 (main, Feb  3 2026, 10:00:00) [GCC 12.2.0]"));
    assert_false(pinsight_plain_is_needed("3.8.18 (default, Oct  1 2024, 10:00:00) [Clang 14]"));
    assert_false(pinsight_plain_is_needed("3.15.0rc1 (main, Aug  1 2026, 10:00:00) [GCC 15]"));
    assert_false(pinsight_plain_is_needed("3.13.0+ free-threading build (heads/3.13:abc)"));
    assert_false(pinsight_plain_is_needed(""));
}

static void others(void **state) {
    (void)state;
    assert_true(pinsight_plain_is_needed("3.16.0a1 (main, Oct 14 2026, 10:00:00) [GCC 15]"));
    assert_true(pinsight_plain_is_needed("3.15.0b2+ (heads/main:abc, May 30 2026)"));
}

int main(void) {
    return RUN_TESTS(releases, others);
}
