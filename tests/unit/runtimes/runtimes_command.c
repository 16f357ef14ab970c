/* What a command will run: first lines, env, starters, virtual environments, pyenv. */
#include "test.h"

#include "runtimes/command.h"

static char interpreter[PATH_MAX]; /* a program of this test's: python3.11 is a link to it */

static void look(struct pinsight_command *command, const char *line) {
    static char text[4 * PATH_MAX];
    char *words[16];
    size_t count = 0;

    snprintf(text, sizeof(text), "%s", line);
    for (char *rest = NULL, *word = strtok_r(text, " ", &rest); word != NULL && count < 15;
         word = strtok_r(NULL, " ", &rest)) {
        words[count++] = word;
    }
    words[count] = NULL;
    pinsight_command_look(command, words);
}

static bool has_site(const struct pinsight_command *command, const char *name) {
    for (size_t i = 0; i < command->site_count; i++) {
        if (strcmp(command->sites[i], in_folder(name)) == 0) {
            return true;
        }
    }
    return false;
}

static void test_python(void **state) {
    struct pinsight_command command;
    static const char *const lines[] = {
        "%s/base/bin/python3 app.py",
        "env A=1 %s/base/bin/python3.11 app.py",
        "nice -n 5 %s/base/bin/python3",
        "timeout 4 %s/base/bin/python3 app.py",
        "%1$s/mpirun.openmpi -n 2 -x A=1 %1$s/base/bin/python3 app.py",
        "%s/script.py",
        "%s/env.py",
        "%s/quoted.py",
        "%s/long.py",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
        char line[2 * PATH_MAX];
        snprintf(line, sizeof(line), lines[i], test_folder);
        look(&command, line);
        if (!command.is_python) {
            fail_msg("%s is no Python", line);
        }
        assert_string_equal(command.version, "3.11");
        assert_string_equal(command.prefix, in_folder("base"));
        assert_true(has_site(&command, "base/lib/python3.11/site-packages"));
        pinsight_command_free(&command);
    }
}

static void test_script_folder(void **state) {
    struct pinsight_command command;
    char line[2 * PATH_MAX];
    static const char *const with[] = {"-W error -X utf8 %2$s/app/main.py", "-IB %2$s/app/main.py",
                                       "-- %2$s/app/main.py"};

    (void)state;
    write_text("app/main.py", "", 0644);
    for (size_t i = 0; i < sizeof(with) / sizeof(*with); i++) {
        char format[128];
        snprintf(format, sizeof(format), "%%1$s/base/bin/python3 %s", with[i]);
        snprintf(line, sizeof(line), format, test_folder, test_folder);
        look(&command, line);
        assert_string_equal(command.script_folder, in_folder("app"));
        pinsight_command_free(&command);
    }
    snprintf(line, sizeof(line), "%s/base/bin/python3 -m app %s/app/main.py", test_folder,
             test_folder);
    look(&command, line);
    assert_string_equal(command.script_folder, "");
    pinsight_command_free(&command);
}

static void test_venv(void **state) {
    struct pinsight_command command;

    (void)state;
    look(&command, in_folder("venv/bin/python"));
    assert_string_equal(command.version, "3.11");
    assert_string_equal(command.prefix, in_folder("venv"));
    assert_true(has_site(&command, "venv/lib/python3.11/site-packages"));
    assert_false(has_site(&command, "base/lib/python3.11/site-packages"));
    pinsight_command_free(&command);

    write_text("venv/pyvenv.cfg", "home = /x\ninclude-system-site-packages = true\n", 0644);
    look(&command, in_folder("venv/bin/python"));
    assert_true(has_site(&command, "venv/lib/python3.11/site-packages"));
    assert_true(has_site(&command, "base/lib/python3.11/site-packages"));
    pinsight_command_free(&command);
}

static void test_environment(void **state) {
    struct pinsight_command command;
    char line[2 * PATH_MAX];

    (void)state;
    write_text("more/x", "", 0644);
    setenv("PYTHONPATH", in_folder("more"), 1);
    snprintf(line, sizeof(line), "%s/base/bin/python3 app.py", test_folder);
    look(&command, line);
    assert_true(has_site(&command, "more"));
    pinsight_command_free(&command);
    snprintf(line, sizeof(line), "%s/base/bin/python3 -I app.py", test_folder);
    look(&command, line);
    assert_false(has_site(&command, "more"));
    assert_true(has_site(&command, "base/lib/python3.11/site-packages"));
    pinsight_command_free(&command);
    snprintf(line, sizeof(line), "%s/base/bin/python3 -ES app.py", test_folder);
    look(&command, line);
    assert_int_equal(command.site_count, 0);
    pinsight_command_free(&command);
    unsetenv("PYTHONPATH");
}

static void test_pyenv(void **state) {
    struct pinsight_command command;

    (void)state;
    look(&command, in_folder("pyenv/shims/python3"));
    assert_true(command.is_python);
    assert_string_equal(command.version, "3.11");
    pinsight_command_free(&command);
    setenv("PYENV_VERSION", "../../evil", 1);
    look(&command, in_folder("pyenv/shims/python3"));
    assert_false(command.is_python);
    pinsight_command_free(&command);
    unsetenv("PYENV_VERSION");
}

static void test_others(void **state) {
    struct pinsight_command command;
    char line[2 * PATH_MAX];

    (void)state;
    look(&command, "/bin/sh -c true");
    assert_false(command.is_python);
    assert_true(*command.program != '\0');
    look(&command, "no-such-command-there");
    assert_true(*command.program == '\0');
    /* A script whose interpreter is itself ends the search. */
    snprintf(line, sizeof(line), "#!%s\n", in_folder("loop"));
    write_text("loop", line, 0755);
    snprintf(line, sizeof(line), "%s", in_folder("loop"));
    look(&command, line);
    assert_true(*command.program == '\0');
    write_text("odd", "#!\n", 0755);
    snprintf(line, sizeof(line), "%s", in_folder("odd"));
    look(&command, line);
    assert_true(*command.program == '\0');
    snprintf(line, sizeof(line), "env -i A=1");
    look(&command, line);
    assert_true(*command.program == '\0');
}

static const char long_name[] =
    "l00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
    "o00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000";

/* Writes a script as installers do where the path of its interpreter is too long for a first line,
 * or has blanks. */
static int write_wrapped(const char *name, const char *prefix, const char *quote) {
    char text[2 * PATH_MAX];

    if (symlink("base", in_folder(prefix)) != 0) {
        return -1;
    }
    snprintf(text, sizeof(text), "#!/bin/sh\n'''exec' %s%s/bin/python3%s \"$0\" \"$@\"\n' '''\n",
             quote, in_folder(prefix), quote);
    write_text(name, text, 0755);
    return 0;
}

static int prepare(void **state) {
    char text[2 * PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", interpreter, sizeof(interpreter) - 1);

    if (n <= 0 || make_folder(state) != 0) {
        return -1;
    }
    write_text("base/lib/python3.11/site-packages/x", "", 0644);
    write_text("base/bin/x", "", 0644);
    write_text("venv/lib/python3.11/site-packages/x", "", 0644);
    write_text("venv/bin/x", "", 0644);
    write_text("venv/pyvenv.cfg", "home = /x\nversion = 3.11.2\n", 0644);
    write_text("pyenv/versions/9/bin/x", "", 0644);
    write_text("pyenv/version", "9\n", 0644);
    write_text("pyenv/shims/python3", "#!/usr/bin/env bash\n", 0755);
    /* A hard link, so that its real name is python3.11; across file systems, a copy. */
    setenv("FROM", interpreter, 1);
    setenv("TO", in_folder("base/bin/python3.11"), 1);
    if (system("cp \"$FROM\" \"$TO\"") != 0 ||
        symlink("python3.11", in_folder("base/bin/python3")) != 0) {
        return -1;
    }
    snprintf(text, sizeof(text), "%s", in_folder("base/bin/python3"));
    if (symlink(text, in_folder("venv/bin/python")) != 0 ||
        symlink(text, in_folder("pyenv/versions/9/bin/python3")) != 0) {
        return -1;
    }
    snprintf(text, sizeof(text), "#!%s/base/bin/python3 -u\n", test_folder);
    write_text("script.py", text, 0755);
    snprintf(text, sizeof(text), "#!/usr/bin/env %s/base/bin/python3\n", test_folder);
    write_text("env.py", text, 0755);
    if (write_wrapped("quoted.py", "a base", "\"") != 0 ||
        write_wrapped("long.py", long_name, "") != 0) {
        return -1;
    }
    write_text("mpirun.openmpi", "no script", 0755);
    return 0;
}

int main(void) {
    unsetenv("PYENV_VERSION");
    unsetenv("PYTHONPATH");
    return RUN_TESTS_GROUP(prepare, remove_folder, test_python, test_script_folder, test_venv,
                           test_environment, test_pyenv, test_others);
}
