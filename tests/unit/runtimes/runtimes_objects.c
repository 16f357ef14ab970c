/* Names of runtimes, and search paths of the dynamic linker. */
#include "test.h"

#include "runtimes/linker.h"
#include "runtimes/objects.h"

static void test_names(void **state) {
    static const struct {
        const char *name;
        int runtime; /* or -1 */
    } cases[] = {{"libgomp.so.1", PINSIGHT_LIBGOMP},
                 {"libgomp-a34b3233.so.1.0.0", PINSIGHT_LIBGOMP},
                 {"libiomp5.so", PINSIGHT_LIBIOMP},
                 {"libomp.so.5", PINSIGHT_LIBOMP},
                 {"libomp-14.so.5", PINSIGHT_LIBOMP},
                 {"libomp.so", PINSIGHT_LIBOMP},
                 {"libomptarget.so", -1},
                 {"libompd.so", -1},
                 {"libgomp.spec", -1},
                 {"libgomp-plugin-nvptx.so.1", -1},
                 {"libm.so.6", -1}};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        assert_int_equal(pinsight_runtime_of_name(cases[i].name), cases[i].runtime);
}

static void copy_libc(const char *name) {
    char libc[PATH_MAX], folder[PATH_MAX];

    assert_true(pinsight_linker_find_system("libc.so.6", libc));
    snprintf(folder, sizeof(folder), "%s", in_folder(name));
    *strrchr(folder, '/') = '\0';
    assert_int_equal(pinsight_path_make(folder, 0700), 0);
    assert_int_equal(symlink(libc, in_folder(name)), 0);
}

static void test_search(void **state) {
    char path[PATH_MAX], origin[PATH_MAX], list[PATH_MAX];
    struct pinsight_linker_paths paths = {.origin = origin};

    (void)state;
    copy_libc("a/libone.so");
    copy_libc("b/lib/libone.so");
    copy_libc("b/lib/libtwo.so");
    write_text("c/libone.so", "no library", 0644);
    snprintf(origin, sizeof(origin), "%s", in_folder("b"));
    assert_false(pinsight_linker_find("libone.so", &paths, path));

    paths.rpath = "$ORIGIN/../c:$ORIGIN/lib"; /* c's is no library: the next counts */
    assert_true(pinsight_linker_find("libone.so", &paths, path));
    assert_non_null(strstr(path, "/b/lib/libone.so"));

    snprintf(list, sizeof(list), "%s", in_folder("a"));
    paths.library_path = list; /* after a DT_RPATH, before a DT_RUNPATH */
    assert_true(pinsight_linker_find("libone.so", &paths, path));
    assert_non_null(strstr(path, "/b/lib/libone.so"));
    paths.runpath = "${ORIGIN}/lib";
    assert_true(pinsight_linker_find("libone.so", &paths, path));
    assert_non_null(strstr(path, "/a/libone.so"));
    assert_true(pinsight_linker_find("libtwo.so", &paths, path));
    assert_non_null(strstr(path, "/b/lib/libtwo.so"));

    assert_true(pinsight_linker_find(in_folder("a/libone.so"), &paths, path));
    assert_false(pinsight_linker_find(in_folder("c/libone.so"), &paths, path));
}

static void test_objects(void **state) {
    static struct pinsight_objects objects;

    (void)state;
    assert_true(pinsight_objects_add(&objects, "/proc/self/exe"));
    assert_null(pinsight_objects_first(&objects, PINSIGHT_LIBIOMP));
    assert_false(pinsight_objects_add(&objects, in_folder("nothing")));
    write_text("text", "text", 0644);
    assert_false(pinsight_objects_add(&objects, in_folder("text")));
    assert_false(objects.cut_short);
    pinsight_objects_free(&objects);
}

int main(void) {
    return RUN_TESTS_GROUP(make_folder, remove_folder, test_names, test_search, test_objects);
}
