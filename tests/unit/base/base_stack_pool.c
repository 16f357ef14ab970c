/* Stacks that take the memory of empty ones (base/stack_pool.h). */
#include "base/stack_pool.h"

#include "unit.h"

struct stack {
    PINSIGHT_POOLED_STACK_OF(int, items);
};

static void push(struct pinsight_stack_pool *rooms, struct stack *stack, int item) {
    if (stack->depth == stack->capacity)
        pinsight_stack_pool_grow(rooms, &stack->room, sizeof(*stack->items));
    stack->items[stack->depth++] = item;
}

/* A thousand, one after the other, have one array. */
static void test_one_after_the_other(void **state) {
    enum { COUNT = 1000 };
    static struct stack stacks[COUNT];
    struct pinsight_stack_pool rooms = {0};
    size_t with = 0;

    (void)state;
    for (int i = 0; i < COUNT; i++) {
        push(&rooms, &stacks[i], i);
        assert_int_equal(stacks[i].items[0], i);
        stacks[i].depth = 0;
    }
    for (size_t i = 0; i < COUNT; i++)
        with += stacks[i].items != NULL;
    assert_int_equal(with, 1);
    assert_int_equal(rooms.count, 1);
    for (size_t i = 0; i < COUNT; i++)
        pinsight_stack_pool_drop(&rooms, &stacks[i].room);
    pinsight_stack_pool_clear(&rooms);
}

/* What something is in stays. */
static void test_at_once(void **state) {
    enum { COUNT = 50 };
    static struct stack stacks[COUNT];
    struct pinsight_stack_pool rooms = {0};

    (void)state;
    for (int i = 0; i < COUNT; i++)
        push(&rooms, &stacks[i], i);
    stacks[7].depth = 0;
    for (int round = 0; round < 100; round++)
        for (int i = 0; i < COUNT; i++)
            push(&rooms, &stacks[i], 1000 * round + i);
    for (int i = 0; i < COUNT; i++) {
        assert_int_equal(stacks[i].depth, i == 7 ? 100 : 101);
        for (int round = 0; round < 100; round++)
            assert_int_equal(stacks[i].items[round + (i != 7)], 1000 * round + i);
    }
    assert_int_equal(rooms.count, COUNT);
    pinsight_stack_pool_drop(&rooms, &stacks[3].room);
    assert_null(stacks[3].items);
    push(&rooms, &stacks[3], 3);
    assert_int_equal(stacks[3].items[0], 3);
    for (int i = 0; i < COUNT; i++)
        pinsight_stack_pool_drop(&rooms, &stacks[i].room);
    pinsight_stack_pool_clear(&rooms);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_after_the_other),
        cmocka_unit_test(test_at_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
