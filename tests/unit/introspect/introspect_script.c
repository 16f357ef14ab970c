/* Starting and ending a script. */
#include "unit.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/process.h"
#include "introspect/script.h"

static char folder[64], file[128], why[PATH_MAX];

static void write_script(const char *text, unsigned mode) {
    snprintf(file, sizeof(file), "%s/script", folder);
    FILE *out = fopen(file, "w");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
    chmod(file, mode);
}

static pid_t start(void) {
    return pinsight_script_start(file, "/a chunk", "4711", "-", why);
}

static bool ends(pid_t script, int *status) {
    for (int i = 0; i < 1000; i++) {
        if (pinsight_script_ended(script, status)) {
            return true;
        }
        pinsight_sleep_ms(5);
    }
    return false;
}

static int status_of(const char *text) {
    int status = -1000;

    write_script(text, 0755);
    pid_t script = start();
    assert_true(script > 0);
    assert_true(ends(script, &status));
    return status;
}

static void test_arguments(void **state) {
    (void)state;
    assert_int_equal(status_of("#!/bin/sh\n[ $# = 3 ] && [ \"$1\" = '/a chunk' ] && [ $2 = 4711 ] "
                               "&& [ \"$3\" = - ] || exit 1\n"),
                     0);
}

static void test_status(void **state) {
    (void)state;
    assert_int_equal(status_of("#!/bin/sh\nexit 7\n"), 7);
    assert_int_equal(status_of("#!/bin/sh\nkill -SEGV $$\n"), -SIGSEGV);
}

/* What is blocked or ignored here is not there. */
static void test_signals(void **state) {
    sigset_t set, old;

    (void)state;
    sigfillset(&set);
    sigprocmask(SIG_SETMASK, &set, &old);
    signal(SIGPIPE, SIG_IGN);
    int status = status_of(
        "#!/bin/sh\n"
        "grep -q '^SigBlk:[[:space:]]*0*$' /proc/self/status &&\n"
        /* 32 and 33 are libc's own, which posix_spawn(3) may leave ignored */
        "grep -Eq '^SigIgn:[[:space:]]*0*(80000000|100000000|180000000)?$' /proc/self/status ||\n"
        "{ grep '^Sig' /proc/self/status >&2; exit 1; }\n");
    sigprocmask(SIG_SETMASK, &old, NULL);
    signal(SIGPIPE, SIG_DFL);
    assert_int_equal(status, 0);
}

static void assert_no_start(const char *reason) {
    char whole[300];

    snprintf(whole, sizeof(whole), "the script %s cannot be started: %s", file, reason);
    assert_int_equal(start(), 0);
    assert_string_equal(why, whole);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

static void test_missing(void **state) {
    (void)state;
    snprintf(file, sizeof(file), "%s/nothing", folder);
    assert_no_start("there is no such file");
}

static void test_not_executable(void **state) {
    static const char reason[] =
        "it is not executable (chmod +x), or is on a file system or in a folder that forbids it";

    (void)state;
    write_script("#!/bin/sh\n", 0644);
    assert_no_start(reason);
    strcpy(file, folder);
    assert_no_start(reason);
}

static void test_bad_interpreter(void **state) {
    (void)state;
    write_script("#!/no/such/sh\n", 0755);
    assert_no_start("the interpreter that its first line names is not there");
    write_script("just text\n", 0755);
    assert_no_start("it is no program, and its first line names no interpreter (#!/bin/sh)");
}

/* The pid that a script wrote into a file, 0 if none came. */
static pid_t written_pid(void) {
    char path[128];
    int pid = 0;

    snprintf(path, sizeof(path), "%s/pid", folder);
    for (int i = 0; i < 1000 && pid == 0; i++) {
        FILE *in = fopen(path, "r");
        if (in != NULL) {
            if (fscanf(in, "%d\n", &pid) != 1) {
                pid = 0;
            }
            fclose(in);
        }
        pinsight_sleep_ms(5);
    }
    unlink(path);
    return pid;
}

static bool is_gone(pid_t pid) {
    struct pinsight_proc process;

    return !pinsight_process_find(pid, &process);
}

/* Starts a script that hangs, with a child; gives the child. */
static pid_t start_hanging(const char *first_line, pid_t *script) {
    char text[600];

    snprintf(text, sizeof(text),
             "#!/bin/sh\n%s\nsleep 600 & echo $! > %s/pid; sleep 600; sleep 600\n", first_line,
             folder);
    write_script(text, 0755);
    *script = start();
    pid_t child = written_pid();
    assert_true(child > 0);
    return child;
}

/* How many milliseconds its end took. */
static int64_t end_of(pid_t script, int patience_ms) {
    int64_t before = pinsight_now_ms();

    pinsight_script_end(script, patience_ms);
    return pinsight_now_ms() - before;
}

static void test_end(void **state) {
    (void)state;
    pid_t script, child = start_hanging("", &script);
    assert_true(end_of(script, 2000) < 1500);
    assert_true(is_gone(script));
    assert_true(is_gone(child));
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

static void test_end_of_deaf(void **state) {
    (void)state;
    pid_t script, child = start_hanging("trap '' TERM", &script);
    int64_t took = end_of(script, 300);
    assert_true(took >= 300 && took < 3000);
    pinsight_sleep_ms(20);
    assert_true(is_gone(script));
    assert_true(is_gone(child));
}

static void test_end_of_stopped(void **state) {
    (void)state;
    pid_t script;
    start_hanging("", &script);
    kill(script, SIGSTOP);
    assert_true(end_of(script, 5000) < 4000);
    assert_true(is_gone(script));
}

static int set_up(void **state) {
    (void)state;
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    strcpy(folder, "/tmp/pinsight-script-XXXXXX");
    return mkdtemp(folder) == NULL;
}

static int tear_down(void **state) {
    (void)state;
    snprintf(file, sizeof(file), "%s/script", folder);
    unlink(file);
    return rmdir(folder);
}

int main(void) {
    return RUN_TESTS_GROUP(set_up, tear_down, test_arguments, test_status, test_signals,
                           test_missing, test_not_executable, test_bad_interpreter, test_end,
                           test_end_of_deaf, test_end_of_stopped);
}
