/* Many stacks, of which most are empty; see stack_pool.h. */
#include "base/stack_pool.h"

#include "base/memory.h"

#include <stdlib.h>

/* The number of other stacks that are checked for emptiness. */
#define ASKED 8

/* Takes the memory of an empty stack, if one is found. */
static void take(struct pinsight_stack_pool *pool, struct pinsight_pooled_stack *stack) {
    for (size_t asked = 0; asked < ASKED && asked < pool->count; asked++) {
        struct pinsight_pooled_stack *other;

        pool->at = (pool->at + 1) % pool->count;
        other = pool->stacks[pool->at];
        if (other && other->depth)
            continue;
        if (other) {
            stack->items = other->items;
            stack->capacity = other->capacity;
            *other = (struct pinsight_pooled_stack){0};
        }
        pool->stacks[pool->at] = stack;
        stack->at = pool->at + 1;
        return;
    }
    *PINSIGHT_ADD(pool->stacks, pool->count, pool->capacity) = stack;
    stack->at = pool->count;
}

void pinsight_stack_pool_grow(struct pinsight_stack_pool *pool, struct pinsight_pooled_stack *stack,
                              size_t size) {
    if (!stack->at)
        take(pool, stack);
    stack->items = pinsight_grow(stack->items, stack->depth, &stack->capacity, size);
}

void pinsight_stack_pool_drop(struct pinsight_stack_pool *pool,
                              struct pinsight_pooled_stack *stack) {
    if (stack->at)
        pool->stacks[stack->at - 1] = NULL;
    free(stack->items);
    *stack = (struct pinsight_pooled_stack){0};
}

void pinsight_stack_pool_clear(struct pinsight_stack_pool *pool) {
    free(pool->stacks);
    *pool = (struct pinsight_stack_pool){0};
}
