/* Domains to test with, and short ways; see config_test.h. */
#include "config_test.h"

static const char *const python_punits[] = {"thread", NULL};
static const char *const openmp_punits[] = {"team", "thread", "device", NULL};
static const char *const mpi_punits[] = {"rank", NULL};
static const char *const cuda_punits[] = {"device", NULL};

static const struct pinsight_event_descriptor python_events[] = {
    {"function", true, ""}, {"c_call", true, ""}, {"import", false, ""}};
static const struct pinsight_event_descriptor openmp_events[] = {
    {"parallel", true, ""}, {"work", true, ""}, {"task", false, ""}};
static const struct pinsight_event_descriptor mpi_events[] = {{"point", true, ""}};

const struct pinsight_description test_domains[DOMAINS] = {
    [PYTHON] = {.name = "Python",
                .punit_kinds = python_punits,
                .events = python_events,
                .event_count = 3,
                .selectors = PINSIGHT_SELECT_SOURCE | PINSIGHT_SELECT_CALLEE,
                .has_modules = true,
                .has_names = true,
                .has_operators = true,
                .has_properties = true,
                .has_import = true},
    [OPENMP] = {.name = "OpenMP",
                .punit_kinds = openmp_punits,
                .events = openmp_events,
                .event_count = 3,
                .selectors = PINSIGHT_SELECT_NATIVE},
    [MPI] = {.name = "MPI",
             .punit_kinds = mpi_punits,
             .events = mpi_events,
             .event_count = 1,
             .selectors = PINSIGHT_SELECT_NATIVE,
             .process_punits = 1},
    [CUDA] = {.name = "CUDA", .punit_kinds = cuda_punits, .has_device_activity = true},
};

struct pinsight_config_errors test_errors;

struct pinsight_config_input test_input(const char *text) {
    return (struct pinsight_config_input){
        .domains = test_domains,
        .domain_count = DOMAINS,
        .path = "f.ini",
        .text = text,
        .length = strlen(text),
    };
}

struct pinsight_config *test_read(const char *text) {
    struct pinsight_config_input input = test_input(text);

    return pinsight_config_read(&input, &test_errors);
}

struct pinsight_config *test_good(const char *text) {
    return test_kept(test_read(text));
}

static struct pinsight_config *kept[32];
static size_t kept_count;

struct pinsight_config *test_kept(struct pinsight_config *config) {
    char message[1024];

    if (!config)
        fail_msg("%s", pinsight_config_error_text(&test_errors, 0, message, sizeof message));
    assert_in_range(kept_count, 0, sizeof kept / sizeof *kept - 1);
    return kept[kept_count++] = config;
}

int test_release(void **state) {
    (void)state;
    while (kept_count)
        pinsight_config_free(kept[--kept_count]);
    return 0;
}

void test_wrong(const char *text, const char *message) {
    char found[1024];
    struct pinsight_config *config = test_read(text);

    if (config) {
        pinsight_config_free(config);
        fail_msg("no error in: %s", text);
    }
    assert_string_equal(pinsight_config_error_text(&test_errors, 0, found, sizeof found), message);
    assert_int_equal(test_errors.count, 1);
    assert_int_equal(test_errors.omitted, 0);
}

const char *test_value(const struct pinsight_config *config,
                       const struct pinsight_config_setting *setting) {
    static char text[1024];

    assert_non_null(setting);
    return pinsight_config_format(config, setting, text, sizeof text);
}

const char *test_resolved(const struct pinsight_config *config, const char *text,
                          enum pinsight_config_key key) {
    struct pinsight_config_region region;
    char store[256], error[256];

    if (pinsight_config_region_read(test_domains, DOMAINS, text, &region, store, sizeof store,
                                    error, sizeof error) != 0)
        fail_msg("%s", error);
    return test_value(config, pinsight_config_lexgion_setting(config, &region, key, NULL));
}
