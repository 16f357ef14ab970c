/* The tree of call paths: numbers are given once, found again, and never for two paths. */
#include "tracer/python/path_tree.h"

#include "unit.h"

static void a_path_keeps_its_number(void **state) {
    (void)state;
    uint32_t outer = pinsight_path_find(0, 7, 10);
    assert_int_equal(outer, 1);
    uint32_t inner = pinsight_path_find(outer, 8, 20);
    assert_int_equal(inner, 2);
    assert_int_equal(pinsight_path_find(0, 7, 10), outer);
    assert_int_equal(pinsight_path_find(outer, 8, 20), inner);
    uint32_t others[] = {
        pinsight_path_find(0, 8, 20),     pinsight_path_find(outer, 8, 21),
        pinsight_path_find(outer, 9, 20), pinsight_path_find(inner, 8, 20),
        pinsight_path_find(0, 7, 0),      pinsight_path_find(outer, 7, 10),
    };
    for (unsigned i = 0; i < sizeof others / sizeof others[0]; i++)
        assert_int_equal(others[i], 3 + i);
    assert_int_equal(pinsight_path_find(outer, 8, 20), inner);
    const struct pinsight_path_node *node = pinsight_path_node(inner);
    assert_int_equal(node->parent, outer);
    assert_int_equal(node->code, 8);
    assert_int_equal(node->line, 20);
    assert_int_equal(node->defined, 0);
    assert_int_equal(pinsight_path_last, 8);
}

/* A wide one, a deep one, and one of many shapes, until there is no room. */
static void a_full_tree_gives_what_it_has(void **state) {
    (void)state;
    uint32_t first = pinsight_path_last + 1, deep = 0;
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(pinsight_path_find(1, 1000 + i, (int32_t)i), first + i);
    for (uint32_t i = 0; i < 100000; i++)
        deep = pinsight_path_find(deep, 5, 5);
    assert_int_equal(deep, pinsight_path_last);
    uint32_t path = 0;
    for (uint32_t code = 2000; (path = pinsight_path_find(code * 7919 % 100000, code, 3)); code++)
        assert_int_equal(path, pinsight_path_last);
    assert_int_equal(pinsight_path_last, PINSIGHT_PATHS_MAX - 1);
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(pinsight_path_find(1, 1000 + i, (int32_t)i), first + i);
    uint32_t again = 0;
    for (uint32_t i = 0; i < 100000; i++)
        again = pinsight_path_find(again, 5, 5);
    assert_int_equal(again, deep);
    assert_int_equal(pinsight_path_find(0, 6, 6), 0);
    assert_int_equal(pinsight_path_find(PINSIGHT_PATHS_MAX - 1, 6, 6), 0);
}

int main(void) {
    return RUN_TESTS(a_path_keeps_its_number, a_full_tree_gives_what_it_has);
}
