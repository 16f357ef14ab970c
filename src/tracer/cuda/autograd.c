/* The forward operations of PyTorch's backward passes; see autograd.h. */
#include "tracer/cuda/autograd.h"

#include "tracer/core/inline.h"
#include "tracer/core/process.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A std::shared_ptr of libstdc++: the object, and the count of its users. C++ returns a class with
 * a destructor in memory. The third member makes C return the struct in memory, too. */
struct torch_pointer {
    const struct torch_node *object;
    struct torch_control *control;
    void *unused;
};
struct torch_control {
    void *functions;
    int users, weak;
};

/* The begin of a torch::autograd::Node: virtual functions, std::enable_shared_from_this, then
 * sequence_nr_, topological_nr_, has_parent_ and thread_id_ (torch/csrc/autograd/function.h). */
struct torch_node {
    void *functions, *self[2];
    uint64_t sequence, topological, has_parent, thread;
};

static uint64_t (*peek)(void);
static uint64_t (*thread_id)(void);
static struct torch_pointer (*current_node)(void);

/* The operations whose paths are kept; a training step has some thousands. Each has one word, so
 * that threads may write and read at any time. The word has the call path, and above it the part of
 * the operation's identity that its index does not contain. */
#define OPERATIONS 65536u
static _Atomic uint64_t *operations;

enum { NOT_LOOKED, LOOKING, FOUND, NOT_WANTED };
static _Atomic int state = NOT_LOOKED;

static int find_object(struct dl_phdr_info *info, size_t size, void *data) {
    const char *slash = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;
    (void)size;
    if (!slash || strcmp(slash + 1, "libtorch_cpu.so") != 0 || strlen(info->dlpi_name) >= PATH_MAX)
        return 0;
    strcpy(data, info->dlpi_name);
    return 1;
}

/* Looks for PyTorch. Returns the new state. */
static int look(void) {
    char path[PATH_MAX];
    if (pinsight_process.plain)
        return NOT_WANTED;
    if (!dl_iterate_phdr(find_object, path))
        return NOT_LOOKED;
    void *library = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    if (!library)
        return NOT_WANTED;
    *(void **)&peek = dlsym(library, "_ZN2at15sequence_number4peekEv");
    *(void **)&thread_id = dlsym(library, "_ZN2at14RecordFunction15currentThreadIdEv");
    *(void **)&current_node = dlsym(library, "_ZN5torch8autograd16get_current_nodeEv");
    if (peek && thread_id && current_node)
        operations = calloc(OPERATIONS, sizeof *operations);
    return operations ? FOUND : NOT_WANTED;
}

static PINSIGHT_COLD bool find(void) {
    int expected = NOT_LOOKED, error = errno;
    if (!atomic_compare_exchange_strong(&state, &expected, LOOKING))
        return false;
    int found = look();
    atomic_store_explicit(&state, found, memory_order_release);
    errno = error;
    return found == FOUND;
}

/* Returns the place of an operation. Each thread numbers its operations. PyTorch's numbers of
 * threads are small. Returns NULL for an operation whose numbers do not fit, which is not kept. */
static _Atomic uint64_t *place_of(uint64_t sequence, uint64_t thread, uint64_t *tag) {
    if (sequence >> 40 || thread >> 8)
        return NULL;
    *tag = (sequence >> 16 | thread << 24) << 32;
    return &operations[(sequence ^ thread * 0x9E37) % OPERATIONS];
}

static void keep(struct pinsight_cuda_autograd_thread *thread, uint32_t path) {
    uint64_t next = peek(), tag = 0;
    /* Only the first launch after a new number belongs to the operation. Later ones may belong to
     * work without a gradient. */
    if (next == 0 || thread->kept == next)
        return;
    thread->kept = next;
    _Atomic uint64_t *place = place_of(next - 1, thread_id(), &tag);
    if (place)
        atomic_store_explicit(place, tag | path, memory_order_relaxed);
}

static uint32_t kept_of(const struct torch_node *node) {
    uint64_t tag = 0;
    _Atomic uint64_t *place = place_of(node->sequence, node->thread, &tag);
    uint64_t kept = place ? atomic_load_explicit(place, memory_order_relaxed) : 0;
    return kept >> 32 << 32 == tag ? (uint32_t)kept : 0;
}

uint32_t pinsight_cuda_autograd(struct pinsight_cuda_autograd_thread *thread, uint32_t path) {
    int now = atomic_load_explicit(&state, memory_order_acquire);
    /* PyTorch may be loaded later. It is looked for at a thread's first launch, its second, its
     * fourth, and so on. */
    if (now == NOT_LOOKED) {
        uint32_t before = thread->launches++;
        if ((before & (before + 1)) == 0 && find())
            now = FOUND;
    }
    if (now != FOUND)
        return 0;
    struct torch_pointer node = current_node();
    if (!node.object) {
        if (path)
            keep(thread, path);
        return 0;
    }
    uint32_t forward = kept_of(node.object);
    /* Not the last user, because the thread that evaluates the node uses it, too. */
    if (node.control)
        __atomic_sub_fetch(&node.control->users, 1, __ATOMIC_ACQ_REL);
    return forward;
}

void pinsight_cuda_autograd_fork_child(void) {
    int looking = LOOKING;
    atomic_compare_exchange_strong(&state, &looking, NOT_LOOKED);
}
