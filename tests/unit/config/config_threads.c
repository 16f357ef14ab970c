/* Threads read configurations of their own and look into one that they share. */
#include "config_test.h"
#include "threads.h"

enum { THREADS = 4, ROUNDS = 200 };

static const char text[] = "[Python]\ntrace_mode = STANDBY\n[Lexgion(Python:*.py:f)]\n"
                           "max_num_traces = 3\ntrace_mode_after = Python:OFF, MPI:OFF\n";

static void *work(void *argument) {
    const struct pinsight_config *shared = argument;
    struct pinsight_config_errors errors;
    struct pinsight_config_region region = {
        .domain = PYTHON, .kind = PINSIGHT_SELECT_SOURCE, .file = "/x/a.py", .name = "f"};
    struct pinsight_config_input input = test_input(text);
    uintptr_t wrong = 0;

    for (int i = 0; i < ROUNDS; i++) {
        struct pinsight_config *own = pinsight_config_read(&input, &errors);
        struct pinsight_config_window window;
        if (!own)
            return (void *)1;
        pinsight_config_window(i % 2 ? shared : own, &region, NULL, &window);
        wrong += window.max_traces->number != 3 || window.mode_after->after.count != 2;
        pinsight_config_free(own);
    }
    return (void *)wrong;
}

static void test_threads(void **state) {
    struct pinsight_config *shared = test_good(text);
    (void)state;
    threads_run(THREADS, work, shared, 0);
}

int main(void) {
    return RUN_CONFIG_TESTS(test_threads);
}
