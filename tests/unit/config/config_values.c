/* What good files say: every key, and every way to write it. */
#include "config_test.h"

static const struct pinsight_config_setting *
of_domain(const struct pinsight_config *config, unsigned domain, enum pinsight_config_key key) {
    return pinsight_config_domain_setting(config, domain, key, NULL);
}

static void test_defaults(void **state) {
    struct pinsight_config *config = test_good("# nothing\n; at all\n\n");

    (void)state;
    for (unsigned i = 0; i < DOMAINS; i++)
        assert_int_equal(of_domain(config, i, PINSIGHT_KEY_TRACE_MODE)->mode,
                         PINSIGHT_MODE_TRACING);
    assert_int_equal(of_domain(config, PYTHON, PINSIGHT_KEY_EVENTS)->events, 3);
    assert_string_equal(test_value(config, of_domain(config, PYTHON, PINSIGHT_KEY_EVENTS)),
                        "function, c_call");
    assert_string_equal(test_value(config, of_domain(config, PYTHON, PINSIGHT_KEY_MODULE_FILTER)),
                        "*");
    assert_string_equal(test_value(config, of_domain(config, PYTHON, PINSIGHT_KEY_MODULE_EXCLUDE)),
                        "none");
    assert_string_equal(test_value(config, of_domain(config, PYTHON, PINSIGHT_KEY_NAMES)),
                        "inline");
    assert_string_equal(test_value(config, of_domain(config, PYTHON, PINSIGHT_KEY_OPERATORS)),
                        "numpy.ndarray, numpy.generic");
    assert_null(of_domain(config, MPI, PINSIGHT_KEY_OPERATORS));
    assert_string_equal(test_value(config, of_domain(config, PYTHON, PINSIGHT_KEY_PROPERTIES)),
                        "none");
    assert_null(of_domain(config, MPI, PINSIGHT_KEY_PROPERTIES));
    assert_null(of_domain(config, MPI, PINSIGHT_KEY_NAMES));
    assert_null(of_domain(config, CUDA, PINSIGHT_KEY_EVENTS));
    assert_string_equal(test_value(config, pinsight_config_punit_range(config, OPENMP, 2, NULL)),
                        "*");
    assert_string_equal(test_resolved(config, "Python:a.py:f", PINSIGHT_KEY_STARTS_AT), "0");
    assert_string_equal(test_resolved(config, "Python:a.py:f", PINSIGHT_KEY_RATE), "1");
    assert_string_equal(test_resolved(config, "Python:a.py:f", PINSIGHT_KEY_MAX_TRACES), "-1");
    assert_string_equal(test_resolved(config, "Python:a.py:f", PINSIGHT_KEY_TIMEOUT), "0");
    assert_int_equal(of_domain(config, PYTHON, PINSIGHT_KEY_NAMES)->origin.source,
                     PINSIGHT_FROM_DEFAULT);
}

/* The value that a line gives to a key of [Python]. */
static void assert_python(const char *text, enum pinsight_config_key key, const char *value) {
    struct pinsight_config *config = test_good(text);

    assert_string_equal(test_value(config, of_domain(config, PYTHON, key)), value);
}

static void test_domain_keys(void **state) {
    (void)state;
    assert_python("[Python]\ntrace_mode = MONITORING", PINSIGHT_KEY_TRACE_MODE, "MONITORING");
    assert_python("[python]\r\nTrace_Mode=off\r\n", PINSIGHT_KEY_TRACE_MODE, "OFF");
    assert_python("\xEF\xBB\xBF[Python] # x\ntrace_mode = 'STANDBY';x", PINSIGHT_KEY_TRACE_MODE,
                  "STANDBY");
    assert_python("[ Python ]\nevents=c_call", PINSIGHT_KEY_EVENTS, "c_call");
    assert_python("[Python]\nevents = none", PINSIGHT_KEY_EVENTS, "none");
    assert_python("[Python]\nevents = \"import\" , function", PINSIGHT_KEY_EVENTS,
                  "function, import");
    assert_python("[Python]\nnames = Registry", PINSIGHT_KEY_NAMES, "registry");
    assert_python("[Python]\nmodule_filter = __main__, a.b, \xc3\xa4", PINSIGHT_KEY_MODULE_FILTER,
                  "__main__, a.b, \xc3\xa4");
    assert_python("[Python]\nmodule_filter = a\n[Python]\nmodule_filter = *",
                  PINSIGHT_KEY_MODULE_FILTER, "*");
    assert_python("[Python]\noperators = decimal.Decimal,\n  a.b.C", PINSIGHT_KEY_OPERATORS,
                  "decimal.Decimal, a.b.C");
    assert_python("[Python]\noperators = a.B\n[Python]\noperators = None", PINSIGHT_KEY_OPERATORS,
                  "none");
    assert_python("[Python]\nproperties = decimal.Decimal,\n  a.b.C", PINSIGHT_KEY_PROPERTIES,
                  "decimal.Decimal, a.b.C");
    assert_python("[Python]\nmodule_exclude = a\n[Python]\nmodule_exclude = none",
                  PINSIGHT_KEY_MODULE_EXCLUDE, "none");
}

static void test_lists_over_lines(void **state) {
    (void)state;
    FOR_TEXTS (text, "[Python]\nmodule_filter = a, b, c\n",
               "[Python]\nmodule_filter = a,\n   b,  # comment\n\n# more\n   c\ntrace_mode = OFF\n",
               "[Python]\nmodule_filter =\n   a,\n   b,\n   c\n",
               "[Python]\nmodule_filter = a\n   , b\n   , c\n[MPI]\n",
               "[Python]\nmodule_filter = a, b\n ,\n c")
        assert_python(text, PINSIGHT_KEY_MODULE_FILTER, "a, b, c");
}

static void test_ranges(void **state) {
    struct pinsight_config *config =
        test_good("[Python.punit.thread]\nrange = 0 - 3,7,\n  9-9\n[OpenMP.punit.team]\nrange=*\n");
    const struct pinsight_config_setting *range =
        pinsight_config_punit_range(config, PYTHON, 0, NULL);

    (void)state;
    assert_string_equal(test_value(config, range), "0-3,7,9");
    assert_int_equal(range->origin.line, 2);
    assert_true(pinsight_config_in_ranges(&range->ranges, 0));
    assert_true(pinsight_config_in_ranges(&range->ranges, 3));
    assert_false(pinsight_config_in_ranges(&range->ranges, 4));
    assert_true(pinsight_config_in_ranges(&range->ranges, 9));
    assert_false(pinsight_config_in_ranges(&range->ranges, UINT32_MAX));
    range = pinsight_config_punit_range(config, OPENMP, 0, NULL);
    assert_true(pinsight_config_in_ranges(&range->ranges, UINT32_MAX));
}

static void test_windows(void **state) {
    struct pinsight_config *config =
        test_good("[Lexgion.default]\ntrace_starts_at = 7\ntracing_rate = 10\n"
                  "max_num_traces = 9223372036854775807\nwindow_timeout = 2.5\n"
                  "trace_mode_after = MONITORING\n");
    const char *region = "OpenMP:f";

    (void)state;
    assert_string_equal(test_resolved(config, region, PINSIGHT_KEY_STARTS_AT), "7");
    assert_string_equal(test_resolved(config, region, PINSIGHT_KEY_RATE), "10");
    assert_string_equal(test_resolved(config, region, PINSIGHT_KEY_MAX_TRACES),
                        "9223372036854775807");
    assert_string_equal(test_resolved(config, region, PINSIGHT_KEY_TIMEOUT), "2.5");
    assert_string_equal(test_resolved(config, region, PINSIGHT_KEY_MODE_AFTER), "MONITORING");
}

static const struct pinsight_config *config_after(const char *value) {
    char text[256] = "[Lexgion.default]\ntrace_mode_after = ";

    return test_good(strcat(text, value));
}

static const struct pinsight_config_after *read_after(const char *value) {
    struct pinsight_config_region region = {
        .domain = PYTHON, .kind = PINSIGHT_SELECT_CALLEE, .name = "f"};

    return &pinsight_config_lexgion_setting(config_after(value), &region, PINSIGHT_KEY_MODE_AFTER,
                                            NULL)
                ->after;
}

static void test_after(void **state) {
    const struct pinsight_config_after *after = read_after("off");

    (void)state;
    assert_int_equal(after->kind, PINSIGHT_AFTER_LEXGION);
    assert_int_equal(after->mode, PINSIGHT_MODE_OFF);
    after = read_after("Python : STANDBY ,\n MPI:OFF");
    assert_int_equal(after->kind, PINSIGHT_AFTER_DOMAINS);
    assert_int_equal(after->count, 2);
    assert_int_equal(after->domains[1].domain, MPI);
    assert_int_equal(after->domains[0].mode, PINSIGHT_MODE_STANDBY);
    after = read_after("INTROSPECT:1.5:./a:b.sh:TRACING");
    assert_int_equal(after->kind, PINSIGHT_AFTER_INTROSPECT);
    assert_true(after->pause_ns == INT64_C(1500000000));
    assert_string_equal(after->script, "./a:b.sh");
    assert_int_equal(after->mode, PINSIGHT_MODE_TRACING);
    after = read_after("introspect : -1 : - : standby");
    assert_true(after->pause_ns == -1);
    assert_null(after->script);
    after = read_after("INTROSPECT:0:\"a b,c:\\\"#\":OFF");
    assert_string_equal(after->script, "a b,c:\"#");
    assert_true(after->pause_ns == 0);
}

/* The path of the script of a file that is called `path`; it is printed as it is written. */
static void assert_script(const char *path, const char *written, const char *expected) {
    char text[256];
    struct pinsight_config_region region = {
        .domain = PYTHON, .kind = PINSIGHT_SELECT_CALLEE, .name = "f"};

    snprintf(text, sizeof text, "[Lexgion.Python]\ntrace_mode_after = INTROSPECT:1:%s:OFF\n",
             written);
    struct pinsight_config_input input = {.domains = test_domains,
                                          .domain_count = DOMAINS,
                                          .path = path,
                                          .text = text,
                                          .length = strlen(text)};
    struct pinsight_config *config = test_kept(pinsight_config_read(&input, &test_errors));
    assert_string_equal(
        pinsight_config_lexgion_setting(config, &region, PINSIGHT_KEY_MODE_AFTER, NULL)
            ->after.script,
        expected);
    snprintf(text, sizeof text, "INTROSPECT:1:%s:OFF", written);
    assert_string_equal(test_resolved(config, "Python:c:f", PINSIGHT_KEY_MODE_AFTER), text);
}

static void test_scripts_begin_at_the_file(void **state) {
    (void)state;
    assert_script("f.ini", "look.sh", "look.sh");
    assert_script("a/f.ini", "look.sh", "a/look.sh");
    assert_script("/a/b/f.ini", "./look.sh", "/a/b/./look.sh");
    assert_script("/f.ini", "../look.sh", "/../look.sh");
    assert_script("/a/b/f.ini", "/bin/true", "/bin/true");
    assert_script("/a/b/f.ini", "\"-\"", "/a/b/-");
}

/* What is printed can be read again, and says the same. */
static void test_format_can_be_read(void **state) {
    (void)state;
    FOR_TEXTS (value, "STANDBY", "Python:OFF, CUDA:TRACING",
               "INTROSPECT:0.000000001:\"a \\\"b;\\\\\":OFF", "INTROSPECT:-1:-:MONITORING",
               "INTROSPECT:0:\"-\":OFF", "INTROSPECT:0:\"a(b\":OFF")
        assert_string_equal(
            test_resolved(config_after(value), "Python:c:f", PINSIGHT_KEY_MODE_AFTER), value);
}

static void test_module_lists(void **state) {
    struct pinsight_config *config = test_good("[Python]\nmodule_filter = numpy, a.b\n");
    const struct pinsight_config_list *list =
        &of_domain(config, PYTHON, PINSIGHT_KEY_MODULE_FILTER)->modules;

    (void)state;
    assert_true(pinsight_config_in_modules(list, "numpy"));
    assert_true(pinsight_config_in_modules(list, "numpy.linalg"));
    assert_false(pinsight_config_in_modules(list, "numpyro"));
    assert_false(pinsight_config_in_modules(list, "num"));
    assert_true(pinsight_config_in_modules(list, "a.b.c"));
    assert_false(pinsight_config_in_modules(list, "a"));
}

static void test_template(void **state) {
    struct pinsight_config *config = test_good(pinsight_config_template);
    const char *region = "Python:solver.py:f";

    (void)state;
    assert_string_equal(test_resolved(config, region, PINSIGHT_KEY_MAX_TRACES), "100");
    assert_string_equal(test_resolved(config, region, PINSIGHT_KEY_MODE_AFTER), "MONITORING");
    assert_string_equal(test_value(config, pinsight_config_punit_range(config, PYTHON, 0, NULL)),
                        "0");
    assert_string_equal(test_value(config, of_domain(config, PYTHON, PINSIGHT_KEY_MODULE_FILTER)),
                        "*");
}

int main(void) {
    return RUN_CONFIG_TESTS(test_defaults, test_domain_keys, test_lists_over_lines, test_ranges,
                            test_windows, test_after, test_scripts_begin_at_the_file,
                            test_format_can_be_read, test_module_lists, test_template);
}
