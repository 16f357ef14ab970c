/* The file with what a run knows of itself. */
#include "unit.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/reported.h"
#include "base/run_info.h"

static char place[64];

static int make_place(void **state) {
    (void)state;
    strcpy(place, "/tmp/pinsight-test-XXXXXX");
    return mkdtemp(place) == NULL;
}

static int remove_place(void **state) {
    char command[128];

    (void)state;
    snprintf(command, sizeof(command), "rm -rf %s", place);
    return system(command);
}

static void test_what_is_written_is_read(void **state) {
    struct pinsight_run_info info = {
        .command = "a 'b\nc' \\ d",
        .session = "pinsight-x-1-2",
        .lossless = true,
        .max_size = UINT64_MAX,
        .ended = true,
        .exit_status = -1,
        .signal = 11,
        .counted = true,
        .discarded_events = UINT64_C(1) << 40,
        .consumer_died = true,
    };
    struct pinsight_run_info read;

    (void)state;
    assert_int_equal(pinsight_run_info_write(place, &info), 0);
    assert_true(pinsight_run_info_read(place, &read));
    assert_string_equal(read.command, info.command);
    assert_string_equal(read.session, info.session);
    assert_string_equal(read.version, "");
    assert_true(read.lossless && read.ended && read.counted && read.consumer_died);
    assert_false(read.daemon_died || read.incomplete);
    assert_true(read.max_size == UINT64_MAX);
    assert_int_equal(read.exit_status, -1);
    assert_int_equal(read.signal, 11);
    assert_true(read.discarded_events == UINT64_C(1) << 40);
}

static void test_runner(void **state) {
    struct pinsight_run_info info = {.command = "a"};
    pid_t pid = fork();

    (void)state;
    if (pid == 0) {
        pause();
        _exit(0);
    }
    assert_int_equal(pinsight_run_info_runner(&info), PINSIGHT_RUNNER_UNKNOWN);
    pinsight_run_info_set_runner(&info, pid);
    assert_int_equal(pinsight_run_info_write(place, &info), 0);
    memset(&info, 0, sizeof(info));
    assert_true(pinsight_run_info_read(place, &info));
    assert_int_equal(pinsight_run_info_runner(&info), PINSIGHT_RUNNER_ALIVE);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    assert_int_equal(pinsight_run_info_runner(&info), PINSIGHT_RUNNER_GONE);
    *strrchr(info.runner, ' ') = '\0';
    strcat(info.runner, " 1");
    assert_int_equal(pinsight_run_info_runner(&info), PINSIGHT_RUNNER_UNKNOWN);
    pinsight_run_info_set_runner(&info, pid);
    assert_int_equal(pinsight_run_info_runner(&info), PINSIGHT_RUNNER_UNKNOWN);
}

static void test_damage_is_no_harm(void **state) {
    static const char text[] = "\n\n ended\nended yes\nended\nunknown 3\nsignal x\nexit_status 4\n"
                               "command \\\nmax_size -1";
    struct pinsight_run_info read;
    char path[128];

    (void)state;
    snprintf(path, sizeof(path), "%s/%s", place, PINSIGHT_RUN_INFO_FILE);
    FILE *file = fopen(path, "w");
    fputs(text, file);
    for (int i = 0; i < 20000; i++) {
        fputc('x', file);
    }
    fclose(file);
    assert_true(pinsight_run_info_read(place, &read));
    assert_true(read.ended);
    assert_int_equal(read.exit_status, 4);
    assert_int_equal(read.signal, 0);
    assert_string_equal(read.command, "\\");
}

static void say(const char *topic, const char *text, size_t size) {
    char path[128];

    snprintf(path, sizeof(path), "%s/.pinsight-said-%s", place, topic);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    fclose(file);
}

/* What processes said is a sentence, whatever bytes the file has. */
static void test_what_processes_said(void **state) {
    struct pinsight_run_info info = {.openmp_tool = "old"};
    char small[8], *large = malloc(100000);

    (void)state;
    pinsight_run_info_update(place, &info);
    assert_string_equal(info.openmp_tool, "");
    say("other-tool", "the \033[31mend\n", 13);
    pinsight_run_info_update(place, &info);
    assert_string_equal(info.openmp_tool, "The ?[31mend.");
    say("other-tool", "", 0);
    pinsight_run_info_update(place, &info);
    assert_string_equal(info.openmp_tool, "");
    assert_non_null(large);
    memset(large, 'x', 100000);
    say("other-tool", large, 100000);
    free(large);
    pinsight_run_info_update(place, &info);
    assert_int_equal(strlen(info.openmp_tool), sizeof(info.openmp_tool) - 1);
    say("small", "0123456789", 10);
    assert_true(pinsight_reported_read(place, "small", small, sizeof(small)));
    assert_string_equal(small, "012345.");
    say("small", "\0zero", 5);
    assert_false(pinsight_reported_read(place, "small", small, sizeof(small)));
    assert_false(pinsight_reported_read("/no-such-place", "small", small, sizeof(small)));
}

static void test_no_file(void **state) {
    struct pinsight_run_info read;

    (void)state;
    assert_false(pinsight_run_info_read("/no-such-place", &read));
    assert_false(read.ended);
    assert_int_not_equal(pinsight_run_info_write("/no-such-place", &read), 0);
}

static void test_commands_are_quoted(void **state) {
    char *words[] = {"python3", "-c", "print('a b')", "", "x=1", NULL};
    char text[64], small[12];

    (void)state;
    pinsight_run_info_quote(words, text, sizeof(text));
    assert_string_equal(text, "python3 -c 'print('\\''a b'\\'')' '' x=1");
    pinsight_run_info_quote(words, small, sizeof(small));
    assert_string_equal(small, "python3 -c ");
}

int main(void) {
    return RUN_TESTS_GROUP(make_place, remove_place, test_what_is_written_is_read, test_runner,
                           test_damage_is_no_harm, test_what_processes_said, test_no_file,
                           test_commands_are_quoted);
}
