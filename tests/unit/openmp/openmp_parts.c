/* Parts of the OpenMP domain by themselves: addresses, names, counts, what a thread has begun. */
#include "openmp_test.h"

#include "tracer/core/symbol.h"
#include "tracer/openmp/thread.h"

#include <stddef.h>

enum { THREADS = 6, ADDRESSES = 3000 };

void a_function_to_be_found(void);
__attribute__((noinline)) void a_function_to_be_found(void) {
    __asm__ volatile("nop; nop; nop; nop");
}

static void functions_have_names(void **state) {
    (void)state;
    struct pinsight_symbol symbol;
    pinsight_symbol_find((const char *)(uintptr_t)a_function_to_be_found + 2, &symbol);
    assert_string_equal(symbol.name, "a_function_to_be_found");
    assert_non_null(strstr(symbol.object, "openmp_parts"));
    pinsight_symbol_free(&symbol);
}

static void what_is_no_code_has_none(void **state) {
    (void)state;
    int here;
    const void *const addresses[] = {(const void *)1, &here, (const void *)UINTPTR_MAX};
    for (int i = 0; i < 3; i++) {
        struct pinsight_symbol symbol;
        pinsight_symbol_find(addresses[i], &symbol);
        assert_string_equal(symbol.name, "?");
        assert_string_equal(symbol.object, "?");
        assert_int_equal(symbol.offset, (uintptr_t)addresses[i]);
        pinsight_symbol_free(&symbol);
    }
}

static struct pinsight_native_lexgion *find(struct pinsight_native_cache *cache, const void *code) {
    return pinsight_native_lexgion_find(&pinsight_omp_native, cache, code, NULL);
}

static struct pinsight_native_lexgion *found[THREADS][ADDRESSES];
static char addresses[ADDRESSES];

static void *look(void *argument) {
    struct pinsight_native_lexgion **mine = argument;
    struct pinsight_native_cache cache = {0};
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < ADDRESSES; i++)
            mine[i] = find(&cache, &addresses[i]);
    return NULL;
}

static void threads_agree_on_addresses(void **state) {
    (void)state;
    threads_run(THREADS, look, found, sizeof(*found));
    for (int i = 0; i < ADDRESSES; i++) {
        assert_non_null(found[0][i]);
        assert_int_equal(found[0][i]->codeptr, (uintptr_t)&addresses[i]);
        assert_ptr_equal(by_id(found[0][i]->state.id), found[0][i]);
        for (int thread = 1; thread < THREADS; thread++)
            assert_ptr_equal(found[thread][i], found[0][i]);
    }
    assert_null(by_id(0));
    assert_null(by_id(ADDRESSES + 100));
    assert_null(by_id(UINT32_MAX));
}

/* An address of an object that is still there keeps its number. */
static void an_address_keeps_its_number(void **state) {
    (void)state;
    struct pinsight_native_cache cache = {0};
    struct pinsight_native_lexgion *before = find(&cache, CODE(1));
    pinsight_objects_unloaded();
    assert_ptr_equal(find(&cache, CODE(1)), before);
    assert_null(find(&cache, NULL));
}

static void a_recursion_is_a_path(void **state) {
    (void)state;
    struct pinsight_engine *engine = &pinsight_omp_native.engine;
    struct pinsight_engine_thread *thread = &pinsight_omp_thread()->native.engine;
    struct pinsight_count_tree *tree = &thread->core->counts;
    struct pinsight_native_cache cache = {0};
    struct pinsight_lexgion *lexgion = &find(&cache, CODE(2))->state;
    struct pinsight_lexgion *other = &find(&cache, CODE(3))->state;
    struct pinsight_counted_call outer, inner, innermost, none;
    pinsight_count_begin(engine, thread, &outer, lexgion, 0);
    outer.start = 1000;
    pinsight_count_begin(engine, thread, &inner, other, 0);
    inner.start = 1100;
    pinsight_count_begin(engine, thread, &innermost, lexgion, 0);
    innermost.start = 1200;
    const struct pinsight_count_node *path[] = {outer.node, inner.node, innermost.node};
    pinsight_count_begin(engine, thread, &none, NULL, 0);
    pinsight_count_end(thread, &none, 1250);
    pinsight_count_end(thread, &innermost, 1300);
    pinsight_count_end(thread, &inner, 1600);
    pinsight_count_end(thread, &outer, 2000);
    assert_ptr_equal(path[2]->parent, path[1]);
    assert_ptr_equal(path[1]->parent, path[0]);
    assert_ptr_equal(path[0]->parent, &tree->root);
    for (unsigned i = 0; i < 3; i++) {
        static const uint64_t inclusive[] = {1000, 500, 100}, children[] = {500, 100, 0};
        assert_int_equal(path[i]->calls, 1);
        assert_int_equal(path[i]->inclusive, inclusive[i]);
        assert_int_equal(path[i]->children, children[i]);
    }
    assert_null(thread->counted);
    assert_ptr_equal(tree->innermost, &tree->root);
}

/* What was begun is found by kind and key, and not below the context that is on top. */
static void begun_things_are_found(void **state) {
    (void)state;
    struct pinsight_ompt_thread *thread = pinsight_omp_thread();
    struct pinsight_omp_open got;
    for (uint64_t i = 0; i < 100; i++) {
        struct pinsight_omp_open *open = pinsight_omp_open(thread);
        assert_non_null(open);
        *open = (struct pinsight_omp_open){
            .kind = i % 2 ? PINSIGHT_OPENMP_KIND_MUTEX : PINSIGHT_OPENMP_KIND_WORK, .key = i};
    }
    assert_true(pinsight_omp_close(thread, PINSIGHT_OPENMP_KIND_MUTEX, 51, &got));
    assert_int_equal(got.key, 51);
    assert_false(pinsight_omp_close(thread, PINSIGHT_OPENMP_KIND_MUTEX, 51, &got));
    assert_true(pinsight_omp_close(thread, PINSIGHT_OPENMP_KIND_WORK, 0, &got));
    assert_int_equal(got.key, 98);
    uint64_t task = thread->task;
    assert_non_null(pinsight_omp_push(thread));
    thread->task = 77;
    assert_false(pinsight_omp_close(thread, PINSIGHT_OPENMP_KIND_WORK, 0, &got));
    pinsight_omp_pop(thread);
    assert_int_equal(thread->task, task);
    for (int i = 0; i < 49; i++)
        assert_true(pinsight_omp_close(thread, PINSIGHT_OPENMP_KIND_WORK, 0, &got));
    for (int i = 0; i < 49; i++)
        assert_true(pinsight_omp_close(thread, PINSIGHT_OPENMP_KIND_MUTEX, 0, &got));
    assert_int_equal(thread->open_count, 0);
}

static void *number(void *argument) {
    uint64_t *ids = argument;
    struct pinsight_ompt_thread *thread = pinsight_omp_thread();
    for (int i = 0; i < ADDRESSES; i++)
        ids[i] = pinsight_omp_new_id(thread);
    return NULL;
}

static int ascending(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void numbers_are_of_one_thread(void **state) {
    (void)state;
    static uint64_t ids[THREADS * ADDRESSES];
    threads_run(THREADS, number, ids, ADDRESSES * sizeof(*ids));
    qsort(ids, THREADS * ADDRESSES, sizeof *ids, ascending);
    assert_true(ids[0] > 0);
    for (int i = 1; i < THREADS * ADDRESSES; i++)
        assert_true(ids[i] > ids[i - 1]);
}

/* Members read a region in a cache that the next begin of the region leaves valid. */
static void a_region_that_begins_again_has_another_number_alone(void **state) {
    (void)state;
    enum { TIMES = 3 * PINSIGHT_OMP_REGION_BYTES };
    static uint64_t numbers[TIMES];
    char shared[offsetof(struct pinsight_ompt_region, parallel_id)];
    struct pinsight_ompt_thread *thread = pinsight_omp_thread();
    unsigned changes = 0;
    for (int i = 0; i < TIMES; i++) {
        struct pinsight_ompt_region *region =
            pinsight_omp_region_begins(thread, 2, ompt_parallel_team, CODE(0));
        const void *handle = pinsight_omp_handle(region);
        assert_ptr_equal(pinsight_omp_region_of(handle), region);
        assert_int_equal(pinsight_omp_number_of(handle), region->parallel_id);
        changes += i > 0 && memcmp(shared, region, sizeof shared) != 0;
        memcpy(shared, region, sizeof shared);
        numbers[i] = region->parallel_id;
        pinsight_omp_region_ends(thread, region);
    }
    assert_in_range(changes, 2, 3);
    qsort(numbers, TIMES, sizeof *numbers, ascending);
    for (int i = 1; i < TIMES; i++)
        assert_true(numbers[i] > numbers[i - 1]);
}

/* GOMP_parallel_reductions() reads a pointer where the handle points to. */
static void a_region_with_new_numbers_is_its_handle(void **state) {
    (void)state;
    struct pinsight_ompt_thread *thread = pinsight_omp_thread();
    for (int i = 0; i < 3; i++) {
        pinsight_omp_renumber_next(thread, CODE(0));
        struct pinsight_ompt_region *region =
            pinsight_omp_region_begins(thread, 2, ompt_parallel_team, CODE(0));
        assert_ptr_equal(pinsight_omp_handle(region), region);
        pinsight_omp_region_ends(thread, region);
    }
}

static int start(void **state) {
    (void)state;
    return stub_load() ? 0 : -1;
}

int main(void) {
    return RUN_TESTS_GROUP(start, NULL, functions_have_names, what_is_no_code_has_none,
                           threads_agree_on_addresses, an_address_keeps_its_number,
                           a_recursion_is_a_path, begun_things_are_found, numbers_are_of_one_thread,
                           a_region_that_begins_again_has_another_number_alone,
                           a_region_with_new_numbers_is_its_handle);
}
