/* Starting a command and passing its signals on. */
#include "unit.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "session/launch.h"
#include "session/wait.h"

extern char **environ;

/*
 * Runs a shell script as a command, in a process of its own that stands for `pinsight run`, and
 * sends it signals. Returns its wait status.
 */
static int last_deadly(const int *numbers) {
    int last = 0;

    for (; numbers != NULL && *numbers != 0; numbers++) {
        if (*numbers == SIGTERM || *numbers == SIGINT) {
            last = *numbers;
        }
    }
    return last;
}

static int run_script(const char *script, const int *numbers, bool to_group) {
    pid_t run = fork();

    if (run == 0) {
        struct pinsight_signals signals;
        char *words[] = {"sh", "-c", (char *)script, NULL};
        struct pinsight_worker monitor;
        int error = 0;
        setpgid(0, 0);
        if (pinsight_launch_signals_take(&signals) != 0) {
            _exit(99);
        }
        assert_int_equal(pinsight_signal_monitor_start(&monitor), 0);
        pid_t pid = pinsight_launch(words, environ, &signals, &error);
        if (pid == 0) {
            _exit(98);
        }
        int told = -1;
        int status = pinsight_wait_for(pid, &signals, monitor.fd, -1, NULL, NULL, &told);
        pinsight_worker_kill(&monitor);
        if (told != last_deadly(numbers)) {
            _exit(97);
        }
        pinsight_end_like(status);
    }
    setpgid(run, run);
    for (; numbers != NULL && *numbers != 0; numbers++) {
        pinsight_sleep_ms(300);
        kill(to_group ? -run : run, *numbers);
    }
    int status = 0;
    waitpid(run, &status, 0);
    return status;
}

static const char counting[] = "n=0; trap 'n=$((n+1))' USR1; trap 'exit $n' TERM;"
                               "while :; do sleep 0.02; done";

static void test_status(void **state) {
    (void)state;
    int status = run_script("exit 7", NULL, false);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    status = run_script("kill -SEGV $$", NULL, false);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
}

static void test_signals_arrive_once(void **state) {
    static const int numbers[] = {SIGUSR1, SIGUSR1, SIGTERM, 0};

    (void)state;
    int status = run_script(counting, numbers, false);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 2);
    status = run_script(counting, numbers, true);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 2);
}

static void test_a_signal_ends_both(void **state) {
    static const int numbers[] = {SIGINT, 0};

    (void)state;
    int status = run_script("exec sleep 10", numbers, false);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
}

static void test_what_cannot_be_executed(void **state) {
    struct pinsight_signals signals;
    char *words[] = {"/no/such/program", NULL};
    int error = 0;

    (void)state;
    assert_int_equal(pinsight_launch_signals_take(&signals), 0);
    assert_int_equal(pinsight_launch(words, environ, &signals, &error), 0);
    assert_int_equal(error, ENOENT);
    close(signals.fd);
    sigprocmask(SIG_SETMASK, &signals.old_mask, NULL);
}

int main(void) {
    return RUN_TESTS(test_status, test_signals_arrive_once, test_a_signal_ends_both,
                     test_what_cannot_be_executed);
}
