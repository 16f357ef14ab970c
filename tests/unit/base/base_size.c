/* Sizes as users write them. */
#include "unit.h"

#include "base/size.h"

static void test_sizes_are_read(void **state) {
    static const struct {
        const char *text;
        uint64_t size;
    } cases[] = {
        {"0", 0},
        {"1", 1},
        {"4096", 4096},
        {"256K", 256 << 10},
        {"256k", 256 << 10},
        {"4M", 4 << 20},
        {"2G", UINT64_C(2) << 30},
        {"1T", UINT64_C(1) << 40},
        {"1KB", 1024},
        {"1KiB", 1024},
        {"1kib", 1024},
        {"18446744073709551615", UINT64_MAX},
        {"16777215T", UINT64_C(16777215) << 40},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        uint64_t size = 77;
        assert_true(pinsight_size_parse(cases[i].text, &size));
        assert_true(size == cases[i].size);
    }
}

static void test_other_text_is_refused(void **state) {
    (void)state;
    FOR_TEXTS (text, "", "K", "-1", "+1", " 1", "1 ", "1 K", "1.5G", "0x10", "1KK", "1Kib2", "12X",
               "1e6", "1K K", "ten", "1B", "18446744073709551616", "16777216T", "1024P",
               "99999999999999999999999") {
        uint64_t size = 77;
        assert_false(pinsight_size_parse(text, &size));
        assert_true(size == 77);
    }
}

static void test_powers_of_two(void **state) {
    (void)state;
    assert_true(pinsight_size_power_of_two(0) == 1);
    assert_true(pinsight_size_power_of_two(1) == 1);
    assert_true(pinsight_size_power_of_two(4095) == 4096);
    assert_true(pinsight_size_power_of_two(4096) == 4096);
    assert_true(pinsight_size_power_of_two(4097) == 8192);
    assert_true(pinsight_size_power_of_two(UINT64_MAX) == UINT64_C(1) << 63);
}

static void test_sizes_are_printed(void **state) {
    char text[32];

    (void)state;
    assert_string_equal(pinsight_size_format(0, text, sizeof(text)), "0");
    assert_string_equal(pinsight_size_format(1000, text, sizeof(text)), "1000");
    assert_string_equal(pinsight_size_format(1024, text, sizeof(text)), "1K");
    assert_string_equal(pinsight_size_format(3 << 19, text, sizeof(text)), "1536K");
    assert_string_equal(pinsight_size_format(UINT64_C(2) << 30, text, sizeof(text)), "2G");
    assert_string_equal(pinsight_size_format(UINT64_C(1) << 50, text, sizeof(text)), "1024T");
}

int main(void) {
    return RUN_TESTS(test_sizes_are_read, test_other_text_is_refused, test_powers_of_two,
                     test_sizes_are_printed);
}
