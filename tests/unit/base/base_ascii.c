/* Text for screens whose character set is not UTF-8. */
#include "unit.h"

#include "base/ascii.h"
#include "base/text.h"

#include <errno.h>
#include <stdlib.h>

static void set_locale(const char *all, const char *type, const char *lang) {
    unsetenv("LC_ALL");
    unsetenv("LC_CTYPE");
    unsetenv("LANG");
    if (all)
        setenv("LC_ALL", all, 1);
    if (type)
        setenv("LC_CTYPE", type, 1);
    if (lang)
        setenv("LANG", lang, 1);
}

static bool wanted(const char *all, const char *type, const char *lang) {
    set_locale(all, type, lang);
    return pinsight_ascii_wanted();
}

static void locales(void **state) {
    (void)state;
    assert_false(wanted(NULL, NULL, NULL));
    assert_true(wanted("C", NULL, "de_DE.UTF-8"));
    assert_true(wanted("POSIX", NULL, NULL));
    assert_false(wanted("C.UTF-8", NULL, NULL));
    assert_false(wanted("C.utf8", NULL, NULL));
    assert_false(wanted("", "", "en_US.UTF-8"));
    assert_true(wanted(NULL, NULL, "en_US.ISO-8859-1"));
    assert_true(wanted(NULL, "de_DE.ISO8859-15", "de_DE.UTF-8"));
    assert_false(wanted("de_DE.UTF-8", "C", "C"));
    assert_false(wanted(NULL, NULL, "en_US"));
}

#define assert_ascii(text, expected) unit_assert_text(pinsight_ascii(text), expected)

static void signs(void **state) {
    (void)state;
    assert_ascii("", "");
    assert_ascii("plain ~text\n", "plain ~text\n");
    assert_ascii("3 × 12 µs · a → b …", "3 x 12 us - a -> b ...");
    assert_ascii(" • │ ├ └", " * | | `");
    assert_ascii("wörker 日", "w\\u{f6}rker \\u{65e5}");
    assert_ascii("😀", "\\u{1f600}");
    assert_ascii("bad\xff\xc3", "bad\\xff\\xc3");
}

static void shown(void **state) {
    char *text = strdup("12 µs");

    (void)state;
    set_locale("C.UTF-8", NULL, NULL);
    assert_ptr_equal(pinsight_ascii_shown(text), text);
    set_locale("C", NULL, NULL);
    text = pinsight_ascii_shown(text);
    assert_string_equal(text, "12 us");
    free(text);
}

/* Cut texts have an ellipsis of the screen's, which is as wide as it says. */
static void cutting(void **state) {
    char text[64] = "numpy/linalg/_linalg.py", end[64] = "kernel<4, float>";

    (void)state;
    set_locale("C", NULL, NULL);
    pinsight_text_cut(text, 12);
    assert_string_equal(text, "...linalg.py");
    pinsight_text_cut_end(end, 10);
    assert_string_equal(end, "kernel<...");
}

/* A character may come in two parts. */
static void streams(void **state) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size), *screen;

    (void)state;
    set_locale("C.UTF-8", NULL, NULL);
    assert_ptr_equal(pinsight_ascii_open(out), out);
    set_locale("C", NULL, NULL);
    screen = pinsight_ascii_open(out);
    assert_ptr_not_equal(screen, out);
    assert_ptr_equal(pinsight_ascii_behind(screen), out);
    assert_ptr_equal(pinsight_ascii_behind(stdout), stdout);
    fputs("1 \xc2", screen);
    fflush(screen);
    fputs("\xb5s \xe2", screen);
    fflush(screen);
    fputs("\x86", screen);
    fflush(screen);
    fputs("\x92 \xf0\x9f\x98\x80 \xe2\x86", screen);
    assert_int_equal(pinsight_ascii_close(screen, out), 0);
    fclose(out);
    assert_string_equal(text, "1 us -> \\u{1f600} \\xe2\\x86");
    free(text);
}

static void full_disks(void **state) {
    FILE *out = fopen("/dev/full", "w"), *screen;

    (void)state;
    set_locale("C", NULL, NULL);
    screen = pinsight_ascii_open(out);
    fputs("text", screen);
    assert_int_equal(pinsight_ascii_close(screen, out), -1);
    assert_int_equal(errno, ENOSPC);
    fclose(out);
}

int main(void) {
    return RUN_TESTS(locales, signs, shown, cutting, streams, full_disks);
}
