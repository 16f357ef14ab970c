/* The folder that a run writes its trace into. */
#include "unit.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/paths.h"
#include "base/run_info.h"
#include "cli/run_output.h"

static char place[64];
static const struct pinsight_job alone = {.size = 1, .local_size = 1};

static int go_somewhere(void **state) {
    (void)state;
    strcpy(place, "/tmp/pinsight-test-XXXXXX");
    return mkdtemp(place) == NULL || chdir(place) != 0;
}

static int go_away(void **state) {
    char command[128];

    (void)state;
    snprintf(command, sizeof(command), "rm -rf %s", place);
    return chdir("/") != 0 || system(command) != 0;
}

static void test_program_names(void **state) {
    static const struct {
        const char *words[6];
        const char *name;
    } cases[] = {
        {{"true"}, "true"},
        {{"/usr/bin/env", "python3", "x.py"}, "env"},
        {{"python3"}, "python3"},
        {{"/opt/bin/python3.12", "dir/app.py", "-c"}, "app"},
        {{"python", "-I", "-X", "dev", "app.v2.py"}, "app.v2"},
        {{"python3.13t", "-Xdev", "-bb", "tool.pyz"}, "tool"},
        {{"python3", "-m", "pkg.mod"}, "pkg.mod"},
        {{"python3", "-Im", "mod", "x.py"}, "mod"},
        {{"python3", "-mmod"}, "mod"},
        {{"python3", "-c", "pass", "x.py"}, "python3"},
        {{"python3", "-Sc", "pass"}, "python3"},
        {{"python3", "-"}, "python3"},
        {{"python3", "-m"}, "python3"},
        {{"python3", "-W"}, "python3"},
        {{"python3", "."}, "python3"},
        {{"python3", "some/folder/"}, "folder"},
        {{"python3", ".py"}, "python3"},
        {{"./folder/"}, "folder"},
        {{"."}, "program"},
        {{"../"}, "program"},
        {{"python3", "--check-hash-based-pycs", "never", "a.py"}, "a"},
        {{"python3-config", "a.py"}, "python3-config"},
        {{"./bin/app.py", "a.py"}, "app"},
        {{"app.v2.pyz"}, "app.v2"},
        {{".py"}, "program"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        char name[256];
        pinsight_run_output_program(name, sizeof(name), (char *const *)cases[i].words);
        assert_string_equal(name, cases[i].name);
    }
}

static void test_default_name(void **state) {
    char path[PATH_MAX], wanted[PATH_MAX], why[256];

    (void)state;
    assert_true(pinsight_run_output_name(path, NULL, "prog", &alone, why, sizeof(why)));
    snprintf(wanted, sizeof(wanted), "%s/pinsight-prog", place);
    assert_string_equal(path, wanted);
}

static void test_typed_name(void **state) {
    char path[PATH_MAX], wanted[PATH_MAX], why[256];

    (void)state;
    assert_true(pinsight_run_output_name(path, "a b/c//", "prog", &alone, why, sizeof(why)));
    snprintf(wanted, sizeof(wanted), "%s/a b/c", place);
    assert_string_equal(path, wanted);
    assert_true(pinsight_run_output_name(path, "/abs/", "prog", &alone, why, sizeof(why)));
    assert_string_equal(path, "/abs");
}

static void test_names_in_a_job(void **state) {
    struct pinsight_job job = {.id = "slurm-7.0", .size = 4, .local_size = 4};
    char path[PATH_MAX], wanted[PATH_MAX], host[256] = "", why[256];

    (void)state;
    assert_true(pinsight_run_output_name(path, NULL, "prog", &job, why, sizeof(why)));
    snprintf(wanted, sizeof(wanted), "%s/pinsight-prog-slurm-7.0", place);
    assert_string_equal(path, wanted);
    job.local_size = 2;
    gethostname(host, sizeof(host) - 1);
    assert_true(pinsight_run_output_name(path, "d", "prog", &job, why, sizeof(why)));
    snprintf(wanted, sizeof(wanted), "%s/d/%s", place, host);
    assert_string_equal(path, wanted);
}

static void test_too_long(void **state) {
    char path[PATH_MAX], typed[PATH_MAX + 10], why[256] = "";

    (void)state;
    memset(typed, 'x', sizeof(typed) - 1);
    typed[sizeof(typed) - 1] = '\0';
    assert_false(pinsight_run_output_name(path, typed, "prog", &alone, why, sizeof(why)));
    assert_non_null(strstr(why, "-o"));
}

static void test_made_with_parents(void **state) {
    char path[PATH_MAX], why[PATH_MAX + 200];
    struct stat about;
    bool made = false;

    (void)state;
    snprintf(path, sizeof(path), "%s/new/er/est", place);
    assert_true(pinsight_run_output_make(path, false, false, &made, why, sizeof(why)));
    assert_true(made);
    assert_int_equal(stat(path, &about), 0);
    assert_true(pinsight_run_output_make(path, false, false, &made, why, sizeof(why)));
    assert_false(made);
}

static void test_refused(void **state) {
    char path[PATH_MAX], why[PATH_MAX + 200] = "";
    bool made;

    (void)state;
    snprintf(path, sizeof(path), "%s/file", place);
    fclose(fopen(path, "w"));
    assert_false(pinsight_run_output_make(path, false, false, &made, why, sizeof(why)));
    assert_non_null(strstr(why, "is a file"));
    strcpy(path, place);
    assert_false(pinsight_run_output_make(path, false, false, &made, why, sizeof(why)));
    assert_non_null(strstr(why, "not empty"));
    strcat(path, "/file/below");
    assert_false(pinsight_run_output_make(path, false, false, &made, why, sizeof(why)));
    assert_non_null(strstr(why, "cannot be made"));
    strcpy(path, "/proc/nope");
    assert_false(pinsight_run_output_make(path, false, false, &made, why, sizeof(why)));
}

/* Folders have small numbers: the one after the last, also where another one was removed, or where
 * a link or a file has the name. What other tools and batch jobs count does not. */
static void test_the_next_number(void **state) {
    static const char *const taken[] = {"pinsight-app-3", "pinsight-app-4711471",
                                        "pinsight-app-7-2", "pinsight-app-x", "pinsight-apple-9"};
    char path[PATH_MAX], wanted[PATH_MAX], why[PATH_MAX + 200];
    bool made;

    (void)state;
    for (int number = 1; number <= 6; number++) {
        if (number == 2) {
            for (size_t i = 0; i < sizeof(taken) / sizeof(*taken); i++) {
                assert_int_equal(symlink("nowhere", taken[i]), 0);
            }
            number = 4;
        }
        snprintf(path, sizeof(path), "%s/pinsight-app", place);
        assert_true(pinsight_run_output_make(path, true, false, &made, why, sizeof(why)));
        assert_true(made);
        snprintf(wanted, sizeof(wanted), "%s/pinsight-app-%d", place, number);
        assert_string_equal(path, wanted);
    }
}

static void write_file(const char *folder, const char *name) {
    char path[2 * PATH_MAX];

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fclose(file);
}

/* --force removes the trace of an earlier run, and nothing else that is beside it. */
static void test_forced(void **state) {
    static const struct pinsight_run_info run = {.recorder = PINSIGHT_RECORDER_FILE};
    static const struct pinsight_run_info lttng = {.recorder = "lttng"};
    char path[PATH_MAX], inner[PATH_MAX + 16], why[PATH_MAX + 200] = "";
    bool made;

    (void)state;
    snprintf(path, sizeof(path), "%s/old", place);
    snprintf(inner, sizeof(inner), "%s/trace", path);
    assert_int_equal(mkdir(path, 0755) | mkdir(inner, 0755), 0);
    write_file(inner, "metadata");
    assert_false(pinsight_run_output_make(path, false, true, &made, why, sizeof(why)));
    assert_non_null(strstr(why, "--force removes traces of `pinsight run` alone"));
    assert_int_equal(pinsight_run_info_write(path, &lttng), 0);
    assert_false(pinsight_run_output_make(path, false, true, &made, why, sizeof(why)));
    assert_non_null(strstr(why, "still recorded into"));
    assert_int_equal(pinsight_run_info_write(path, &run), 0);
    write_file(path, "notes.txt");
    assert_false(pinsight_run_output_make(path, false, true, &made, why, sizeof(why)));
    assert_non_null(strstr(why, "notes.txt"));
    assert_int_equal(access(inner, F_OK), 0);
    snprintf(inner, sizeof(inner), "%s/notes.txt", path);
    assert_int_equal(unlink(inner), 0);
    assert_true(pinsight_run_output_make(path, false, true, &made, why, sizeof(why)));
    assert_false(made);
    assert_true(pinsight_path_is_empty_folder(path));
}

static void test_not_own(void **state) {
    char path[PATH_MAX], why[PATH_MAX + 200] = "";
    bool made;

    (void)state;
    snprintf(path, sizeof(path), "%s/shared", place);
    assert_int_equal(mkdir(path, 0700) | chmod(path, 0770), 0);
    assert_false(pinsight_run_output_make(path, false, false, &made, why, sizeof(why)));
    assert_non_null(strstr(why, "others may write into it"));
    assert_non_null(strstr(why, "chmod go-w"));
    if (geteuid() == 0 && chown(path, 65534, 65534) == 0 && chmod(path, 0755) == 0) {
        assert_false(pinsight_run_output_make(path, false, false, &made, why, sizeof(why)));
        assert_non_null(strstr(why, "belongs to another user"));
    }
}

static void test_join(void **state) {
    char whole[PATH_MAX];

    (void)state;
    assert_true(pinsight_path_join(whole, "/", "a"));
    assert_string_equal(whole, "/a");
    assert_true(pinsight_path_join(whole, "/b", "a"));
    assert_string_equal(whole, "/b/a");
}

int main(void) {
    return RUN_TESTS_GROUP(go_somewhere, go_away, test_program_names, test_default_name,
                           test_typed_name, test_names_in_a_job, test_too_long,
                           test_made_with_parents, test_refused, test_the_next_number, test_forced,
                           test_not_own, test_join);
}
