/* The options of `pinsight run`. */
#include "unit.h"

#include "cli/options.h"
#include "cli/run_options.h"

#include <sys/mman.h>
#include <unistd.h>

static struct pinsight_run_options options;
static char message[512], note[256];
static int status;

/* Reads the options, and what is said on stderr meanwhile. */
static bool reads_words(int argc, char **argv) {
    int kept = dup(STDERR_FILENO), said = memfd_create("stderr", 0);
    bool good;

    dup2(said, STDERR_FILENO);
    good = pinsight_run_options_read(&options, argc, argv, &status, note, sizeof(note));
    dup2(kept, STDERR_FILENO);
    close(kept);
    memset(message, 0, sizeof(message));
    assert_true(pread(said, message, sizeof(message) - 1, 0) >= 0);
    close(said);
    return good;
}

/* Reads "run" and the words of `line`, separated by single spaces ("" for no words). */
static bool reads(const char *line) {
    static char text[1024];
    static char *argv[64];
    int argc = 0;

    snprintf(text, sizeof(text), "%s", line);
    argv[argc++] = "run";
    for (char *word = text; word != NULL && *text != '\0';) {
        char *end = strchr(word, ' ');
        if (end != NULL) {
            *end++ = '\0';
        }
        argv[argc++] = word;
        word = end;
    }
    argv[argc] = NULL;
    return reads_words(argc, argv);
}

static void test_defaults(void **state) {
    (void)state;
    assert_true(reads("-- true"));
    assert_null(options.output);
    assert_string_equal(options.domains, "");
    assert_null(options.config);
    assert_string_equal(options.events, "");
    assert_null(options.names);
    assert_null(options.mode);
    assert_false(options.lossless);
    assert_true(options.buffer_size == 0);
    assert_true(options.max_size == UINT64_C(2) << 30);
    assert_false(options.no_summary || options.quiet);
    assert_string_equal(options.command[0], "true");
    assert_null(options.command[1]);
    assert_string_equal(note, "");
}

static void test_all_options(void **state) {
    (void)state;
    assert_true(
        reads("-o d -c f.ini --domains python --events c_call --names registry --mode monitoring "
              "--lossless --buffer-size 256K --max-size 0 --no-summary -q -- a -b --events"));
    assert_string_equal(options.output, "d");
    assert_string_equal(options.config, "f.ini");
    assert_string_equal(options.domains, "python");
    assert_string_equal(options.events, "c_call");
    assert_string_equal(options.names, "registry");
    assert_string_equal(options.mode, "MONITORING");
    assert_true(options.lossless && options.no_summary && options.quiet);
    assert_true(options.buffer_size == 256 << 10);
    assert_true(options.max_size == 0);
    assert_string_equal(options.command[0], "a");
    assert_string_equal(options.command[2], "--events");
}

static void test_equals_signs(void **state) {
    (void)state;
    assert_true(reads("--output=d --domains=Python --events=none --max-size=1M true"));
    assert_string_equal(options.output, "d");
    assert_string_equal(options.domains, "python");
    assert_string_equal(options.events, "none");
    assert_true(options.max_size == 1 << 20);
}

static void test_command_without_dashes(void **state) {
    (void)state;
    assert_true(reads("-q python3 -q --lossless -- x"));
    assert_true(options.quiet);
    assert_false(options.lossless);
    assert_string_equal(options.command[0], "python3");
    assert_string_equal(options.command[3], "--");
}

static void test_quick(void **state) {
    (void)state;
    assert_true(reads("--quick true"));
    assert_string_equal(options.mode, "MONITORING");
    assert_true(reads("--mode monitoring --quick true"));
    assert_string_equal(options.mode, "MONITORING");
    assert_true(reads("true"));
    assert_null(options.mode);
}

static void test_lists(void **state) {
    (void)state;
    assert_true(reads("--events c_call,function,c_call true"));
    assert_string_equal(options.events, "c_call,function");
    assert_true(reads("--events import --config=x.ini true"));
    assert_string_equal(options.events, "import");
    assert_string_equal(options.config, "x.ini");
    assert_true(reads("--domains python,python true"));
    assert_string_equal(options.domains, "python");
}

static void test_buffer_sizes_are_rounded_with_a_word(void **state) {
    (void)state;
    assert_true(reads("--buffer-size 300000 true"));
    assert_true(options.buffer_size == 512 << 10);
    assert_non_null(strstr(note, "512K"));
    assert_true(reads("--buffer-size 100 true"));
    assert_true(options.buffer_size == 4096);
    assert_non_null(strstr(note, "4K"));
}

/* What is wrong, and what the message must name. */
static void test_messages(void **state) {
    static const struct {
        const char *line;
        const char *parts[3];
    } cases[] = {
        {"", {"command", "pinsight run -- "}},
        {"-q", {"command"}},
        {"--", {"command"}},
        {"--event function true", {NULL}}, /* a unique beginning is taken */
        {"--evnts function true", {"--evnts", "--events"}},
        {"--losless true", {"--losless", "--lossless"}},
        {"--frobnicate true", {"--frobnicate", "--help"}},
        {"-x true", {"-x", "--help"}},
        {"--lossless -xq true", {"'-x'", "--help"}}, /* the letter, not the option before it */
        {"--lossless -qx true", {"'-x'", "--help"}},
        {"--lossless=yes true", {"--lossless", "no value"}},
        {"-o", {"-o", "value"}},
        {"--events", {"--events", "value"}},
        {"--events= true", {"--events", "empty"}},
        {"--output= true", {"--output", "empty"}},
        {"--config= true", {"--config", "empty"}},
        {"--events functions true", {"--events", "functions", "'function'"}},
        {"--events function,,c_call true", {"--events", "empty"}},
        {"--events function, true", {"--events", "empty"}},
        {"--events xyzzy true",
         {"--events", "xyzzy", "function, c_call, import, gc, gil, lock, task, generator or none"}},
        {"--events function,none true", {"--events", "'none' alone", "'function,none'"}},
        {"--events none,function true", {"--events", "'none' alone", "'none,function'"}},
        {"--domains pyhton true", {"--domains", "pyhton", "'python'"}},
        {"--domains openpm true", {"--domains", "openpm", "'openmp'"}},
        {"--names inlin true", {"--names", "inlin", "'inline'"}},
        {"--names both true", {"--names", "both", "inline or registry"}},
        {"--mode TRACE true", {"--mode", "TRACE", "'TRACING'"}},
        {"--mode loud true", {"--mode", "loud", "STANDBY"}},
        {"--quick --mode TRACING true", {"--quick is --mode MONITORING", "--mode TRACING"}},
        {"--buffer-size big true", {"--buffer-size", "big", "256K"}},
        {"--buffer-size 0 true", {"--buffer-size", "0", "4K"}},
        {"--buffer-size 2G true", {"--buffer-size", "2G", "1G"}},
        {"--buffer-size -1 true", {"--buffer-size", "-1"}},
        {"--max-size 1.5G true", {"--max-size", "1.5G"}},
        {"--max-size -5 true", {"--max-size", "-5"}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        bool good = reads(cases[i].line);
        if (cases[i].parts[0] == NULL) {
            assert_true(good);
            continue;
        }
        if (good || status != 2) {
            fail_msg("taken: %s", cases[i].line);
        }
        for (size_t j = 0; j < 3 && cases[i].parts[j] != NULL; j++) {
            if (strstr(message, cases[i].parts[j]) == NULL) {
                fail_msg("'%s' does not name %s: %s", cases[i].line, cases[i].parts[j], message);
            }
        }
    }
}

static void test_help_needs_no_command(void **state) {
    (void)state;
    assert_false(reads("--help"));
    assert_int_equal(status, 0);
    assert_string_equal(message, "");
    assert_non_null(strstr(cli_run.more, "pinsight run -- python3"));
}

int main(void) {
    return RUN_TESTS(test_defaults, test_all_options, test_equals_signs,
                     test_command_without_dashes, test_quick, test_lists,
                     test_buffer_sizes_are_rounded_with_a_word, test_messages,
                     test_help_needs_no_command);
}
