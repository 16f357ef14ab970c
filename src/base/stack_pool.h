/* Many growing stacks, most of which are empty for good, for example those of a service's ended
 * threads. A stack that needs room takes the memory of an empty one. Not thread-safe. */
#ifndef PINSIGHT_BASE_STACK_POOL_H
#define PINSIGHT_BASE_STACK_POOL_H

#include <stddef.h>

/* A stack. The owner sets `depth`. Beyond `depth`, it may use only the item that it was given last,
 * until any of the stacks grows. */
struct pinsight_pooled_stack {
    void *items; /* owned */
    size_t depth, capacity;
    size_t at; /* index among all stacks with memory, plus one; 0 without */
};

struct pinsight_stack_pool {
    struct pinsight_pooled_stack **stacks; /* some are NULL */
    size_t count, capacity, at;
};

/* Declares the members of a struct pinsight_pooled_stack, with the type of its items. `room` is
 * the whole struct. */
#define PINSIGHT_POOLED_STACK_OF(type, name)                                                       \
    union {                                                                                        \
        struct pinsight_pooled_stack room;                                                         \
        struct {                                                                                   \
            type *name;                                                                            \
            size_t depth, capacity;                                                                \
        };                                                                                         \
    }

/* Makes room for one more item of `size` bytes in a full stack. */
void pinsight_stack_pool_grow(struct pinsight_stack_pool *pool, struct pinsight_pooled_stack *stack,
                              size_t size);

/* Frees the memory of a stack. */
void pinsight_stack_pool_drop(struct pinsight_stack_pool *pool,
                              struct pinsight_pooled_stack *stack);

/* Frees the list. Stacks keep their memory. */
void pinsight_stack_pool_clear(struct pinsight_stack_pool *pool);

#endif
