/* The forward operations of PyTorch's backward passes, on a fake of libtorch_cpu.so. */
#include "threads.h"

#include "tracer/core/process.h"
#include "tracer/cuda/autograd.h"

#include <dlfcn.h>

struct pinsight_own_process pinsight_process;

static void (*forward)(uint64_t thread, uint64_t next);
static void (*backward)(uint64_t thread, uint64_t sequence);
static int (*users)(void);

enum { OPERATIONS = 70000 };

/* PyTorch comes later: nothing is known before. */
static void without_pytorch(void **state) {
    struct pinsight_cuda_autograd_thread thread = {0};
    (void)state;
    for (int i = 0; i < 100; i++)
        assert_int_equal(pinsight_cuda_autograd(&thread, 5), 0);
}

static void load(void **state) {
    void *library = dlopen(FAKE_TORCH, RTLD_NOW);
    (void)state;
    assert_non_null(library);
    *(void **)&forward = dlsym(library, "fake_torch_forward");
    *(void **)&backward = dlsym(library, "fake_torch_backward");
    *(void **)&users = dlsym(library, "fake_torch_users");
    assert_true(forward && backward && users);
}

/* A launch in the backward pass gets the path of its operation; nothing is left behind. */
static void a_launch_has_its_operation(void **state) {
    struct pinsight_cuda_autograd_thread main = {0}, other = {0};
    (void)state;
    for (uint64_t next = 1; next <= 20; next++) { /* operation 0 to 19 */
        forward(1, next);
        assert_int_equal(pinsight_cuda_autograd(&main, (uint32_t)(100 + next)), 0);
        /* A later launch is of something that has no gradient. */
        assert_int_equal(pinsight_cuda_autograd(&main, 999), 0);
    }
    for (uint64_t sequence = 20; sequence--;) {
        backward(1, sequence);
        assert_int_equal(pinsight_cuda_autograd(&other, 0), 101 + sequence);
        assert_int_equal(pinsight_cuda_autograd(&other, 0), 101 + sequence);
        assert_int_equal(users(), 1);
    }
    backward(1, UINT64_MAX); /* AccumulateGrad */
    assert_int_equal(pinsight_cuda_autograd(&other, 0), 0);
    backward(1, 12345);
    assert_int_equal(pinsight_cuda_autograd(&other, 0), 0);
    assert_int_equal(users(), 1);
}

/* Threads number for themselves; a launch without Python keeps nothing. */
static void threads_are_told_apart(void **state) {
    struct pinsight_cuda_autograd_thread one = {0}, two = {0}, third = {0};
    (void)state;
    forward(3, 6);
    pinsight_cuda_autograd(&one, 31);
    forward(4, 6);
    pinsight_cuda_autograd(&two, 41);
    forward(5, 6);
    pinsight_cuda_autograd(&third, 0);
    backward(3, 5);
    assert_int_equal(pinsight_cuda_autograd(&third, 0), 31);
    backward(4, 5);
    assert_int_equal(pinsight_cuda_autograd(&third, 7), 41);
    backward(5, 5);
    assert_int_equal(pinsight_cuda_autograd(&third, 0), 0);
}

/* What is long ago is not known any more, and never another's. */
static void what_is_long_ago_is_forgotten(void **state) {
    struct pinsight_cuda_autograd_thread main = {0};
    unsigned known = 0;
    (void)state;
    for (uint64_t next = 1; next <= OPERATIONS; next++) {
        forward(9, next);
        pinsight_cuda_autograd(&main, (uint32_t)next);
    }
    for (uint64_t sequence = 0; sequence < OPERATIONS; sequence++) {
        backward(9, sequence);
        uint32_t path = pinsight_cuda_autograd(&main, 0);
        assert_true(path == 0 || path == sequence + 1);
        known += path != 0;
    }
    assert_true(known >= 65000 && known <= 65536);
}

static void *one_thread(void *number) {
    struct pinsight_cuda_autograd_thread thread = {0};
    uint64_t own = (uintptr_t)number;
    for (uint64_t next = 1; next <= 3000; next++) {
        forward(own, next);
        pinsight_cuda_autograd(&thread, (uint32_t)(own * 100000 + next));
        backward(own, next - 1);
        uint32_t path = pinsight_cuda_autograd(&thread, 0);
        if (path && path != own * 100000 + next)
            return (void *)1;
    }
    return NULL;
}

static void several_threads(void **state) {
    (void)state;
    threads_run(4, one_thread, (void *)20, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_pytorch),
        cmocka_unit_test(load),
        cmocka_unit_test(a_launch_has_its_operation),
        cmocka_unit_test(threads_are_told_apart),
        cmocka_unit_test(what_is_long_ago_is_forgotten),
        cmocka_unit_test(several_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
