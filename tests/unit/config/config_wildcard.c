/* Shell wildcards in names. */
#include "config_test.h"

#include "config/wildcard.h"

static void test_match(void **state) {
    static const struct {
        const char *pattern, *text;
        bool matches;
    } cases[] = {
        {"", "", true},
        {"", "a", false},
        {"*", "", true},
        {"*", "a/b", true},
        {"a*c", "abc", true},
        {"a*c", "ab", false},
        {"*a*b*", "xaxb", true},
        {"?", "", false},
        {"?", "\xc3\xa4", true},
        {"??", "\xc3\xa4", false},
        {"[ab]", "b", true},
        {"[!ab]", "b", false},
        {"[^a]", "b", true},
        {"[a-c]x", "bx", true},
        {"[a-c]", "d", false},
        {"[]a]", "]", true},
        {"[a", "[a", true},
        {"[a-]", "-", true},
        {"[\xc3\xa4]", "\xc3\xa4", true},
        {"[\xc3\xa4]", "\xc3\xb6", false},
        {"[\xc3\xa4-\xc3\xb6]", "\xc3\xa5", true},
        {"[!\xc3\xa4]", "\xc3\xb6", true},
        {"*[!\xc3\xa4]", "\xc3\xa4", false},
        {"*\xa4?",
         "a\xa4"
         "b",
         true},
        {"\\*", "*", true},
        {"\\*", "a", false},
        {"a\\", "a\\", true},
        {"A", "a", false},
        {"a**b", "ab", true},
        {"*.py", "x.pyc", false},
        {"*b", "abab", true},
        {"a?", "a", false},
        {"<*>", "<module>", true},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (pinsight_config_wildcard(cases[i].pattern, cases[i].text) != cases[i].matches)
            fail_msg("'%s' and '%s'", cases[i].pattern, cases[i].text);
}

static void test_paths(void **state) {
    static const char *const matching[][2] = {
        {"a.py", "/x/a.py"},
        {"a.py", "a.py"},
        {"x/a.py", "/y/x/a.py"},
        {"/y/*.py", "/y/x/a.py"},
        {"site-packages/numpy/*", "/v/lib/site-packages/numpy/linalg/_linalg.py"},
        {"<stdin>", "<stdin>"},
        {"<a/b>", "<a/b>"},
        {"<frozen *>", "<frozen importlib._bootstrap>"}};
    static const char *const others[][2] = {
        {"a.py", "/x/ba.py"}, {"x/a.py", "/y/xx/a.py"}, {"/x/a.py", "/y/x/a.py"}};

    (void)state;
    for (size_t i = 0; i < sizeof matching / sizeof *matching; i++)
        assert_true(pinsight_config_wildcard_path(matching[i][0], matching[i][1]));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(pinsight_config_wildcard_path(others[i][0], others[i][1]));
}

/* Many stars do not make it slow. */
static void test_no_explosion(void **state) {
    char pattern[401], text[2001];

    (void)state;
    for (size_t i = 0; i < 400; i += 2)
        memcpy(pattern + i, "a*", 2);
    strcpy(pattern + 399, "b");
    memset(text, 'a', 2000);
    text[2000] = '\0';
    assert_false(pinsight_config_wildcard(pattern, text));
}

static void test_letters(void **state) {
    bool exact = true;

    (void)state;
    assert_int_equal(pinsight_config_wildcard_letters("ab\\*", &exact), 3);
    assert_true(exact);
    assert_int_equal(pinsight_config_wildcard_letters("a[bc]?*d", &exact), 2);
    assert_false(exact);
}

int main(void) {
    return RUN_TESTS(test_match, test_paths, test_no_explosion, test_letters);
}
