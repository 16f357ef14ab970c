/* Sections that hold in some units of other domains only. */
#include "config_test.h"

static int64_t unit(const void *data, unsigned domain, unsigned punit) {
    return domain == MPI && punit == 0 ? *(const int64_t *)data : -1;
}

static enum pinsight_mode mode_at(const struct pinsight_config *config, int64_t rank) {
    struct pinsight_config_place place = {unit, &rank};

    return pinsight_config_domain_setting(config, OPENMP, PINSIGHT_KEY_TRACE_MODE, &place)->mode;
}

static void test_domain(void **state) {
    struct pinsight_config *config =
        test_good("[OpenMP] : MPI.rank(0, 4-5)\ntrace_mode = STANDBY\n"
                  "[OpenMP] : MPI.rank(0-4), MPI.rank(4)\ntrace_mode = OFF\n"
                  "[OpenMP]\ntrace_mode = MONITORING\n");

    (void)state;
    assert_int_equal(mode_at(config, 0), PINSIGHT_MODE_STANDBY);
    assert_int_equal(mode_at(config, 1), PINSIGHT_MODE_MONITORING);
    assert_int_equal(mode_at(config, 4), PINSIGHT_MODE_OFF);
    assert_int_equal(mode_at(config, 5), PINSIGHT_MODE_STANDBY);
    assert_int_equal(mode_at(config, -1), PINSIGHT_MODE_MONITORING);
    assert_int_equal(
        pinsight_config_domain_setting(config, OPENMP, PINSIGHT_KEY_TRACE_MODE, NULL)->mode,
        PINSIGHT_MODE_MONITORING);
}

static void test_ranges_and_lexgions(void **state) {
    struct pinsight_config *config =
        test_good("[Python.punit.thread] : MPI.rank(0)\nrange = 0\n"
                  "[Lexgion.default] : MPI.rank(0)\nmax_num_traces = 5\n"
                  "[Lexgion(Python:a.py:f)] : MPI.rank(*)\nmax_num_traces = 6\n");
    int64_t rank = 0;
    struct pinsight_config_place place = {unit, &rank};
    struct pinsight_config_region region = {
        .domain = PYTHON, .kind = PINSIGHT_SELECT_SOURCE, .file = "a.py", .name = "g"};
    enum pinsight_config_key key = PINSIGHT_KEY_MAX_TRACES;
    char limits[64];

    (void)state;
    assert_int_equal(pinsight_config_punit_range(config, PYTHON, 0, &place)->ranges.count, 1);
    assert_int_equal(pinsight_config_punit_range(config, PYTHON, 0, NULL)->ranges.count, 0);
    assert_int_equal(pinsight_config_lexgion_setting(config, &region, key, &place)->number, 5);
    assert_int_equal(pinsight_config_lexgion_setting(config, &region, key, NULL)->number, -1);
    region.name = "f";
    const struct pinsight_config_setting *setting =
        pinsight_config_lexgion_setting(config, &region, key, &place);
    assert_int_equal(setting->number, 6);
    assert_string_equal(
        pinsight_config_format_limits(config, setting->section, limits, sizeof limits),
        "MPI.rank(*)");
    rank = -1;
    assert_int_equal(pinsight_config_lexgion_setting(config, &region, key, &place)->number, -1);
}

/* What a section says holds in a whole process. Of the units here, ranks alone are processes. */
static void test_parts_of_a_process(void **state) {
    static const char *const titles[] = {"[Lexgion.default]", "[Lexgion.MPI]", "[Lexgion(MPI:f)]",
                                         "[OpenMP]", "[OpenMP.punit.team]"};

    (void)state;
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++) {
        char text[128], message[512];
        /* A section's own units have another message. */
        snprintf(text, sizeof text, "%s : %sPython.thread(0)\n", titles[i],
                 strstr(titles[i], "MPI") ? "" : "MPI.rank(0), ");
        snprintf(message, sizeof message,
                 "f.ini:1:%zu: a section cannot be limited to a thread of Python, because it holds "
                 "for a whole process; limit it to a unit such as MPI.rank(0), or write "
                 "[Python.punit.thread] to record only some",
                 (size_t)(strstr(text, "Python.thread") - text) + 1);
        test_wrong(text, message);
    }
    test_good("[Lexgion.Python] : MPI.rank(0)\nmax_num_traces = 5\n"
              "[OpenMP.punit.team] : MPI.rank(0)\nrange = 1\n");
}

int main(void) {
    return RUN_CONFIG_TESTS(test_domain, test_parts_of_a_process, test_ranges_and_lexgions);
}
