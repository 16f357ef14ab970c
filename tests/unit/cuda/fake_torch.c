/* A fake of libtorch_cpu.so, for tests only: what the CUDA domain asks of PyTorch, under the names
 * that C++ gives it. */
#include <stddef.h>
#include <stdint.h>

#define API __attribute__((visibility("default")))

struct counts {
    void *functions;
    int users, weak;
};
struct node {
    void *functions, *self[2];
    uint64_t sequence, topological, has_parent, thread;
    struct counts counts;
};
/* A std::shared_ptr is returned in memory; C does so with a third member. */
struct pointer {
    struct node *object;
    struct counts *counts;
    void *unused;
};

static __thread uint64_t next_sequence, thread_number;
static __thread struct node node, *evaluated;

API void fake_torch_forward(uint64_t thread, uint64_t next);
void fake_torch_forward(uint64_t thread, uint64_t next) {
    thread_number = thread;
    next_sequence = next;
    evaluated = NULL;
}

/* The calling thread evaluates the node of that operation. */
API void fake_torch_backward(uint64_t thread, uint64_t sequence);
void fake_torch_backward(uint64_t thread, uint64_t sequence) {
    node = (struct node){.sequence = sequence, .thread = thread, .topological = 7};
    node.counts.users = 1;
    evaluated = &node;
}

/* How many use the node. */
API int fake_torch_users(void);
int fake_torch_users(void) {
    return evaluated ? evaluated->counts.users : 0;
}

API uint64_t peek(void) __asm__("_ZN2at15sequence_number4peekEv");
uint64_t peek(void) {
    return next_sequence;
}

API uint64_t current_thread(void) __asm__("_ZN2at14RecordFunction15currentThreadIdEv");
uint64_t current_thread(void) {
    return thread_number;
}

API struct pointer current_node(void) __asm__("_ZN5torch8autograd16get_current_nodeEv");
struct pointer current_node(void) {
    if (!evaluated)
        return (struct pointer){NULL, NULL, NULL};
    __atomic_add_fetch(&evaluated->counts.users, 1, __ATOMIC_ACQ_REL);
    return (struct pointer){evaluated, &evaluated->counts, NULL};
}
