/* Sections that hold in some units of other domains only. */
#include "config_test.h"

struct here {
    int64_t rank, thread;
};

static int64_t unit(const void *data, unsigned domain, unsigned punit) {
    const struct here *here = data;

    if (domain == MPI && punit == 0)
        return here->rank;
    return domain == PYTHON ? here->thread : -1;
}

static enum pinsight_mode mode_at(const struct pinsight_config *config, int64_t rank,
                                  int64_t thread) {
    struct here here = {rank, thread};
    struct pinsight_config_place place = {unit, &here};

    return pinsight_config_domain_setting(config, OPENMP, PINSIGHT_KEY_TRACE_MODE, &place)->mode;
}

static void test_domain(void **state) {
    struct pinsight_config *config =
        test_good("[OpenMP] : MPI.rank(0, 4-5)\ntrace_mode = STANDBY\n"
                  "[OpenMP] : MPI.rank(4), Python.thread(0)\ntrace_mode = OFF\n"
                  "[OpenMP]\ntrace_mode = MONITORING\n");

    (void)state;
    assert_int_equal(mode_at(config, 0, 0), PINSIGHT_MODE_STANDBY);
    assert_int_equal(mode_at(config, 1, 0), PINSIGHT_MODE_MONITORING);
    assert_int_equal(mode_at(config, 4, 0), PINSIGHT_MODE_OFF);
    assert_int_equal(mode_at(config, 4, 1), PINSIGHT_MODE_STANDBY);
    assert_int_equal(mode_at(config, 5, -1), PINSIGHT_MODE_STANDBY);
    assert_int_equal(mode_at(config, -1, -1), PINSIGHT_MODE_MONITORING);
    assert_int_equal(
        pinsight_config_domain_setting(config, OPENMP, PINSIGHT_KEY_TRACE_MODE, NULL)->mode,
        PINSIGHT_MODE_MONITORING);
}

static void test_ranges_and_lexgions(void **state) {
    struct pinsight_config *config =
        test_good("[Python.punit.thread] : MPI.rank(0)\nrange = 0\n"
                  "[Lexgion.default] : MPI.rank(0)\nmax_num_traces = 5\n"
                  "[Lexgion(Python:a.py:f)] : MPI.rank(*)\nmax_num_traces = 6\n");
    struct here here = {0, 0};
    struct pinsight_config_place place = {unit, &here};
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
    here.rank = -1;
    assert_int_equal(pinsight_config_lexgion_setting(config, &region, key, &place)->number, -1);
}

/* A window counts the executions of a whole process. */
static void test_windows_are_of_a_process(void **state) {
    static const char *const titles[] = {"[Lexgion.default]", "[Lexgion.MPI]", "[Lexgion(MPI:f)]"};

    (void)state;
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++) {
        char text[128], message[512];
        snprintf(text, sizeof text, "%s : MPI.rank(0), Python.thread(0)\n", titles[i]);
        if (i > 0) /* its own units come first */
            snprintf(text, sizeof text, "%s : Python.thread(0)\n", titles[i]);
        snprintf(message, sizeof message,
                 "f.ini:1:%zu: windows count the executions of a whole process, so a section "
                 "[Lexgion...] cannot be limited to a thread of Python, which is a part of one; "
                 "[Python.punit.thread] says which are recorded",
                 (size_t)(strstr(text, "Python.thread") - text) + 1);
        test_wrong(text, message);
    }
    test_wrong("[Lexgion.default] : OpenMP.team(1)\n",
               "f.ini:1:21: windows count the executions of a whole process, so a section "
               "[Lexgion...] cannot be limited to a team of OpenMP, which is a part of one; "
               "[OpenMP.punit.team] says which are recorded");
    test_good("[Lexgion.Python] : MPI.rank(0)\nmax_num_traces = 5\n"
              "[OpenMP.punit.thread] : Python.thread(0)\nrange = 1\n");
}

int main(void) {
    return RUN_CONFIG_TESTS(test_domain, test_windows_are_of_a_process, test_ranges_and_lexgions);
}
