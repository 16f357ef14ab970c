/* Every class of mistake, with its exact message. */
#include "config_test.h"

#include <errno.h>
#include <unistd.h>

static void test_sections(void **state) {
    (void)state;
    test_wrong("[Pyton]\n", "f.ini:1:2: unknown section 'Pyton'; did you mean 'Python'?");
    test_wrong("[Lexgoin.default]\n",
               "f.ini:1:2: unknown section 'Lexgoin'; did you mean 'Lexgion'?");
    test_wrong("[Something]\n",
               "f.ini:1:2: unknown section 'Something'; it is one of Python, OpenMP, MPI, CUDA or "
               "Lexgion (nearest: 'Python')");
    test_wrong("[Lexgion.Pythn]\n", "f.ini:1:10: unknown domain 'Pythn' after 'Lexgion.'; did you "
                                    "mean 'Python'?");
    test_wrong("[Python.punits.thread]\n", "f.ini:1:9: unknown word 'punits' in "
                                           "[Python.punits.thread]; did you mean 'punit'?");
    test_wrong("[Python.thread]\n", "f.ini:1:9: unknown word 'thread' in [Python.thread]; there is "
                                    "only 'punit'");
    test_wrong("[Python.punit]\n", "f.ini:1:2: which unit of Python? Write [Python.punit.thread]");
    test_wrong("[OpenMP.punit.threads]\n",
               "f.ini:1:15: unknown unit 'threads' of OpenMP; did you mean 'thread'?");
    test_wrong("[OpenMP.punit.x]\n", "f.ini:1:15: unknown unit 'x' of OpenMP; it is one of team, "
                                     "thread or device (nearest: 'team')");
    test_wrong("[]\n", "f.ini:1:1: a section without a name; write [Python] or [Lexgion.default]");
    test_wrong("\n  [Python\n", "f.ini:2:3: the section '[Python' is not closed; a ']' is missing");
    test_wrong("[Lexgion(Python:a.py:f]\n", "f.ini:1:1: the section '[Lexgion(Python:a.py:f]' is "
                                            "not closed; a ')' is missing");
    test_wrong("[Lexgion]\n", "f.ini:1:2: which lexgions? Write [Lexgion.default], "
                              "[Lexgion.Python] or [Lexgion(Python:...)]");
    test_wrong("[Python] x\n", "f.ini:1:10: 'x' stands after the section; what may follow is a "
                               "limit such as ': MPI.rank(0)'");
    test_wrong("[Python(a.py:f)]\n", "f.ini:1:8: '(a.py:f)' stands after the domain; did you mean "
                                     "'[Lexgion(Python:a.py:f)]'?");
}

static void test_selectors(void **state) {
    (void)state;
    test_wrong("[Lexgion(solver.py)]\n", "f.ini:1:10: 'solver.py' does not say which region; write "
                                         "DOMAIN:REGION, such as Python:solver.py:Solver.step");
    test_wrong("[Lexgion(Pyton:a.py:f)]\n",
               "f.ini:1:10: unknown domain 'Pyton'; did you mean 'Python'?");
    test_wrong("[Lexgion(Python:solver.py)]\n",
               "f.ini:1:17: 'solver.py': a file and a qualified name are wanted, such as "
               "solver.py:Solver.step, or a C callable, such as c:numpy.dot");
    test_wrong("[Lexgion(Python:c:)]\n", "f.ini:1:17: 'c:': the name of a C callable is missing, "
                                         "such as c:numpy.dot");
    test_wrong("[Lexgion(OpenMP:lib.so+0x4g)]\n",
               "f.ini:1:17: 'lib.so+0x4g': the offset is not a number, such as 0x4010");
    test_wrong("[Lexgion(OpenMP:lib.so+99999999999999999999)]\n",
               "f.ini:1:17: 'lib.so+99999999999999999999': the offset is not a number, such as "
               "0x4010");
    test_wrong("[Lexgion(CUDA:kernel)]\n", "f.ini:1:15: 'kernel': single regions of this domain "
                                           "cannot be selected");
}

static void test_limits(void **state) {
    (void)state;
    test_wrong("[OpenMP] :\n", "f.ini:1:11: nothing stands here");
    test_wrong("[OpenMP] : MPI\n", "f.ini:1:12: 'MPI' is not a limit; write DOMAIN.UNIT(RANGE) "
                                   "such as MPI.rank(0)");
    test_wrong("[OpenMP] : MPI.rank(0), \n", "f.ini:1:12: nothing stands after the last comma");
    test_wrong("[OpenMP] : MPX.rank(0)\n", "f.ini:1:12: unknown domain 'MPX'; did you mean 'MPI'?");
    test_wrong("[OpenMP] : MPI.rang(0)\n",
               "f.ini:1:16: unknown unit 'rang' of MPI; did you mean 'rank'?");
    test_wrong("[OpenMP] : MPI.rank(a)\n",
               "f.ini:1:21: 'a' is not a range; write numbers from 0 to 4294967295 such as 0, 0-3 "
               "or 0-3,7, or * for all");
    test_wrong("[OpenMP] : MPI.rank()\n", "f.ini:1:21: nothing stands here");
    test_wrong("[OpenMP] : OpenMP.team(0)\n", "f.ini:1:12: a section of OpenMP is limited by units "
                                              "of other domains; its own have "
                                              "[OpenMP.punit.team]");
}

static void test_keys(void **state) {
    (void)state;
    test_wrong("[Python]\n  trace_mod = OFF\n",
               "f.ini:2:3: unknown key 'trace_mod' in [Python]; did you mean 'trace_mode'?");
    test_wrong("[Python]\nrange = 0\n",
               "f.ini:2:1: unknown key 'range' in [Python]; it is one of trace_mode, events, "
               "module_filter, module_exclude, names, import, operators, properties or mine "
               "(nearest: 'mine')");
    test_wrong("[MPI]\nmodule_filter = a\n",
               "f.ini:2:1: unknown key 'module_filter' in [MPI]; it is one of trace_mode or events "
               "(nearest: 'trace_mode')");
    test_wrong("[CUDA]\nevents = a\n", "f.ini:2:1: unknown key 'events' in [CUDA]; it is one of "
                                       "trace_mode or device_activity (nearest: 'trace_mode')");
    test_wrong("[MPI]\ndevice_activity = on\n",
               "f.ini:2:1: unknown key 'device_activity' in [MPI]; it is one of trace_mode or "
               "events (nearest: 'events')");
    test_wrong("[Python.punit.thread]\nrang = 0\n",
               "f.ini:2:1: unknown key 'rang' in [Python.punit.thread]; did you mean 'range'?");
    test_wrong("[Lexgion.default]\nmax_traces = 0\n",
               "f.ini:2:1: unknown key 'max_traces' in [Lexgion.default]; did you mean "
               "'max_num_traces'?");
    test_wrong("trace_mode = OFF\n", "f.ini:1:1: a key before the first section; begin with "
                                     "[Python] or [Lexgion.default]");
    test_wrong("[Python]\n= OFF\n", "f.ini:2:1: a key is missing before '='");
    test_wrong("[Python]\ntrace_mode\n",
               "f.ini:2:1: 'trace_mode' is neither a [section] nor key = value");
    test_wrong("[Python]\nmodule_filter = numpy\n  scipy\n",
               "f.ini:3:3: 'scipy' is neither a [section] nor key = value; a list goes on after a "
               "comma");
    test_wrong("[Python]\ntrace_mode = OFF\nTRACE_MODE = OFF\n",
               "f.ini:3:1: 'trace_mode' stands twice in this section, first in line 2; remove one");
}

static void test_words(void **state) {
    (void)state;
    test_wrong("[Python]\ntrace_mode = TRACE\n",
               "f.ini:2:14: unknown mode 'TRACE'; did you mean 'TRACING'?");
    test_wrong("[Python]\ntrace_mode = on\n",
               "f.ini:2:14: unknown mode 'on'; it is one of OFF, STANDBY, MONITORING or TRACING "
               "(nearest: 'OFF')");
    test_wrong("[Python]\nevents = function, c_cal\n",
               "f.ini:2:20: unknown event 'c_cal' of Python; did you mean 'c_call'?");
    test_wrong("[Python]\nevents = none, function\n", "f.ini:2:10: 'none' stands alone in events");
    test_wrong("[Python]\nnames = inlin\n",
               "f.ini:2:9: unknown value 'inlin' of names; did you mean 'inline'?");
    test_wrong("[Python]\nmodule_filter = numpy.*\n",
               "f.ini:2:17: 'numpy.*' has a wildcard; a package includes its submodules, so its "
               "name is enough");
    test_wrong("[Python]\nmodule_filter = numpy scipy\n",
               "f.ini:2:17: 'numpy scipy' is not one name; names are separated by commas");
    test_wrong("[Python]\nmodule_exclude = ./solver.py\n",
               "f.ini:2:18: './solver.py' is not the name of a module, such as numpy.linalg");
    test_wrong("[Python]\noperators = numpy.ndarray, ndarray\n",
               "f.ini:2:28: 'ndarray' is not the name of a type, such as numpy.ndarray");
    test_wrong("[Python]\noperators = numpy.*\n",
               "f.ini:2:13: 'numpy.*' is not the name of a type, such as numpy.ndarray");
    test_wrong("[Python]\noperators = a.b c.d\n",
               "f.ini:2:13: 'a.b c.d' is not one name; names are separated by commas");
    test_wrong("[Python]\nproperties = ndarray\n",
               "f.ini:2:14: 'ndarray' is not the name of a type, such as numpy.ndarray");
    test_wrong("[MPI]\noperators = none\n",
               "f.ini:2:1: unknown key 'operators' in [MPI]; it is one of trace_mode or events "
               "(nearest: 'events')");
}

static void test_empty_values(void **state) {
    (void)state;
    test_wrong("[Python]\ntrace_mode =\n", "f.ini:2:1: 'trace_mode' has no value");
    test_wrong("[Python]\ntrace_mode = \"\"\n", "f.ini:2:1: 'trace_mode' has no value");
    test_wrong("[Python]\ntrace_mode = # OFF\n", "f.ini:2:1: 'trace_mode' has no value");
    test_wrong("[Python]\nevents =\ntrace_mode = OFF\n", "f.ini:2:1: 'events' has no value");
    test_wrong("[Python]\nevents = function,\n\n[MPI]\n",
               "f.ini:2:1: nothing stands after the last comma of 'events'");
    test_wrong("[Python]\nevents = , function\n", "f.ini:2:10: nothing stands before this comma");
    test_wrong("[Python]\nevents = function,,\n c_call\n",
               "f.ini:2:19: nothing stands before this comma");
    test_wrong("[Python]\nnames = 'inline\n", "f.ini:2:9: the quote in ''inline' is not closed");
}

static void test_numbers(void **state) {
    (void)state;
    test_wrong("[Lexgion.default]\ntrace_starts_at = -1\n",
               "f.ini:2:19: trace_starts_at takes a number of executions from 0 to "
               "9223372036854775807, not '-1'");
    test_wrong("[Lexgion.default]\ntracing_rate = 0\n",
               "f.ini:2:16: tracing_rate takes a number of executions from 1 to "
               "9223372036854775807, not '0'");
    test_wrong("[Lexgion.default]\nmax_num_traces = 9223372036854775808\n",
               "f.ini:2:18: max_num_traces takes a number of executions from 0 to "
               "9223372036854775807, or -1 for no limit, not '9223372036854775808'");
    test_wrong("[Lexgion.default]\nmax_num_traces = 1 2\n",
               "f.ini:2:18: max_num_traces takes a number of executions from 0 to "
               "9223372036854775807, or -1 for no limit, not '1 2'");
    test_wrong("[Lexgion.default]\nwindow_timeout = 1000000001\n",
               "f.ini:2:18: window_timeout takes seconds from 0 to 1000000000, where 0 is no "
               "limit, not '1000000001'");
    test_wrong("[Lexgion.default]\nwindow_timeout = 1.\n",
               "f.ini:2:18: window_timeout takes seconds from 0 to 1000000000, where 0 is no "
               "limit, not '1.'");
    test_wrong("[Python.punit.thread]\nrange = 3-1\n",
               "f.ini:2:9: the range '3-1' ends before it begins; did you mean '1-3'?");
    test_wrong("[Python.punit.thread]\nrange = 0, 4294967296\n",
               "f.ini:2:12: '4294967296' is not a range; write numbers from 0 to 4294967295 such "
               "as 0, 0-3 or 0-3,7, or * for all");
    test_wrong("[Python.punit.thread]\nrange = 0, *\n",
               "f.ini:2:12: '*' is all, and stands alone in a range");
}

static void test_after(void **state) {
    (void)state;
#define AFTER(value) "[Lexgion.default]\ntrace_mode_after = " value "\n"
    test_wrong(AFTER("STANDBYE"), "f.ini:2:20: unknown mode 'STANDBYE'; did you mean 'STANDBY'?");
    test_wrong(AFTER("Pyton:OFF"), "f.ini:2:20: unknown domain 'Pyton'; did you mean 'Python'?");
    test_wrong(AFTER("Python:OF"), "f.ini:2:27: unknown mode 'OF'; did you mean 'OFF'?");
    test_wrong(AFTER("Python:OFF, STANDBY"),
               "f.ini:2:32: 'STANDBY' is not DOMAIN:MODE; one mode stands alone, several name "
               "their domains");
    test_wrong(AFTER("Python:OFF, MPI:OFF, Python:OFF"),
               "f.ini:2:41: the domain 'Python' stands here twice");
    test_wrong(AFTER("INTROSPECT:3:-"),
               "f.ini:2:20: 'INTROSPECT:3:-' is not an introspection; write "
               "INTROSPECT:SECONDS:SCRIPT:MODE, such as INTROSPECT:30:./look.sh:TRACING");
    test_wrong(AFTER("INTROSPECT"),
               "f.ini:2:20: 'INTROSPECT' is not an introspection; write "
               "INTROSPECT:SECONDS:SCRIPT:MODE, such as INTROSPECT:30:./look.sh:TRACING");
    test_wrong(AFTER("INTROSPECT:-2:-:OFF"),
               "f.ini:2:31: INTROSPECT pauses for seconds from 0 to 1000000000, or -1 for as long "
               "as the script takes, not '-2'");
    test_wrong(AFTER("INTROSPECT:3::OFF"),
               "f.ini:2:33: INTROSPECT names no script; write - for none");
    test_wrong(AFTER("INTROSPECT:3:\"\":OFF"),
               "f.ini:2:33: INTROSPECT names no script; write - for none");
    test_wrong(AFTER("INTROSPECT:3:-:ON"),
               "f.ini:2:35: unknown mode 'ON'; it is one of OFF, STANDBY, MONITORING or TRACING "
               "(nearest: 'OFF')");
    test_wrong(AFTER("INTROSPECT:3:a,b:OFF"), "f.ini:2:35: INTROSPECT stands alone; quote a script "
                                              "with a comma in its name");
}

/* A mistake in a list over lines is one mistake. */
static void test_lists(void **state) {
    (void)state;
    test_wrong("[Python]\nmodule_fliter = a,\n  b\n  , c\nnames = inline\n",
               "f.ini:2:1: unknown key 'module_fliter' in [Python]; did you mean "
               "'module_filter'?");
    test_wrong("[Python]\nmodule_filter = a,,\n  b,\n  c\nnames = inline\n",
               "f.ini:2:19: nothing stands before this comma");
    test_wrong("[Python]\nmodule_filter = a,\n  b*,\n  c\nnames = inline\n",
               "f.ini:3:3: 'b*' has a wildcard; a package includes its submodules, so its name is "
               "enough");
}

/* One reading names all mistakes, up to a bound, and a wrong section's keys are not looked at. */
static void test_many(void **state) {
    char text[4096] = "[Pyton]\nnonsense = 1\nmore\n[Python]\ntrace_mode = x1\n";

    (void)state;
    assert_null(test_read(text));
    assert_int_equal(test_errors.count, 2);
    assert_int_equal(test_errors.list[1].line, 5);
    for (int i = 0; i < 30; i++)
        strcat(text, "[Nowhere]\n");
    assert_null(test_read(text));
    assert_int_equal(test_errors.count, PINSIGHT_CONFIG_ERRORS_MAX);
    assert_int_equal(test_errors.omitted, 12);
}

/* What a file holds must not disturb the terminal that the message is shown on. */
static void test_shown(void **state) {
    (void)state;
    test_wrong("[Python]\n\xc3\xa4 # \x1b[31m\n",
               "f.ini:2:5: a control character (\\x1B); no text file has one");
    test_wrong("[Py\rthon]\r\n", "f.ini:1:4: a control character (\\x0D); no text file has one");
    test_wrong(
        "[Python]\n\xc3\xa4\xc3\xb6 = 1\n",
        "f.ini:2:1: unknown key '\xc3\xa4\xc3\xb6' in [Python]; it is one of trace_mode, "
        "events, module_filter, module_exclude, names, import, operators, properties or mine "
        "(nearest: 'mine')");
}

static void test_columns_are_characters(void **state) {
    (void)state;
    test_wrong("[Lexgion(Python:\xc3\xa4\xc3\xb6.py:f)] : MPI.rang(0)\n",
               "f.ini:1:33: unknown unit 'rang' of MPI; did you mean 'rank'?");
}

static const char *no_such_file(const char *name) {
    return strcmp(name, "PINSIGHT_CONFIG") == 0 ? "/no/such/file.ini" : NULL;
}

static const char *bad_mode(const char *name) {
    return strcmp(name, "PINSIGHT_TRACE_OPENMP") == 0 ? "TRACE" : NULL;
}

static const char *no_name(const char *name) {
    return strcmp(name, "PINSIGHT_CONFIG") == 0 ? "" : NULL;
}

static void assert_only_error(struct pinsight_config_input *input, const char *message) {
    char text[1024];

    assert_null(pinsight_config_read(input, &test_errors));
    assert_string_equal(pinsight_config_error_text(&test_errors, 0, text, sizeof text), message);
    assert_int_equal(test_errors.count, 1);
}

static void test_files_and_environment(void **state) {
    struct pinsight_config_input input = {.domains = test_domains, .domain_count = DOMAINS};

    (void)state;
    input.environment = no_such_file;
    assert_only_error(&input, "/no/such/file.ini: cannot be read: No such file or directory");
    input.environment = no_name;
    assert_only_error(&input, "PINSIGHT_CONFIG has no value; name a file, or unset it");
    input.environment = bad_mode;
    assert_only_error(&input,
                      "PINSIGHT_TRACE_OPENMP: unknown mode 'TRACE'; did you mean 'TRACING'?");
    input.environment = NULL;
    input.path = "/";
    assert_only_error(&input, "/: cannot be read: Is a directory");
    input.path = "/dev/zero";
    assert_only_error(&input, "/dev/zero: is larger than 1 MiB, and no configuration");
    input.path = "f.ini";
    input.text = "a\nb\0c";
    input.length = 5;
    assert_only_error(&input, "f.ini:2:2: a control character (\\x00); no text file has one");
}

/* Domains of other builds are told apart from misspelt ones. */
static void test_domain_of_another_build(void **state) {
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"[FORTRAN]", "f.ini:1:2: unknown section 'FORTRAN'; it is one of Python or Lexgion "
                      "(nearest: 'Python')"},
        {"[Lexgion.OpenMP]\n",
         "f.ini:1:10: this build of PInsight has no domain 'OpenMP'; it has Python"},
        {"[Lexgion(MPI:x)]\n",
         "f.ini:1:10: this build of PInsight has no domain 'MPI'; it has Python"},
        {"[OpenMP]\n", "f.ini:1:2: this build of PInsight has no domain 'OpenMP'; it has Python"},
    };
    struct pinsight_config_input input = {
        .domains = test_domains,
        .domain_count = 1,
        .path = "f.ini",
        .text = "[FORTRAN]",
        .length = 9,
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        input.text = cases[i].text;
        input.length = strlen(input.text);
        assert_only_error(&input, cases[i].message);
    }
}

int main(void) {
    return RUN_TESTS(test_sections, test_selectors, test_limits, test_keys, test_words,
                     test_empty_values, test_numbers, test_after, test_lists, test_many, test_shown,
                     test_columns_are_characters, test_files_and_environment,
                     test_domain_of_another_build);
}
