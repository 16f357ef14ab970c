/* Which extension belongs to an interpreter, what is there, and messages that are said once. */
#include "unit.h"

#include "tracer/preload/libc/libc.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];

static int make_folder(void **state) {
    (void)state;
    strcpy(folder, "/tmp/pinsight-preload-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    char command[128];
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    return system(command);
}

static void put(const char *name) {
    char path[256];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    int fd = open(path, O_WRONLY | O_CREAT, 0644);
    assert_int_not_equal(fd, -1);
    close(fd);
}

static void tags(void **state) {
    (void)state;
    static const struct {
        const char *version, *tag;
    } cases[] = {
        {"3.8.18 (default, May  9 2026, 07:33:04) \n[GCC 12.2.0]", "3.8"},
        {"3.12.1 (main, May  9 2026, 07:36:11) [GCC 12.2.0]", "3.12"},
        {"3.13.0 experimental free-threading build (main, Oct  7 2024) [GCC 12.2.0]", "3.13t"},
        {"3.14.0 free-threading build (main)", "3.14t"},
        {"3.15.0a1+ (heads/main:1234)", "3.15"},
        {"3.9", "3.9"},
    };
    char tag[16];
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_true(pinsight_python_tag(cases[i].version, tag, sizeof(tag)));
        assert_string_equal(tag, cases[i].tag);
    }
    assert_false(pinsight_python_tag("", tag, sizeof(tag)));
    assert_string_equal(tag, "");
    assert_false(pinsight_python_tag("main", tag, sizeof(tag)));
    assert_false(pinsight_python_tag("3.x", tag, sizeof(tag)));
    char small[4];
    assert_false(pinsight_python_tag("3.12.1 (main)", small, sizeof(small)));
    assert_true(pinsight_python_tag("3.8.1 (main)", small, sizeof(small)));
}

static void domains(void **state) {
    static const char *const with[] = {NULL, "", "Python", "openmp, PYTHON ,mpi", ",,python,"};
    static const char *const without[] = {"openmp", "pythonic,py", " , "};

    (void)state;
    for (size_t i = 0; i < sizeof(with) / sizeof(*with); i++)
        assert_true(pinsight_domain_wanted(with[i], "python"));
    for (size_t i = 0; i < sizeof(without) / sizeof(*without); i++)
        assert_false(pinsight_domain_wanted(without[i], "python"));
}

static void extensions(void **state) {
    (void)state;
    char list[64];
    pinsight_extensions_there("/no-such-place", list, sizeof(list));
    assert_string_equal(list, "none");
    pinsight_extensions_there(folder, list, sizeof(list));
    assert_string_equal(list, "none");
    put("libpinsight.so.0");
    put("_pinsight_python-.so");
    put("_pinsight_python-3.12.so");
    pinsight_extensions_there(folder, list, sizeof(list));
    assert_string_equal(list, "3.12");
    static const char *const more[] = {"3.13t", "3.8", "3.9", "3.15", "3.13", "3.10"};
    for (size_t i = 0; i < sizeof(more) / sizeof(*more); i++) {
        char name[64];
        snprintf(name, sizeof(name), "_pinsight_python-%s.so", more[i]);
        put(name);
    }
    put("_pinsight_python-3.11-plain.so");
    put("_pinsight_python-3.11.why");
    pinsight_extensions_there(folder, list, sizeof(list));
    assert_string_equal(list, "3.8, 3.9, 3.10, 3.12, 3.13, 3.13t, 3.15");
    char small[7];
    pinsight_extensions_there(folder, small, sizeof(small));
    assert_string_equal(small, "3.8");
}

/* What is written to stderr by `act`, in `text`. */
static void stderr_of(void (*act)(void), char *text, size_t size) {
    int ends[2];
    assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
    int saved = dup(STDERR_FILENO);
    dup2(ends[1], STDERR_FILENO);
    pinsight_message_ready();
    act();
    dup2(saved, STDERR_FILENO);
    ssize_t got = read(ends[0], text, size - 1);
    text[got > 0 ? got : 0] = '\0';
    close(saved);
    close(ends[0]);
    close(ends[1]);
}

static void say(void) {
    pinsight_message_once("topic", "what happened %d", 5);
}

static void once_in_a_run(void **state) {
    (void)state;
    char text[256];
    setenv("PINSIGHT_OUTPUT", folder, 1);
    stderr_of(say, text, sizeof(text));
    assert_string_equal(text, "pinsight: what happened 5\n");
    stderr_of(say, text, sizeof(text));
    assert_string_equal(text, "");
    setenv("PINSIGHT_OUTPUT", "/no-such-place/folder", 1);
    stderr_of(say, text, sizeof(text));
    assert_string_equal(text, "pinsight: what happened 5\n");
    unsetenv("PINSIGHT_OUTPUT");
}

static void start_missing(void) {
    pinsight_extension_start(folder, "3.7.2 (main)", NULL);
}

static void start_left_out(void) {
    char path[300];
    snprintf(path, sizeof(path), "%s/_pinsight_python-3.98.why", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("its headers are odd\nand more", file);
    fclose(file);
    pinsight_extension_start(folder, "3.98.2 (main)", NULL);
}

static void start_broken(void) {
    put("_pinsight_python-3.99.so");
    pinsight_extension_start(folder, "3.99.2 (main)", NULL);
}

static void failures_are_told(void **state) {
    (void)state;
    char text[4096];
    stderr_of(start_missing, text, sizeof(text));
    assert_non_null(strstr(text, "pinsight: there is no extension for Python 3.7 in "));
    assert_non_null(strstr(text, "(there: none)"));
    assert_non_null(strstr(text, "make build"));
    assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
    stderr_of(start_left_out, text, sizeof(text));
    assert_non_null(strstr(text, "(there: none): its headers are odd, its programs"));
    stderr_of(start_broken, text, sizeof(text));
    assert_non_null(strstr(text, "pinsight: cannot load the Python extension"));
}

int main(void) {
    return RUN_TESTS_EACH(make_folder, remove_folder, tags, domains, extensions, once_in_a_run,
                          failures_are_told);
}
