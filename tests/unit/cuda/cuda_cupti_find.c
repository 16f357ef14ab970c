/* Unit tests of the search for libcupti, over trees of empty files. */
#define _GNU_SOURCE
#include "unit.h"

#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/paths.h"
#include "runtimes/cuda/cupti_find.h"

static char root[PATH_MAX];
static const char *variables[8][2];

static int make_root(void **state) {
    (void)state;
    snprintf(root, sizeof(root), "/tmp/pinsight-cupti-XXXXXX");
    memset(variables, 0, sizeof(variables));
    return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state) {
    (void)state;
    pinsight_path_remove(root);
    return 0;
}

static const char *variable(const char *name) {
    for (size_t i = 0; i < 8 && variables[i][0]; i++)
        if (strcmp(variables[i][0], name) == 0)
            return variables[i][1];
    return NULL;
}

/* A path below the root, in one of some buffers. */
static const char *in_root(const char *name) {
    static char paths[16][PATH_MAX + 256];
    static unsigned next;

    snprintf(paths[++next % 16], sizeof(*paths), "%s%s", root, name);
    return paths[next % 16];
}

static void make_file(const char *name) {
    char folder[PATH_MAX];

    snprintf(folder, sizeof(folder), "%s", in_root(name));
    *strrchr(folder, '/') = '\0';
    assert_int_equal(pinsight_path_make(folder, 0755), 0);
    FILE *file = fopen(in_root(name), "w");
    assert_non_null(file);
    fclose(file);
}

struct told {
    char text[4096];
    const char *wanted; /* the path that is taken, below the root */
};

static bool note(const struct pinsight_cupti_candidate *candidate, void *data) {
    static const char letters[] = "NLBPTD";
    struct told *told = data;
    bool below = strncmp(candidate->path, root, strlen(root)) == 0;
    const char *path = candidate->path + (below ? strlen(root) : 0);
    size_t used = strlen(told->text);

    /* What the dynamic linker may know is the same in every test. */
    if (candidate->place == PINSIGHT_CUPTI_LINKER && !told->wanted)
        return false;
    snprintf(told->text + used, sizeof(told->text) - used, "%c%u %s\n", letters[candidate->place],
             candidate->major, path);
    return told->wanted && strcmp(told->wanted, path) == 0;
}

static struct told search(struct pinsight_cupti_search wanted) {
    struct told told = {.wanted = NULL};

    wanted.variable = variable;
    wanted.root = root;
    assert_false(pinsight_cupti_each(&wanted, note, &told));
    return told;
}

static void test_nothing(void **state) {
    (void)state;
    assert_string_equal(search((struct pinsight_cupti_search){.loaded = NULL}).text, "");
    variables[0][0] = "PINSIGHT_CUPTI";
    variables[0][1] = "/no-such-place";
    assert_string_equal(search((struct pinsight_cupti_search){.loaded = NULL}).text, "");
}

static void test_plain_names_are_last(void **state) {
    struct told told = {.wanted = "libcupti.so.12"};
    const struct pinsight_cupti_search wanted = {.variable = variable, .root = root};

    (void)state;
    make_file("/opt/cuda/lib64/libcupti.so.13");
    assert_true(pinsight_cupti_each(&wanted, note, &told));
    assert_string_equal(told.text, "T13 /opt/cuda/lib64/libcupti.so.13\nD13 libcupti.so.13\nD12 "
                                   "libcupti.so.12\n");
}

static void test_named_file_or_folder(void **state) {
    (void)state;
    make_file("/a/libcupti.so.12");
    make_file("/b/my-cupti.so");
    variables[0][0] = "PINSIGHT_CUPTI";
    variables[0][1] = in_root("/a");
    assert_string_equal(search((struct pinsight_cupti_search){.loaded = NULL}).text,
                        "N12 /a/libcupti.so.12\n");
    variables[0][1] = in_root("/b/my-cupti.so");
    assert_string_equal(search((struct pinsight_cupti_search){.loaded = NULL}).text,
                        "N0 /b/my-cupti.so\n");
    variables[0][1] = in_root("/a/libcupti.so.12"); /* whatever the driver */
    assert_string_equal(search((struct pinsight_cupti_search){.driver_major = 11}).text,
                        "N12 /a/libcupti.so.12\n");
}

/* What PyTorch's wheels look like in a process. */
static void test_packages_of_a_process(void **state) {
    (void)state;
    make_file("/v/lib/python3.11/site-packages/nvidia/cuda_cupti/lib/libcupti.so.12");
    make_file("/v/lib/python3.11/site-packages/nvidia/cuda_cupti/lib/libnvperf_host.so");
    make_file("/v/lib/python3.11/site-packages/nvidia/cu13/lib/libcupti.so.13");
    make_file("/v/lib/python3.11/site-packages/torch/lib/libcupti-01234567.so.11.8");
    const char *loaded[] = {
        "/usr/bin/python3.11",
        in_root("/v/lib/python3.11/site-packages/numpy/core/x.so"),
        in_root("/v/lib/python3.11/site-packages/nvidia/cuda_cupti/lib/libcupti.so.12"),
        in_root("/v/lib/python3.11/site-packages/nvidia/cuda_runtime/lib/libcudart.so.12"),
    };
    assert_string_equal(
        search((struct pinsight_cupti_search){.loaded = loaded, .loaded_count = 4}).text,
        "L12 /v/lib/python3.11/site-packages/nvidia/cuda_cupti/lib/libcupti.so.12\n"
        "P13 /v/lib/python3.11/site-packages/nvidia/cu13/lib/libcupti.so.13\n"
        "P11 /v/lib/python3.11/site-packages/torch/lib/libcupti-01234567.so.11.8\n");
    assert_string_equal(
        search(
            (struct pinsight_cupti_search){.loaded = loaded, .loaded_count = 2, .driver_major = 12})
            .text,
        "P12 /v/lib/python3.11/site-packages/nvidia/cuda_cupti/lib/libcupti.so.12\n"
        "P11 /v/lib/python3.11/site-packages/torch/lib/libcupti-01234567.so.11.8\n");
}

static void test_sites(void **state) {
    const char *site = in_root("/usr/lib/python3/dist-packages");

    (void)state;
    make_file("/usr/lib/python3/dist-packages/nvidia/cu13/lib/libcupti.so.13");
    assert_string_equal(
        search((struct pinsight_cupti_search){.sites = &site, .site_count = 1}).text,
        "P13 /usr/lib/python3/dist-packages/nvidia/cu13/lib/libcupti.so.13\n");
}

static void test_beside_a_toolkits_libraries(void **state) {
    const char *loaded[] = {in_root("/sw/cuda/12.4/targets/x86_64-linux/lib/libcudart.so.12"),
                            in_root("/conda/lib/libcublas.so.12")};

    (void)state;
    make_file("/sw/cuda/12.4/targets/x86_64-linux/lib/libcudart.so.12");
    make_file("/sw/cuda/12.4/extras/CUPTI/lib64/libcupti.so.12");
    make_file("/conda/lib/libcupti.so.12");
    assert_string_equal(
        search((struct pinsight_cupti_search){.loaded = loaded, .loaded_count = 2}).text,
        "B12 /sw/cuda/12.4/targets/x86_64-linux/lib/../../../extras/CUPTI/lib64/libcupti.so.12\n"
        "B12 /conda/lib/libcupti.so.12\n");
}

static void test_toolkits(void **state) {
    (void)state;
    make_file("/usr/local/cuda-9.2/lib64/libcupti.so.9.2");
    make_file("/usr/local/cuda-12.10/lib64/libcupti.so.12");
    make_file("/usr/local/cuda-12.9/extras/CUPTI/lib64/libcupti.so.12");
    make_file("/usr/local/cuda-12.9/extras/CUPTI/lib64/libcupti.so.2025.2.1");
    make_file("/sw/mine/lib64/libcupti.so.12");
    variables[0][0] = "CUDA_HOME";
    variables[0][1] = in_root("/sw/mine");
    assert_int_equal(symlink("cuda-12.9", in_root("/usr/local/cuda")), 0);
    assert_string_equal(search((struct pinsight_cupti_search){.loaded = NULL}).text,
                        "T12 /sw/mine/lib64/libcupti.so.12\n"
                        "T12 /usr/local/cuda/extras/CUPTI/lib64/libcupti.so.12\n"
                        "T0 /usr/local/cuda/extras/CUPTI/lib64/libcupti.so.2025.2.1\n"
                        "T12 /usr/local/cuda-12.10/lib64/libcupti.so.12\n"
                        "T9 /usr/local/cuda-9.2/lib64/libcupti.so.9.2\n");
}

static void test_a_file_by_its_names_is_told_once(void **state) {
    (void)state;
    make_file("/opt/cuda/lib64/libcupti.so.2025.3.1");
    assert_int_equal(symlink("libcupti.so.2025.3.1", in_root("/opt/cuda/lib64/libcupti.so.13")), 0);
    assert_int_equal(symlink("libcupti.so.13", in_root("/opt/cuda/lib64/libcupti.so")), 0);
    assert_int_equal(symlink("lib64", in_root("/opt/cuda/lib")), 0);
    assert_string_equal(search((struct pinsight_cupti_search){.loaded = NULL}).text,
                        "T13 /opt/cuda/lib64/libcupti.so.13\n");
}

static void test_long_and_odd_names(void **state) {
    static char long_path[3 * PATH_MAX];
    const char *loaded[] = {long_path,        "", "libcupti.so", "linux-vdso.so.1", "/libcudart.so",
                            "/site-packages/"};

    (void)state;
    memset(long_path, 'a', sizeof(long_path) - 1);
    memcpy(long_path, "/x/", 3);
    strcpy(long_path + sizeof(long_path) - 40, "/site-packages/libcudart.so.12");
    variables[0][0] = "PINSIGHT_CUPTI";
    variables[0][1] = long_path;
    variables[1][0] = "CUDA_HOME";
    variables[1][1] = long_path;
    assert_string_equal(
        search((struct pinsight_cupti_search){.loaded = loaded, .loaded_count = 6}).text, "");
    make_file("/opt/cuda/lib64/libcupti_static.a");
    make_file("/opt/cuda/lib64/libcupti.so.99999999999999999999");
    assert_string_equal(search((struct pinsight_cupti_search){.loaded = NULL}).text,
                        "T0 /opt/cuda/lib64/libcupti.so.99999999999999999999\n");
}

static bool count(const struct pinsight_cupti_candidate *candidate, void *data) {
    (void)candidate;
    ++*(unsigned *)data;
    return false;
}

static void test_here(void **state) {
    unsigned told = 0;

    (void)state;
    assert_false(pinsight_cupti_each_here(12, count, &told));
    assert_true(told >= 2); /* the plain names but that of CUDA 13 */
}

static void test_versions(void **state) {
    (void)state;
    assert_int_equal(pinsight_cupti_cuda(12), 0);
    assert_int_equal(pinsight_cupti_cuda(18), 11080);
    assert_int_equal(pinsight_cupti_cuda(19), 12000);
    assert_int_equal(pinsight_cupti_cuda(28), 12090);
    assert_int_equal(pinsight_cupti_cuda(29), 0);
    assert_int_equal(pinsight_cupti_cuda(130000), 13000);
    assert_int_equal(pinsight_cupti_cuda(130501), 13050);
}

int main(void) {
    return RUN_TESTS_EACH(
        make_root, remove_root, test_nothing, test_plain_names_are_last, test_named_file_or_folder,
        test_packages_of_a_process, test_sites, test_beside_a_toolkits_libraries, test_toolkits,
        test_a_file_by_its_names_is_told_once, test_long_and_odd_names, test_here, test_versions);
}
