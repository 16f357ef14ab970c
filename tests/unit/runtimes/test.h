/* Folders for the tests of runtimes. */
#ifndef PINSIGHT_TESTS_UNIT_RUNTIMES_TEST_H
#define PINSIGHT_TESTS_UNIT_RUNTIMES_TEST_H

#include "unit.h"

#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/paths.h"

/* A folder of the test's own, and a path in it (static, the next call writes over it). */
static char test_folder[] = "/tmp/pinsight-runtimes-XXXXXX";

static inline int make_folder(void **state) {
    (void)state;
    return mkdtemp(test_folder) != NULL ? 0 : -1;
}

static inline int remove_folder(void **state) {
    (void)state;
    pinsight_path_remove(test_folder);
    return 0;
}

static inline const char *in_folder(const char *name) {
    static char path[PATH_MAX];

    snprintf(path, sizeof(path), "%s/%s", test_folder, name);
    return path;
}

/* Writes a file, with the folders that it is in. */
static inline void write_file(const char *name, const void *data, size_t size, unsigned mode) {
    char folder[PATH_MAX];

    snprintf(folder, sizeof(folder), "%s", in_folder(name));
    *strrchr(folder, '/') = '\0';
    assert_int_equal(pinsight_path_make(folder, 0700), 0);
    FILE *file = fopen(in_folder(name), "we");
    assert_non_null(file);
    assert_true(fwrite(data, 1, size, file) == size);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(in_folder(name), mode), 0);
}

static inline void write_text(const char *name, const char *text, unsigned mode) {
    write_file(name, text, strlen(text), mode);
}

#endif
