/* What the unit tests of the engine have in common; see engine_test.h. */
#include "engine_test.h"

static char file[64];

void test_settings_start(void) {
    char error[256];
    snprintf(file, sizeof file, "/tmp/pinsight-engine-%d.ini", (int)getpid());
    setenv("PINSIGHT_CONFIG", file, 1);
    FILE *out = fopen(file, "w");
    if (!out || fclose(out) != 0 || pinsight_settings_start(error, sizeof error) != 0)
        abort();
    recorder_listen(true);
}

void test_settings_end(void) {
    unlink(file);
}

void test_configure(const char *text) {
    struct pinsight_answer answer = {0};
    FILE *out = fopen(file, "w");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
    if (pinsight_settings_reload("ctl", &answer) != 0)
        fail_msg("%s: %s", text, answer.message);
}

void test_set_mode(struct pinsight_domain *domain, enum pinsight_mode mode) {
    assert_int_equal(pinsight_domain_set_mode(domain, mode, "api"), 0);
}

uint64_t test_sum(const char *event, const char *field) {
    uint64_t sum = 0;
    for (const struct recorded *at = NULL; (at = recorder_next(at, event));)
        sum += recorder_field(at, field);
    return sum;
}

uint64_t test_last(const char *event, const char *field) {
    uint64_t last = 0;
    for (const struct recorded *at = NULL; (at = recorder_next(at, event));)
        last = recorder_field(at, field);
    return last;
}

uint32_t test_random(uint64_t *seed, uint32_t limit) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((*seed >> 33) % limit);
}

uint64_t test_first_seed(void) {
    const char *text = getenv("PINSIGHT_TEST_SEED");
    return text ? strtoull(text, NULL, 10) : 1;
}

void test_let_pass(struct pinsight_window *window, unsigned seconds) {
    if (window && atomic_load(&window->opened))
        atomic_fetch_sub(&window->opened, (uint64_t)seconds * 1000000000u);
}
