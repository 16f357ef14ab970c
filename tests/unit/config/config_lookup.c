/* Which section decides: precise beats general, whatever the order of the file. */
#include "config_test.h"

static const char *const sections[] = {
    "[Lexgion.default]\nmax_num_traces = 1\ntracing_rate = 9\n",
    "[Lexgion.Python]\nmax_num_traces = 2\n",
    "[Lexgion(Python:*:*)]\nmax_num_traces = 3\n",
    "[Lexgion(Python:*.py:Solver.*)]\nmax_num_traces = 4\n",
    "[Lexgion(Python:solver.py:Solver.step)]\nmax_num_traces = 5\n",
    "[Lexgion(Python:c:numpy.*)]\nmax_num_traces = 6\n",
    "[Lexgion(OpenMP:libblas.so*+0x4010)]\nmax_num_traces = 7\n",
    "[Lexgion(OpenMP:gemm_?)]\nmax_num_traces = 8\n",
};
enum { SECTIONS = sizeof sections / sizeof *sections };

static void assert_limits(const struct pinsight_config *config) {
    static const struct {
        const char *region, *number;
    } cases[] = {
        {"Python:/home/u/solver.py:Solver.step", "5"},
        {"Python:/home/u/solver.py:Solver.stop", "4"},
        {"Python:solver.py:main", "3"},
        {"Python:<stdin>:<module>", "3"},
        {"Python:c:numpy.dot", "6"},
        {"Python:c:len", "2"},
        {"OpenMP:/usr/lib/libblas.so.3+16400", "7"},
        {"OpenMP:/usr/lib/libblas.so.3+0x4011", "1"},
        {"OpenMP:gemm_k", "8"},
        {"OpenMP:gemm", "1"},
        {"MPI:MPI_Send", "1"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_string_equal(test_resolved(config, cases[i].region, PINSIGHT_KEY_MAX_TRACES),
                            cases[i].number);
        assert_string_equal(test_resolved(config, cases[i].region, PINSIGHT_KEY_RATE), "9");
    }
}

static void test_any_order(void **state) {
    (void)state;
    for (size_t first = 0; first < SECTIONS; first++) {
        char forward[2048] = "", backward[2048] = "";
        for (size_t i = 0; i < SECTIONS; i++) {
            strcat(forward, sections[(first + i) % SECTIONS]);
            strcat(backward, sections[(first + SECTIONS - i) % SECTIONS]);
        }
        struct pinsight_config *config = test_good(forward);
        assert_limits(config);
        config = test_good(backward);
        assert_limits(config);
    }
}

/* A section that stands twice refines itself, key by key. */
static void test_later_refines(void **state) {
    struct pinsight_config *config =
        test_good("[Python]\ntrace_mode = OFF\nnames = registry\n[MPI]\n[Python]\ntrace_mode = "
                  "STANDBY\n[Lexgion(Python:a.py:f)]\ntracing_rate = 2\nmax_num_traces = 2\n"
                  "[Lexgion(Python:a.py:f)]\ntracing_rate = 3\n");
    const struct pinsight_config_setting *mode =
        pinsight_config_domain_setting(config, PYTHON, PINSIGHT_KEY_TRACE_MODE, NULL);

    (void)state;
    assert_int_equal(mode->mode, PINSIGHT_MODE_STANDBY);
    assert_int_equal(mode->origin.line, 6);
    assert_true(pinsight_config_domain_setting(config, PYTHON, PINSIGHT_KEY_NAMES, NULL)->registry);
    assert_string_equal(test_resolved(config, "Python:a.py:f", PINSIGHT_KEY_RATE), "3");
    assert_string_equal(test_resolved(config, "Python:a.py:f", PINSIGHT_KEY_MAX_TRACES), "2");
}

static void test_selector_forms(void **state) {
    struct pinsight_config *config =
        test_good("[Lexgion(\"Python:odd (name) #1.py:f\")]\ntracing_rate = 2\n"
                  "[Lexgion(Python:sol[12].py:g)]\ntracing_rate = 3\n"
                  "[Lexgion(Python:pkg/x.py:f.<locals>.<lambda>)]\ntracing_rate = 4\n"
                  "[Lexgion(OpenMP:operator+)]\ntracing_rate = 5\n"
                  "[Lexgion(OpenMP:f(int, long))]\ntracing_rate = 6\n");
    enum pinsight_config_key key = PINSIGHT_KEY_RATE;

    (void)state;
    assert_string_equal(test_resolved(config, "Python:/a/odd (name) #1.py:f", key), "2");
    assert_string_equal(test_resolved(config, "Python:/a/sol2.py:g", key), "3");
    assert_string_equal(test_resolved(config, "Python:/a/sol3.py:g", key), "1");
    assert_string_equal(test_resolved(config, "Python:/a/pkg/x.py:f.<locals>.<lambda>", key), "4");
    assert_string_equal(test_resolved(config, "Python:/a/x.py:f.<locals>.<lambda>", key), "1");
    assert_string_equal(test_resolved(config, "OpenMP:operator+", key), "5");
    assert_string_equal(test_resolved(config, "OpenMP:f(int, long)", key), "6");
}

/* A native region may be known by its place and by its symbol: both kinds of section apply. */
static void test_native_with_both(void **state) {
    struct pinsight_config *config =
        test_good("[Lexgion(OpenMP:gemm)]\ntracing_rate = 2\n"
                  "[Lexgion(OpenMP:libblas.so+16)]\nmax_num_traces = 3\n");
    struct pinsight_config_region region = {
        .domain = OPENMP,
        .kind = PINSIGHT_SELECT_NATIVE,
        .file = "/lib/libblas.so",
        .name = "gemm",
        .has_offset = true,
        .offset = 16,
    };

    (void)state;
    assert_int_equal(
        pinsight_config_lexgion_setting(config, &region, PINSIGHT_KEY_RATE, NULL)->number, 2);
    assert_int_equal(
        pinsight_config_lexgion_setting(config, &region, PINSIGHT_KEY_MAX_TRACES, NULL)->number, 3);
    struct pinsight_config_window window;
    pinsight_config_window(config, &region, NULL, &window);
    assert_int_equal(window.starts_at->number, 0);
    assert_int_equal(window.rate->number, 2);
    assert_int_equal(window.rate->origin.line, 2);
    assert_int_equal(window.max_traces->number, 3);
    assert_int_equal(window.timeout->number, 0);
    assert_int_equal(window.mode_after->after.mode, PINSIGHT_MODE_STANDBY);
}

/* Only sections that can limit a region of the domain matter, whatever they name. */
static void test_all_recorded(void **state) {
    static const struct {
        const char *text;
        bool all;
    } cases[] = {
        {"", true},
        {"[OpenMP]\ntrace_mode = OFF\n", true},
        {"[Lexgion.default]\ntrace_mode_after = MONITORING\n", true},
        {"[Lexgion.default]\ntracing_rate = 1\nmax_num_traces = -1\n", true},
        {"[Lexgion.default]\ntracing_rate = 2\n", false},
        {"[Lexgion.OpenMP]\nmax_num_traces = 0\n", false},
        {"[Lexgion.MPI]\nmax_num_traces = 0\n", true},
        {"[Lexgion(OpenMP:gemm)]\ntrace_starts_at = 1\n", false},
        {"[Lexgion(MPI:MPI_Send)]\ntrace_starts_at = 1\n", true},
        {"[Lexgion(OpenMP:gemm)] : MPI.rank(3)\nwindow_timeout = 1\n", false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (pinsight_config_all_recorded(test_good(cases[i].text), OPENMP) != cases[i].all)
            fail_msg("%s", cases[i].text);
}

static void test_why(void **state) {
    struct pinsight_config *config =
        test_good("[Lexgion(Python:a*.py:f)]\ntracing_rate = 2\n[Lexgion(Python:*.py:f)]\n"
                  "tracing_rate = 3\n[Lexgion(Python:a.py:f)]\n[Lexgion.Python]\n"
                  "[Lexgion.default]\n[Lexgion(Python:*.py:f)]\n");
    const struct pinsight_config_section *all[8];
    size_t count = 0;
    const char *why;

    (void)state;
    for (const struct pinsight_config_section *section = config->sections; section;
         section = section->next)
        if (section->origin.source == PINSIGHT_FROM_FILE)
            all[count++] = section;
    assert_int_equal(count, 6);
    assert_true(pinsight_config_stronger(all[1], all[0], &why) < 0);
    assert_string_equal(why, "more letters are given");
    assert_true(pinsight_config_stronger(all[2], all[0], &why) > 0);
    assert_string_equal(why, "a name without wildcards wins over one with wildcards");
    assert_true(pinsight_config_stronger(all[3], all[0], &why) < 0);
    assert_string_equal(why, "one region wins over all of its domain");
    assert_true(pinsight_config_stronger(all[4], all[3], &why) < 0);
    assert_string_equal(why, "one domain wins over all code");
    assert_true(pinsight_config_stronger(all[5], all[1], &why) > 0);
    assert_string_equal(why, "of two that are equally precise, the later wins");
    assert_true(pinsight_config_stronger(all[4], config->sections, &why) > 0);
    assert_string_equal(why, "a file wins over the defaults");
}

static void test_region_names(void **state) {
    struct pinsight_config_region region;
    char store[32], error[256];
#define READ(text)                                                                                 \
    pinsight_config_region_read(test_domains, DOMAINS, text, &region, store, sizeof store, error,  \
                                sizeof error)

    (void)state;
    assert_int_equal(READ("nothing"), -1);
    assert_string_equal(error, "'nothing' does not say which region; write DOMAIN:REGION, such as "
                               "Python:solver.py:Solver.step");
    assert_int_equal(READ("Fortran:x"), -1);
    assert_string_equal(error, "this build of PInsight has no domain 'Fortran'; it has "
                               "Python, OpenMP, MPI, CUDA");
    assert_int_equal(READ("Python:x"), -1);
    assert_int_equal(READ("Python:a file name that has more letters than room.py:f"), -1);
    assert_int_equal(READ("python:a.py:f"), 0);
    assert_string_equal(region.file, "a.py");
    assert_string_equal(region.name, "f");
}

/* Whether any C callable could be recorded, whatever it is called. */
static void test_none_recorded(void **state) {
    static const struct {
        bool none;
        const char *text;
    } cases[] = {
        {false, ""},
        {true, "[Lexgion.default]\nmax_num_traces = 0\n"},
        {true, "[Lexgion.default]\nmax_num_traces = 9\n[Lexgion.Python]\nmax_num_traces = 0\n"},
        {false, "[Lexgion.default]\nmax_num_traces = 0\n[Lexgion.Python]\nmax_num_traces = 9\n"},
        {false, "[Lexgion.OpenMP]\nmax_num_traces = 0\n"},
        {true, "[Lexgion.default]\nmax_num_traces = 0\n[Lexgion.OpenMP]\nmax_num_traces = 1\n"},
        {true, "[Lexgion(Python:c:*)]\nmax_num_traces = 0\n"},
        {false, "[Lexgion(Python:c:?*)]\nmax_num_traces = 0\n"},
        {false, "[Lexgion(Python:c:*)]\nmax_num_traces = 0\n"
                "[Lexgion(Python:c:numpy.*)]\nmax_num_traces = 1\n"},
        {true, "[Lexgion(Python:c:*)]\nmax_num_traces = 0\n"
               "[Lexgion(Python:c:numpy.*)]\ntracing_rate = 7\n"},
        {true, "[Lexgion.default]\nmax_num_traces = 0\n"
               "[Lexgion(Python:solver.py:*)]\nmax_num_traces = -1\n"},
        {true, "[Lexgion.default]\nmax_num_traces = 0\ntrace_mode_after = OFF\n"},
        {false, "[Lexgion.default]\nmax_num_traces = 0\ntrace_mode_after = MONITORING\n"},
        {false, "[Lexgion.default]\nmax_num_traces = 0\ntrace_mode_after = Python:STANDBY\n"},
        {false, "[Lexgion.default]\nmax_num_traces = 0\ntrace_mode_after = "
                "INTROSPECT:0:-:STANDBY\n"},
        {false, "[Lexgion.default]\nmax_num_traces = 0\n"
                "[Lexgion(Python:c:len)]\ntrace_mode_after = TRACING\n"},
        {false, "[Lexgion.default] : MPI.rank(0)\nmax_num_traces = 0\n"},
        {false, "[Lexgion.default]\nmax_num_traces = 0\n"
                "[Lexgion.default] : MPI.rank(0)\nmax_num_traces = 5\n"},
        {true, "[Lexgion.default]\nmax_num_traces = 0\n"
               "[Lexgion.default] : MPI.rank(0)\ntracing_rate = 5\n"},
    };
    struct pinsight_config_region region;
    char store[64], error[128];

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pinsight_config *config = test_good(cases[i].text);
        assert_int_equal(pinsight_config_region_read(config->domains, config->domain_count,
                                                     "Python:c:len", &region, store, sizeof store,
                                                     error, sizeof error),
                         0);
        if (pinsight_config_none_recorded(config, region.domain, PINSIGHT_SELECT_CALLEE, NULL) !=
            cases[i].none)
            fail_msg("%s: not %s", cases[i].text, cases[i].none ? "none" : "some");
    }
}

int main(void) {
    return RUN_CONFIG_TESTS(test_any_order, test_later_refines, test_selector_forms,
                            test_native_with_both, test_why, test_region_names, test_none_recorded,
                            test_all_recorded);
}
