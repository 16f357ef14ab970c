/* What the environment says: it wins over the file, and its mistakes are those of a file. */
#include "config_test.h"

/* The environment of a reading: names and values, ended by NULL. */
static const char *const *variables;

static const char *get(const char *name) {
    for (const char *const *at = variables; at && *at; at += 2)
        if (strcmp(*at, name) == 0)
            return at[1];
    return NULL;
}

#define SET(...) ((const char *const[]){__VA_ARGS__, NULL})

static struct pinsight_config *read_with(const char *const *environment, const char *text) {
    struct pinsight_config_input input = test_input(text);

    input.environment = get;
    variables = environment;
    struct pinsight_config *config = pinsight_config_read(&input, &test_errors);
    variables = NULL;
    return config;
}

/* A key of a domain is this value, from there. */
static void assert_from(const struct pinsight_config *config, unsigned domain,
                        enum pinsight_config_key key, const char *value, const char *from) {
    char origin[64];
    const struct pinsight_config_setting *setting =
        pinsight_config_domain_setting(config, domain, key, NULL);

    assert_string_equal(test_value(config, setting), value);
    assert_string_equal(pinsight_config_format_origin(&setting->origin, origin, sizeof origin),
                        from);
}

static void test_it_wins_over_the_file(void **state) {
    struct pinsight_config *config = test_kept(
        read_with(SET("PINSIGHT_TRACE_OPENMP", "standby", "PINSIGHT_EVENTS", " import,Function",
                      "PINSIGHT_NAMES", "registry"),
                  "[OpenMP]\ntrace_mode = OFF\nevents = work\n"
                  "[Python]\nevents = c_call\nnames = inline\ntrace_mode = MONITORING\n"));

    (void)state;
    assert_from(config, OPENMP, PINSIGHT_KEY_TRACE_MODE, "STANDBY",
                "environment, PINSIGHT_TRACE_OPENMP");
    assert_from(config, PYTHON, PINSIGHT_KEY_EVENTS, "function, import",
                "environment, PINSIGHT_EVENTS");
    assert_from(config, PYTHON, PINSIGHT_KEY_NAMES, "registry", "environment, PINSIGHT_NAMES");
    assert_from(config, PYTHON, PINSIGHT_KEY_TRACE_MODE, "MONITORING", "f.ini:7");
    assert_from(config, OPENMP, PINSIGHT_KEY_EVENTS, "work", "f.ini:3"); /* of Python alone */
}

static void test_limits_do_not_win_over_it(void **state) {
    struct pinsight_config *config = test_kept(read_with(
        SET("PINSIGHT_TRACE_OPENMP", "standby"), "[OpenMP] : MPI.rank(*)\ntrace_mode = OFF\n"));

    (void)state;
    assert_from(config, OPENMP, PINSIGHT_KEY_TRACE_MODE, "STANDBY",
                "environment, PINSIGHT_TRACE_OPENMP");
}

static void test_chosen_domains(void **state) {
    struct pinsight_config *config =
        test_kept(read_with(SET("PINSIGHT_DOMAINS", "python , mpi", "PINSIGHT_TRACE_OPENMP",
                                "MONITORING", "PINSIGHT_TRACE_MPI", "STANDBY"),
                            "[Python]\ntrace_mode = MONITORING\n[CUDA]\ntrace_mode = TRACING\n"));

    (void)state;
    assert_from(config, PYTHON, PINSIGHT_KEY_TRACE_MODE, "MONITORING", "f.ini:2");
    assert_from(config, CUDA, PINSIGHT_KEY_TRACE_MODE, "OFF", "environment, PINSIGHT_DOMAINS");
    assert_from(config, OPENMP, PINSIGHT_KEY_TRACE_MODE, "MONITORING",
                "environment, PINSIGHT_TRACE_OPENMP");
    assert_from(config, MPI, PINSIGHT_KEY_TRACE_MODE, "STANDBY", "environment, PINSIGHT_TRACE_MPI");
}

static void test_no_event(void **state) {
    struct pinsight_config *config = test_kept(read_with(SET("PINSIGHT_EVENTS", "none"), ""));

    (void)state;
    assert_from(config, PYTHON, PINSIGHT_KEY_EVENTS, "none", "environment, PINSIGHT_EVENTS");
}

static void test_mistakes(void **state) {
    static const char *const cases[][3] = {
        {"PINSIGHT_TRACE_PYTHON", "TRACE", "unknown mode 'TRACE'; did you mean 'TRACING'?"},
        {"PINSIGHT_EVENTS", "functions",
         "unknown event 'functions' of Python; did you mean "
         "'function'?"},
        {"PINSIGHT_EVENTS", "none,function", "'none' stands alone in events"},
        {"PINSIGHT_EVENTS", "function,",
         "nothing stands after the last comma of "
         "'PINSIGHT_EVENTS'"},
        {"PINSIGHT_EVENTS", ",", "nothing stands before this comma"},
        {"PINSIGHT_EVENTS", "function\033",
         "unknown event 'function\\x1B' of Python; did you mean "
         "'function'?"},
        {"PINSIGHT_NAMES", "inlin", "unknown value 'inlin' of names; did you mean 'inline'?"},
        {"PINSIGHT_DOMAINS", "python,pmi", "unknown domain 'pmi'; did you mean 'MPI'?"},
        {"PINSIGHT_DOMAINS", "python,", "nothing stands after the last comma"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const set[] = {cases[i][0], cases[i][1], NULL};
        char found[1024], wanted[1024];
        struct pinsight_config *config = read_with(set, "");
        if (config)
            fail_msg("%s=%s is taken", set[0], set[1]);
        assert_int_equal(test_errors.count, 1);
        snprintf(wanted, sizeof wanted, "%s: %s", set[0], cases[i][2]);
        assert_string_equal(pinsight_config_error_text(&test_errors, 0, found, sizeof found),
                            wanted);
    }
}

static void test_empty_variables(void **state) {
    static const char *const names[] = {"PINSIGHT_TRACE_PYTHON", "PINSIGHT_EVENTS",
                                        "PINSIGHT_NAMES", "PINSIGHT_DOMAINS"};

    (void)state;
    for (size_t i = 0; i < 2 * sizeof names / sizeof *names; i++) {
        const char *const set[] = {names[i / 2], i % 2 ? " \t" : "", NULL};
        char found[1024], wanted[1024];
        assert_null(read_with(set, ""));
        snprintf(wanted, sizeof wanted, "%s has no value; give it one, or unset it", set[0]);
        assert_string_equal(pinsight_config_error_text(&test_errors, 0, found, sizeof found),
                            wanted);
    }
}

/* Mistakes of both come together. */
static void test_with_a_wrong_file(void **state) {

    (void)state;
    assert_null(read_with(SET("PINSIGHT_NAMES", "x"), "[Python]\nnames = y\n"));
    assert_int_equal(test_errors.count, 2);
    assert_int_equal(test_errors.list[0].line, 2);
    assert_non_null(strstr(test_errors.list[1].text, "PINSIGHT_NAMES: "));
}

int main(void) {
    return RUN_CONFIG_TESTS(test_it_wins_over_the_file, test_limits_do_not_win_over_it,
                            test_chosen_domains, test_no_event, test_mistakes, test_empty_variables,
                            test_with_a_wrong_file);
}
