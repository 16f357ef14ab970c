/* Parts of the OpenMP domain by themselves: addresses, names, counts, what a thread has begun. */
#include "openmp_test.h"

#include "core/symbol.h"
#include "domains/openmp/thread.h"

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
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, look, found[i]), 0);
    join_threads(threads, THREADS);
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

static void recursion_counts_its_time_once(void **state) {
    (void)state;
    struct pinsight_thread_counts *counts = &pinsight_omp_thread()->native.engine.counts;
    struct pinsight_native_cache cache = {0};
    struct pinsight_lexgion *lexgion = &find(&cache, CODE(2))->state;
    struct pinsight_lexgion *other = &find(&cache, CODE(3))->state;
    struct pinsight_counted_call outer, inner, innermost, none;
    pinsight_count_begin(&pinsight_omp_native.engine, counts, &outer, lexgion);
    outer.start = 1000;
    pinsight_count_begin(&pinsight_omp_native.engine, counts, &inner, other);
    inner.start = 1100;
    pinsight_count_begin(&pinsight_omp_native.engine, counts, &innermost, lexgion);
    innermost.start = 1200;
    pinsight_count_begin(&pinsight_omp_native.engine, counts, &none, NULL);
    pinsight_count_end(counts, &none, 1250);
    pinsight_count_end(counts, &innermost, 1300);
    pinsight_count_end(counts, &inner, 1600);
    pinsight_count_end(counts, &outer, 2000);
    const struct pinsight_call_count *count = &counts->at[lexgion->slot];
    assert_int_equal(count->calls, 2);
    assert_int_equal(count->inclusive, 1000);
    assert_int_equal(count->exclusive, 500 + 100);
    count = &counts->at[other->slot];
    assert_int_equal(count->calls, 1);
    assert_int_equal(count->inclusive, 500);
    assert_int_equal(count->exclusive, 400);
    assert_null(counts->innermost);
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
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, number, &ids[i * ADDRESSES]), 0);
    join_threads(threads, THREADS);
    qsort(ids, THREADS * ADDRESSES, sizeof *ids, ascending);
    assert_true(ids[0] > 0);
    for (int i = 1; i < THREADS * ADDRESSES; i++)
        assert_true(ids[i] > ids[i - 1]);
}

static int start(void **state) {
    (void)state;
    return stub_load() ? 0 : -1;
}

int main(void) {
    return RUN_TESTS_GROUP(start, NULL, functions_have_names, what_is_no_code_has_none,
                           threads_agree_on_addresses, an_address_keeps_its_number,
                           recursion_counts_its_time_once, begun_things_are_found,
                           numbers_are_of_one_thread);
}
