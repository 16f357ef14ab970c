/* Domains and modes: the registry, first modes from the environment, changes at run time. */
#include "unit.h"

#include "tracer/core/domain.h"
#include "tracer/core/mode.h"

static int applied; /* how often apply_mode was called */
static int refuse;  /* what it answers */
static enum pinsight_mode seen_from, seen_mode;

static int apply(struct pinsight_domain *domain, enum pinsight_mode from, const char *reason) {
    assert_string_equal(reason, "api");
    applied++;
    seen_from = from;
    seen_mode = pinsight_domain_mode(domain);
    return refuse;
}

static struct pinsight_domain python = {.name = "Python", .apply_mode = apply};
static struct pinsight_domain other = {.name = "Other"};

static void environment_gives_the_first_mode(void **state) {
    (void)state;
    assert_int_equal(pinsight_domain_register(&python), 0);
    assert_int_equal(pinsight_domain_mode(&python), PINSIGHT_MODE_MONITORING);
    assert_int_equal(pinsight_set_mode("python", PINSIGHT_MODE_TRACING), 0);
    assert_ptr_equal(pinsight_domain_find("pYTHON"), &python);
    assert_null(pinsight_domain_find("Pyth"));
    assert_ptr_equal(pinsight_domain_at(python.slot), &python);
    assert_null(pinsight_domain_at(PINSIGHT_DOMAINS_MAX));
}

/* A domain that this build does not describe is in no configuration. */
static void an_unknown_domain_is_tracing(void **state) {
    (void)state;
    assert_int_equal(pinsight_domain_register(&other), 0);
    assert_int_equal(pinsight_domain_mode(&other), PINSIGHT_MODE_TRACING);
}

static void registering_twice_does_nothing(void **state) {
    (void)state;
    unsigned slot = python.slot;
    assert_int_equal(pinsight_domain_register(&python), 0);
    assert_int_equal(python.slot, slot);
}

static void a_change_is_applied_once(void **state) {
    (void)state;
    applied = 0;
    assert_int_equal(pinsight_set_mode("python", PINSIGHT_MODE_STANDBY), 0);
    assert_int_equal(applied, 1);
    assert_int_equal(seen_from, PINSIGHT_MODE_TRACING);
    assert_int_equal(seen_mode, PINSIGHT_MODE_STANDBY);
    assert_int_equal(pinsight_get_mode("Python"), PINSIGHT_MODE_STANDBY);
    assert_int_equal(pinsight_set_mode("python", PINSIGHT_MODE_STANDBY), 0);
    assert_int_equal(applied, 1);
}

static void a_refused_change_leaves_the_old_mode(void **state) {
    (void)state;
    refuse = -1;
    assert_int_equal(pinsight_set_mode("Python", PINSIGHT_MODE_OFF), -1);
    assert_int_equal(pinsight_get_mode("Python"), PINSIGHT_MODE_STANDBY);
    refuse = 0;
}

static void unknown_domains_and_modes_are_refused(void **state) {
    (void)state;
    assert_int_equal(pinsight_set_mode("Fortran", PINSIGHT_MODE_OFF), -1);
    assert_int_equal(pinsight_get_mode("Fortran"), -1);
    assert_int_equal(pinsight_set_mode("Python", (enum pinsight_mode)7), -1);
}

static void modes_have_names(void **state) {
    (void)state;
    enum pinsight_mode mode = PINSIGHT_MODE_OFF;
    for (int i = PINSIGHT_MODE_OFF; i <= PINSIGHT_MODE_TRACING; i++) {
        assert_int_equal(pinsight_mode_parse(pinsight_mode_name((enum pinsight_mode)i), &mode), 0);
        assert_int_equal(mode, i);
    }
    assert_int_equal(pinsight_mode_parse("tracing ", &mode), -1);
    assert_int_equal(pinsight_mode_parse("", &mode), -1);
    assert_string_equal(pinsight_mode_nearest("MONITOR"), "MONITORING");
    assert_string_equal(pinsight_mode_nearest("stanby"), "STANDBY");
    assert_string_equal(pinsight_mode_nearest("xyz"), "TRACING");
}

int main(void) {
    setenv("PINSIGHT_TRACE_PYTHON", "monitoring", 1);
    return RUN_TESTS(environment_gives_the_first_mode, an_unknown_domain_is_tracing,
                     registering_twice_does_nothing, a_change_is_applied_once,
                     a_refused_change_leaves_the_old_mode, unknown_domains_and_modes_are_refused,
                     modes_have_names);
}
