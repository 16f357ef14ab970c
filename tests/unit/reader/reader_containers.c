/* The hash table and the table of names. */
#include "unit.h"

#include "base/map.h"
#include "base/strings.h"

static void map_empty(void **state) {
    struct pinsight_map map = {0};

    (void)state;
    assert_int_equal(pinsight_map_get(&map, 1, 2, 3), PINSIGHT_MAP_NONE);
    assert_int_equal(pinsight_map_get64(&map, 0), PINSIGHT_MAP_NONE);
    pinsight_map_clear(&map);
}

static void map_many(void **state) {
    struct pinsight_map map = {0};

    (void)state;
    for (uint32_t i = 0; i < 100000; i++)
        pinsight_map_set(&map, i, i * 3, i & 1, i);
    for (uint32_t i = 0; i < 100000; i++)
        assert_int_equal(pinsight_map_get(&map, i, i * 3, i & 1), i);
    assert_int_equal(pinsight_map_get(&map, 5, 15, 0), PINSIGHT_MAP_NONE);
    assert_int_equal(map.used, 100000);
    pinsight_map_clear(&map);
    assert_null(map.entries);
}

static void map_replaces(void **state) {
    struct pinsight_map map = {0};

    (void)state;
    pinsight_map_set64(&map, 0, 7);
    pinsight_map_set64(&map, UINT64_MAX, 8);
    pinsight_map_set64(&map, 0, 9);
    assert_int_equal(pinsight_map_get64(&map, 0), 9);
    assert_int_equal(pinsight_map_get64(&map, UINT64_MAX), 8);
    assert_int_equal(map.used, 2);
    pinsight_map_clear(&map);
}

/* Addresses, as code objects have them, and keys that differ in one half only. */
static void map_distributes(void **state) {
    struct pinsight_map map = {0};

    (void)state;
    for (uint64_t i = 0; i < 50000; i++) {
        pinsight_map_set64(&map, UINT64_C(0x7f0012340000) + i * 64, (uint32_t)i);
        pinsight_map_set64(&map, i << 32, (uint32_t)i);
    }
    for (uint64_t i = 0; i < 50000; i++) {
        assert_int_equal(pinsight_map_get64(&map, UINT64_C(0x7f0012340000) + i * 64), i);
        assert_int_equal(pinsight_map_get64(&map, i << 32), i);
    }
    pinsight_map_clear(&map);
}

static void strings_one_number_a_text(void **state) {
    struct pinsight_strings strings = {0};
    uint32_t a, b;

    (void)state;
    assert_string_equal(pinsight_strings_text(&strings, 0), "");
    a = pinsight_strings_add(&strings, "numpy.dot", 9);
    b = pinsight_strings_add(&strings, "numpy.dot(", 9);
    assert_int_equal(a, b);
    assert_int_not_equal(a, 0);
    assert_int_equal(pinsight_strings_add(&strings, "", 0), 0);
    assert_int_not_equal(pinsight_strings_add(&strings, "numpy.do", 8), a);
    assert_string_equal(pinsight_strings_text(&strings, a), "numpy.dot");
    assert_string_equal(pinsight_strings_text(&strings, 12345), "");
    pinsight_strings_clear(&strings);
}

static void strings_many(void **state) {
    struct pinsight_strings strings = {0};
    uint32_t numbers[5000];
    char text[64];

    (void)state;
    for (int i = 0; i < 5000; i++)
        numbers[i] = pinsight_strings_add(&strings, text,
                                          (size_t)snprintf(text, sizeof(text), "f%d\xff", i));
    for (int i = 0; i < 5000; i++) {
        int length = snprintf(text, sizeof(text), "f%d\xff", i);

        assert_int_equal(pinsight_strings_add(&strings, text, (size_t)length), numbers[i]);
        assert_string_equal(pinsight_strings_text(&strings, numbers[i]), text);
    }
    assert_int_equal(strings.count, 5001);
    pinsight_strings_clear(&strings);
}

int main(void) {
    return RUN_TESTS(map_empty, map_many, map_replaces, map_distributes, strings_one_number_a_text,
                     strings_many);
}
