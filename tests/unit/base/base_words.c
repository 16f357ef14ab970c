/* Words that a user meant. */
#include "unit.h"

#include "base/words.h"

static const char *const verbs[] = {"run", "report", "dump", "help", "--version", NULL};

static void test_nearest(void **state) {
    (void)state;
    assert_string_equal(pinsight_word_meant("rum", verbs), "run");
    assert_string_equal(pinsight_word_meant("urn", verbs), "run");
    assert_string_equal(pinsight_word_meant("RUN", verbs), "run");
    assert_string_equal(pinsight_word_meant("reprot", verbs), "report");
    assert_string_equal(pinsight_word_meant("rep", verbs), "report");
    assert_string_equal(pinsight_word_meant("dumps", verbs), "dump");
    assert_string_equal(pinsight_word_meant("--vesion", verbs), "--version");
    assert_null(pinsight_word_meant("frobnicate", verbs));
    assert_null(pinsight_word_meant("python3", verbs));
    assert_null(pinsight_word_meant("", verbs));
}

static void test_very_long_words(void **state) {
    char word[4000];

    (void)state;
    memset(word, 'r', sizeof(word) - 1);
    word[sizeof(word) - 1] = '\0';
    assert_null(pinsight_word_meant(word, verbs));
}

static void test_find(void **state) {
    (void)state;
    assert_string_equal(pinsight_word_find("Report,x", 6, verbs), "report");
    assert_null(pinsight_word_find("repor", 5, verbs));
    assert_null(pinsight_word_find("", 0, verbs));
}

static void test_list(void **state) {
    static const char *const one[] = {"a", NULL}, *const two[] = {"a", "b", NULL};
    char text[64], small[8];

    (void)state;
    assert_string_equal(pinsight_word_list(one, text, sizeof(text)), "a");
    assert_string_equal(pinsight_word_list(two, text, sizeof(text)), "a or b");
    assert_string_equal(pinsight_word_list(verbs, text, sizeof(text)),
                        "run, report, dump, help or --version");
    assert_string_equal(pinsight_word_list(verbs, small, sizeof(small)), "run, re");
}

int main(void) {
    return RUN_TESTS(test_nearest, test_very_long_words, test_find, test_list);
}
