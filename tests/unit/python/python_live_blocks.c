/* Blocks that live, beside a list that is searched. */
#include "tracer/python/live_blocks.h"

#include "unit.h"

#include <stdlib.h>

#define MOST 3000

/* The same, plainly. */
static struct pinsight_live_block model[MOST];
static size_t count;

static size_t find(uintptr_t address) {
    size_t at = 0;

    while (at < count && model[at].address != address)
        at++;
    return at;
}

static void put(struct pinsight_live_blocks *blocks, uintptr_t address, uint32_t owner,
                size_t size) {
    struct pinsight_live_block block = {address, owner, pinsight_live_code(size)}, old;
    size_t at = find(address);

    assert_true(pinsight_live_put(blocks, block, &old));
    assert_int_equal(old.address, at < count ? address : 0);
    if (at < count)
        assert_int_equal(old.owner, model[at].owner);
    model[at] = block;
    count += at == count;
    assert_int_equal(blocks->count, count);
}

static void take(struct pinsight_live_blocks *blocks, uintptr_t address) {
    struct pinsight_live_block block = pinsight_live_take(blocks, (const void *)address);
    size_t at = find(address);

    if (at == count) {
        assert_int_equal(block.address, 0);
    } else {
        assert_int_equal(block.address, address);
        assert_int_equal(block.owner, model[at].owner);
        assert_int_equal(block.coded_size, model[at].coded_size);
        model[at] = model[--count];
    }
    assert_int_equal(blocks->count, count);
}

/* Addresses from few on: many are put in, taken out, and put in again, and lie beside each other.
 */
static void random_blocks(void **state) {
    struct pinsight_live_blocks blocks = {0};

    (void)state;
    srand(1);
    for (unsigned i = 0; i < 60000; i++) {
        uintptr_t address = 16 * (1 + (uintptr_t)rand() % MOST);

        if (rand() % 100 < (i / 10000 % 2 ? 30 : 60))
            put(&blocks, address, (uint32_t)i, (size_t)rand() % 100000);
        else
            take(&blocks, address);
    }
    while (count)
        take(&blocks, model[0].address);
    pinsight_live_clear(&blocks);
    assert_int_equal(blocks.count, 0);
}

static void nothing(void **state) {
    struct pinsight_live_blocks blocks = {0};

    (void)state;
    take(&blocks, 16);
    put(&blocks, 16, 1, 1);
    take(&blocks, 0);
    take(&blocks, 16);
    take(&blocks, 16);
    pinsight_live_clear(&blocks);
}

static void sizes(void **state) {
    static const size_t exact[] = {0, 1, 4096, INT32_MAX};
    static const size_t rounded[] = {(size_t)INT32_MAX + 1, (size_t)5 << 30, ((size_t)1 << 40) + 1};

    (void)state;
    for (size_t i = 0; i < sizeof(exact) / sizeof(*exact); i++)
        assert_true(pinsight_live_size(&(struct pinsight_live_block){
                        .coded_size = pinsight_live_code(exact[i])}) == exact[i]);
    for (size_t i = 0; i < sizeof(rounded) / sizeof(*rounded); i++) {
        uint64_t size = pinsight_live_size(
            &(struct pinsight_live_block){.coded_size = pinsight_live_code(rounded[i])});

        assert_true(size >= rounded[i] && size < rounded[i] + 4096);
    }
}

int main(void) {
    return RUN_TESTS(random_blocks, nothing, sizes);
}
