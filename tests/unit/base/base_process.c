/* Other processes, and finding programs. */
#include "unit.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/process.h"
#include "base/program.h"
#include "base/spawn.h"

/* A child that sleeps: it does by the time it is returned. With a name, or stubborn. */
static pid_t sleeper(const char *name) {
    pid_t pid = fork();

    if (pid == 0) {
        if (name) {
            prctl(PR_SET_NAME, name);
        } else {
            signal(SIGTERM, SIG_IGN);
        }
        raise(SIGSTOP);
        for (;;) {
            pause();
        }
    }
    /* It stops when it is ready, and is asleep some time after it was ordered to continue. */
    assert_int_equal(waitpid(pid, NULL, WUNTRACED), pid);
    kill(pid, SIGCONT);
    while (pinsight_process_state(pid) != 'S') {
        pinsight_sleep_ms(1);
    }
    return pid;
}

/* A name with spaces and parentheses stands in /proc/PID/stat as it is. */
static void test_a_process_with_an_odd_name(void **state) {
    struct pinsight_proc process, child;
    char name[32];
    pid_t pid = sleeper(") Z 1 (x");

    (void)state;
    assert_true(pinsight_process_find(pid, &process));
    assert_true(pinsight_process_alive(&process));
    assert_int_equal(pinsight_process_parent(pid), getpid());
    assert_int_equal(pinsight_process_state(pid), 'S');
    assert_true(pinsight_process_name(pid, name, sizeof(name)));
    assert_string_equal(name, ") Z 1 (x");
    assert_int_equal(pinsight_process_children(getpid(), ") Z", &child, 1), 1);
    assert_int_equal(child.pid, pid);
    assert_true(child.start == process.start);
    assert_int_equal(pinsight_process_children(getpid(), "other", &child, 1), 0);

    struct pinsight_proc later = process;
    later.start++;
    assert_false(pinsight_process_alive(&later));
    kill(pid, SIGKILL);
    siginfo_t info;
    assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
    assert_false(pinsight_process_alive(&process)); /* a zombie */
    waitpid(pid, NULL, 0);
    assert_false(pinsight_process_alive(&process));
}

/* The field is the start time, which stays the same: a process looked at twice is the same one. */
static void test_the_start_time_stays(void **state) {
    struct pinsight_proc first, second;

    (void)state;
    assert_true(pinsight_process_find(getpid(), &first));
    void *memory = malloc(64 << 20);
    memset(memory, 1, 64 << 20);
    assert_true(pinsight_process_find(getpid(), &second));
    assert_true(first.start == second.start);
    assert_true(pinsight_process_find(getppid(), &second));
    assert_true(second.start <= first.start);
    free(memory);
}

static void test_no_process(void **state) {
    struct pinsight_proc none = {0, 0};

    (void)state;
    assert_false(pinsight_process_alive(&none));
    assert_false(pinsight_process_find(-1, &none));
    assert_int_equal(pinsight_process_state(0), 0);
}

static void test_a_stubborn_child_is_killed(void **state) {
    (void)state;
    pid_t pid = sleeper(NULL);
    int64_t start = pinsight_now_ms();
    pinsight_reap_within(pid, 100);
    assert_in_range(pinsight_now_ms() - start, 95, 5000);
    assert_int_equal(waitpid(pid, NULL, WNOHANG), -1);
}

static void test_programs(void **state) {
    char path[4096];

    (void)state;
    setenv("PATH", "/no-such-place:/bin:/usr/bin", 1);
    assert_int_equal(pinsight_program_find("sh", path), 0);
    assert_string_equal(path, "/bin/sh");
    assert_int_equal(pinsight_program_find("/bin/sh", path), 0);
    assert_int_equal(pinsight_program_find("no-such-program-at-all", path), ENOENT);
    assert_int_equal(pinsight_program_find("/no/such", path), ENOENT);
    assert_int_equal(pinsight_program_find("", path), ENOENT);
    assert_int_equal(pinsight_program_find("/etc", path), EISDIR);
    assert_int_equal(pinsight_program_find("/etc/passwd", path), EACCES);
    setenv("PATH", "/etc", 1);
    assert_int_equal(pinsight_program_find("passwd", path), EACCES);
    unsetenv("PATH");
    assert_int_equal(pinsight_program_find("sh", path), 0);
}

int main(void) {
    return RUN_TESTS(test_a_process_with_an_odd_name, test_the_start_time_stays, test_no_process,
                     test_a_stubborn_child_is_killed, test_programs);
}
