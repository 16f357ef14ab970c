/* How a page keeps data: numbers, base64, and blocks where there is no zlib. That zlib's own output
 * is read back is tested with a page. */
#include "unit.h"

#include "views/page/pack.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void numbers_have_seven_bits_a_byte(void **state) {
    static const uint8_t expected[] = {0, 127, 0x80, 1, 0xac, 2, 6, 5};
    struct page_bytes bytes = {0};

    (void)state;
    page_bytes_number(&bytes, 0);
    page_bytes_number(&bytes, 127);
    page_bytes_number(&bytes, 128);
    page_bytes_number(&bytes, 300);
    page_bytes_difference(&bytes, 10, 13);
    page_bytes_difference(&bytes, 13, 10);
    assert_int_equal(bytes.count, sizeof(expected));
    assert_memory_equal(bytes.bytes, expected, sizeof(expected));
    page_bytes_clear(&bytes);
    page_bytes_number(&bytes, UINT64_MAX);
    assert_int_equal(bytes.count, 10);
    page_bytes_clear(&bytes);
}

static void base64_is_that_of_the_rfc(void **state) {
    static const char *const pairs[][2] = {
        {"", ""},        {"f", "Zg=="},        {"fo", "Zm8="},
        {"foo", "Zm9v"}, {"foob", "Zm9vYg=="}, {"foobar", "Zm9vYmFy"}};

    (void)state;
    for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
        char text[64] = "";
        FILE *out = fmemopen(text, sizeof(text), "w");

        page_base64(out, (const uint8_t *)pairs[i][0], strlen(pairs[i][0]));
        fclose(out);
        assert_string_equal(text, pairs[i][1]);
    }
}

/* Blocks of up to 65,535 bytes, each with its length twice. */
static void what_is_stored_is_whole(void **state) {
    const size_t size = 150000;
    uint8_t *bytes = malloc(size), *stored;
    size_t length, at = 2, read = 0;

    (void)state;
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)(i * 7 >> 3);
    stored = page_deflate_stored(bytes, size, &length);
    assert_int_equal((stored[0] << 8 | stored[1]) % 31, 0);
    for (bool last = false; !last;) {
        const size_t block = stored[at + 1] | (size_t)stored[at + 2] << 8;

        last = stored[at];
        assert_int_equal(block ^ (stored[at + 3] | (size_t)stored[at + 4] << 8), 0xffff);
        assert_memory_equal(stored + at + 5, bytes + read, block);
        at += 5 + block;
        read += block;
    }
    assert_int_equal(read, size);
    assert_int_equal(at + 4, length);
    free(stored);
    free(bytes);
    stored = page_deflate_stored("", 0, &length);
    assert_int_equal(length, 11);
    free(stored);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_have_seven_bits_a_byte),
        cmocka_unit_test(base64_is_that_of_the_rfc),
        cmocka_unit_test(what_is_stored_is_whole),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
