/* The tree of call paths of MONITORING: nodes are used again once their lexgion is gone, and only
 * those that nobody needs any more. */
#include "engine_test.h"

#include "tracer/core/count.h"
#include "tracer/core/count_tree.h"

enum { PATHS = 1100 }; /* more than the number of dead ones after which nodes are looked through */

static struct pinsight_engine engine;
static struct pinsight_count_tree tree;
static struct pinsight_lexgion callers[PATHS], callee, last;
static struct pinsight_count_node *inner[PATHS];

/* A caller each, with one call of the same callee in it, and nothing of that is written. */
static int set_up(void **state) {
    (void)state;
    memset(&tree, 0, sizeof tree);
    pinsight_count_start(&tree, 1);
    for (unsigned i = 0; i < PATHS; i++) {
        callers[i] = (struct pinsight_lexgion)PINSIGHT_LEXGION_INIT(i + 1);
        struct pinsight_count_node *outer =
            pinsight_count_child(&engine, &tree, &tree.root, &callers[i], 0);
        inner[i] = outer ? pinsight_count_child(&engine, &tree, outer, &callee, 0) : NULL;
        if (!inner[i])
            return -1;
        pinsight_add(&inner[i]->calls, 1);
    }
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    pinsight_count_free(&tree);
    return 0;
}

static void set_written(struct pinsight_count_node *node) {
    node->account->calls = node->calls;
}

/* As it is when the lexgions of the callers were freed; and a new path is counted. */
static void callers_die(void) {
    for (unsigned i = 0; i < PATHS; i++)
        inner[i]->parent->lexgion = NULL;
    tree.gone = PATHS;
    assert_non_null(pinsight_count_child(&engine, &tree, &tree.root, &last, 0));
}

static void what_is_written_is_used_again(void **state) {
    (void)state;
    for (unsigned i = 0; i < PATHS; i++)
        set_written(inner[i]);
    uint32_t count = tree.count;
    callers_die();
    assert_int_equal(tree.alive, 1);
    assert_int_equal(tree.gone, 0);
    assert_int_equal(tree.count, count);
}

static void what_is_not_written_stays(void **state) {
    (void)state;
    for (unsigned i = 1; i < PATHS; i++)
        set_written(inner[i]);
    callers_die();
    assert_int_equal(tree.alive, 3); /* the call, its caller and the new path */
    assert_int_not_equal(inner[0]->account->number, 0);
    assert_int_equal(inner[0]->calls, 1);
    assert_int_equal(tree.gone, 1);
}

static void what_is_open_stays(void **state) {
    (void)state;
    for (unsigned i = 0; i < PATHS; i++)
        set_written(inner[i]);
    tree.innermost = inner[7];
    callers_die();
    assert_int_equal(tree.alive, 3);
    assert_int_not_equal(inner[7]->account->number, 0);
    assert_int_not_equal(inner[7]->parent->account->number, 0);
}

static void the_longest_is_kept(void **state) {
    (void)state;
    pinsight_count_took(inner[0], 5);
    pinsight_count_took(inner[0], 9);
    pinsight_count_took(inner[0], 3);
    assert_int_equal(inner[0]->inclusive, 17);
    assert_int_equal(inner[0]->longest, 9);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_written_is_used_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_not_written_stays, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_open_stays, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_longest_is_kept, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
