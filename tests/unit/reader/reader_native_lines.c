/* Source lines of native code: of this program's own. */
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <unistd.h>

#include "unit.h"

#include "reader/kit/native_lines.h"

/* Where a call of this function returns to. */
__attribute__((noinline)) static uintptr_t return_address(void) {
    return (uintptr_t)__builtin_return_address(0);
}

static char program[PATH_MAX];
static uint64_t offset; /* of a line below */
static int32_t line;

__attribute__((noinline)) static void remember_place(void) {
    Dl_info info;
    struct link_map *map;
    uintptr_t address;

    line = __LINE__ + 1;
    address = return_address();
    assert_true(dladdr1((void *)address, &info, (void **)&map, RTLD_DL_LINKMAP) != 0);
    offset = address - map->l_addr;
}

static int setup(void **state) {
    ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);

    assert_true(length > 0);
    remember_place();
    *state = pinsight_native_lines_new(0);
    return 0;
}

static int teardown(void **state) {
    pinsight_native_lines_free(*state);
    return 0;
}

static void own_line(void **state) {
    const char *file = NULL, *symbol;
    int32_t found = 0;

    if (!*state)
        skip(); /* built without libdw */
    symbol = pinsight_native_line(*state, program, offset, "", &file, &found);
    assert_non_null(symbol);
    assert_string_equal(symbol, "remember_place");
    assert_non_null(file);
    assert_non_null(strstr(file, "reader_native_lines.c"));
    assert_int_equal(found, line);
    assert_non_null(pinsight_native_line(*state, program, offset, "remember_place", &file, &found));
}

/* Where the trace says another name, the file is another one by now. */
static void another_build(void **state) {
    const char *file = NULL;
    int32_t found = 0;

    assert_null(pinsight_native_line(*state, program, offset, "main", &file, &found));
    assert_null(file);
}

static void changed_since(void **state) {
    struct pinsight_native_lines *lines = pinsight_native_lines_new(UINT64_C(1000000000000));
    const char *file = NULL;
    int32_t found = 0;

    (void)state;
    assert_null(pinsight_native_line(lines, program, offset, "", &file, &found));
    pinsight_native_lines_free(lines);
}

static void no_object(void **state) {
    static const char *const paths[] = {
        "", "/dev/zero", "/proc", "a.out", "/etc/passwd", "/no-such-place/lib.so", "/dev/tty"};
    const char *file = NULL;
    int32_t found = 0;

    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
        assert_null(pinsight_native_line(*state, paths[i], 0x10, "", &file, &found));
    assert_null(pinsight_native_line(*state, program, UINT64_MAX / 2, "", &file, &found));
    pinsight_native_line(*state, program, 0, "", &file, &found);
}

int main(void) {
    return RUN_TESTS_EACH(setup, teardown, own_line, another_build, changed_since, no_object);
}
