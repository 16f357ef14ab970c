/* Unit test of redirected calls: several threads write to pages that are read-only in between. */
#include "base/got.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "unit.h"

enum { VISITS = 200 };

static atomic_uint written;

/* Writes each function's address again. */
static void *same(const struct pinsight_got_slot *slot, void *data) {
    (void)data;
    if (slot->is_data || !slot->value)
        return NULL;
    atomic_fetch_add(&written, 1);
    return slot->value;
}

static int note(struct dl_phdr_info *info, size_t size, void *data) {
    (void)size;
    if (!strstr(info->dlpi_name, "libcmocka"))
        return 0;
    *(struct dl_phdr_info *)data = *info;
    return 1;
}

static void *visit(void *info) {
    for (int i = 0; i < VISITS; i++)
        pinsight_got_visit(info, same, NULL);
    return NULL;
}

static void threads_write_at_once(void **state) {
    struct dl_phdr_info info = {0};
    pthread_t threads[2];
    (void)state;
    assert_int_equal(dl_iterate_phdr(note, &info), 1);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, visit, &info), 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert_true(atomic_load(&written) >= 2 * VISITS);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(threads_write_at_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
