/* What is told of code by where it is: its package, and the text of its lines. */
#include "unit.h"

#include "reader/kit/packages.h"
#include "views/kit/source_text.h"

#include <sys/stat.h>
#include <unistd.h>

#define SITE "/venv/lib/python3.11/site-packages/"

static void packages(void **state) {
    (void)state;
    unit_assert_text(pinsight_package_of(SITE "pandas/core/frame.py", "x"), "pandas");
    unit_assert_text(pinsight_package_of(SITE "six.py", ""), "six");
    unit_assert_text(pinsight_package_of("/usr/lib/python3/dist-packages/yaml/loader.py", ""),
                     "yaml");
    unit_assert_text(pinsight_package_of("/usr/lib/python3.11/json/decoder.py", ""), "json");
    unit_assert_text(pinsight_package_of("/usr/lib/python3.13t/re.py", ""), "re");
    unit_assert_text(pinsight_package_of("<frozen importlib._bootstrap>", ""), "importlib");
    unit_assert_text(pinsight_package_of("<frozen os>", ""), "os");
    unit_assert_text(pinsight_package_of("<__array_function__ internals>", "numpy.core"), "numpy");
    unit_assert_text(pinsight_package_of("", "numpy.linalg"), "numpy");
    assert_null(pinsight_package_of("", ""));
    assert_null(pinsight_package_of(SITE, "x"));
}

static char *write_file(const char *text) {
    static char path[] = "/tmp/pinsight-sources-XXXXXX";
    int fd;

    strcpy(path, "/tmp/pinsight-sources-XXXXXX");
    fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
    return path;
}

static void lines(void **state) {
    (void)state;
    char *path = write_file("  first \t\r\n\n\tthe\tthird");
    struct pinsight_source_text text = {.before_ns = UINT64_MAX};

    unit_assert_text(pinsight_source_line(&text, path, 1), "first");
    unit_assert_text(pinsight_source_line(&text, path, 2), "");
    unit_assert_text(pinsight_source_line(&text, path, 3), "the third");
    assert_null(pinsight_source_line(&text, path, 4));
    assert_null(pinsight_source_line(&text, path, 0));
    assert_null(pinsight_source_line(&text, path, -1));
    assert_null(pinsight_source_line(&text, path, INT32_MAX));
    assert_int_equal(text.unread, 0);
    unlink(path);
    /* It is kept. */
    unit_assert_text(pinsight_source_line(&text, path, 1), "first");
    pinsight_source_text_clear(&text);
}

static void not_read(void **state) {
    (void)state;
    char *path = write_file("text\n");
    struct stat status;
    struct pinsight_source_text text = {.before_ns = 0};

    assert_int_equal(stat(path, &status), 0);
    text.before_ns =
        (uint64_t)status.st_mtim.tv_sec * 1000000000 + (uint64_t)status.st_mtim.tv_nsec - 1;
    assert_null(pinsight_source_line(&text, path, 1));
    FOR_TEXTS (other, "/", "/dev/zero", "/nowhere", "relative.py", "<string>", "")
        assert_null(pinsight_source_line(&text, other, 1));
    assert_null(pinsight_source_line(&text, path, 1));
    assert_int_equal(text.unread, 7);
    pinsight_source_text_clear(&text);
    text.before_ns =
        (uint64_t)status.st_mtim.tv_sec * 1000000000 + (uint64_t)status.st_mtim.tv_nsec;
    unit_assert_text(pinsight_source_line(&text, path, 1), "text");
    pinsight_source_text_clear(&text);
    unlink(path);
}

int main(void) {
    return RUN_TESTS(packages, lines, not_read);
}
