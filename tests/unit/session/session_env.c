/* The environment of a command. */
#include "unit.h"

#include <unistd.h>

#include "session/env.h"

static const char *find(char **variables, const char *name) {
    size_t length = strlen(name);
    const char *value = NULL;
    int times = 0;

    for (size_t i = 0; variables[i] != NULL; i++) {
        if (strncmp(variables[i], name, length) == 0 && variables[i][length] == '=') {
            value = variables[i] + length + 1;
            times++;
        }
    }
    assert_in_range(times, 0, 1);
    return value;
}

static const struct pinsight_env plain = {
    .libdir = "/lib/p",
    .preload = "/lib/p/libpinsight-preload.so",
    .session = "s",
    .output = "/o",
    .domains = "",
    .events = "function",
    .names = "inline",
    .max_size = 7,
};

/* "A=1 B=2 !C": what the environment has, and what it has not. */
static void assert_variables(char **variables, const char *wanted) {
    char words[1024], *rest = NULL;

    snprintf(words, sizeof(words), "%s", wanted);
    for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(word, '=');

        if (!value) {
            assert_null(find(variables, word + 1));
            continue;
        }
        *value = '\0';
        assert_string_equal(find(variables, word), value + 1);
    }
}

static void test_what_is_set(void **state) {
    char *base[] = {"HOME=/h", "PATH=/bin", NULL};
    char **variables = pinsight_env_build(base, &plain);

    (void)state;
    assert_variables(
        variables,
        "HOME=/h PATH=/bin LD_PRELOAD=/lib/p/libpinsight-preload.so PINSIGHT_LIBDIR=/lib/p "
        "PINSIGHT_SESSION=s PINSIGHT_OUTPUT=/o PINSIGHT_EVENTS=function PINSIGHT_NAMES=inline "
        "PINSIGHT_MAX_SIZE=7 LTTNG_UST_ALLOW_BLOCKING=1 !PINSIGHT_CONFIG !PINSIGHT_DOMAINS "
        "!PINSIGHT_JOIN !PINSIGHT_TRACE_PYTHON !PINSIGHT_LOSSLESS !PINSIGHT_QUIET");
    pinsight_env_free(variables);
}

static void test_what_the_user_chose_stays(void **state) {
    char *base[] = {"PINSIGHT_CONFIG=/f.ini",
                    "PINSIGHT_DOMAINS=Python",
                    "PINSIGHT_EVENTS=c_call",
                    "PINSIGHT_NAMES=registry",
                    "PINSIGHT_RING=1M",
                    "PINSIGHT_RING_SIGNAL=HUP",
                    NULL};
    static const struct pinsight_env nothing_given = {.libdir = "/lib/p", .session = "s"};
    char **variables = pinsight_env_build(base, &nothing_given);

    (void)state;
    assert_variables(variables, "PINSIGHT_CONFIG=/f.ini PINSIGHT_DOMAINS=Python "
                                "PINSIGHT_EVENTS=c_call PINSIGHT_NAMES=registry "
                                "PINSIGHT_RING=1M PINSIGHT_RING_SIGNAL=HUP");
    pinsight_env_free(variables);

    struct pinsight_env given = plain;
    given.config = "/g.ini";
    given.ring = "2M";
    given.ring_signal = "USR2";
    variables = pinsight_env_build(base, &given);
    assert_variables(variables, "PINSIGHT_CONFIG=/g.ini PINSIGHT_DOMAINS=Python "
                                "PINSIGHT_EVENTS=function PINSIGHT_NAMES=inline "
                                "PINSIGHT_RING=2M PINSIGHT_RING_SIGNAL=USR2");
    pinsight_env_free(variables);
}

static void test_single_variables(void **state) {
    (void)state;
    setenv("PINSIGHT_EVENTS", "import", 1);
    unsetenv("PINSIGHT_SESSION");
    assert_string_equal(pinsight_env_get("PINSIGHT_EVENTS"), "import");
    setenv("PINSIGHT_SESSION", "outer", 1);
    setenv("PINSIGHT_TRACE_PYTHON", "OFF", 1);
    assert_null(pinsight_env_get("PINSIGHT_EVENTS"));
    assert_string_equal(pinsight_env_get("PINSIGHT_TRACE_PYTHON"), "OFF");
    unsetenv("PINSIGHT_SESSION");
    unsetenv("PINSIGHT_EVENTS");
    unsetenv("PINSIGHT_TRACE_PYTHON");
}

static void test_an_outer_run_does_not_shine_through(void **state) {
    char *base[] = {
        "PINSIGHT_SESSION=outer", "PINSIGHT_JOIN=outer",      "PINSIGHT_LOSSLESS=1",
        "PINSIGHT_DOMAINS=x",     "PINSIGHT_CONFIG=/x.ini",   "PINSIGHT_NAMES=registry",
        "PINSIGHT_QUIET=1",       "PINSIGHT_MAX_SIZE=9",      "PINSIGHT_TRACE_PYTHON=OFF",
        "PINSIGHT_RING=1M",       "PINSIGHT_RING_SIGNAL=HUP", NULL};
    char **variables = pinsight_env_build(base, &plain);

    (void)state;
    assert_variables(variables,
                     "PINSIGHT_SESSION=s PINSIGHT_MAX_SIZE=7 !PINSIGHT_JOIN !PINSIGHT_LOSSLESS "
                     "!PINSIGHT_CONFIG !PINSIGHT_DOMAINS !PINSIGHT_QUIET PINSIGHT_NAMES=inline "
                     "!PINSIGHT_RING !PINSIGHT_RING_SIGNAL");
    /* The user's own way to set a mode stays, unless an option says otherwise. */
    assert_string_equal(find(variables, "PINSIGHT_TRACE_PYTHON"), "OFF");
    pinsight_env_free(variables);

    struct pinsight_env with_mode = plain;
    with_mode.mode = "STANDBY";
    variables = pinsight_env_build(base, &with_mode);
    assert_string_equal(find(variables, "PINSIGHT_TRACE_PYTHON"), "STANDBY");
    pinsight_env_free(variables);
}

static void test_preloads_are_joined(void **state) {
    static const struct {
        char *old;
        const char *wanted;
    } cases[] = {
        {"LD_PRELOAD=", "/lib/p/libpinsight-preload.so"},
        {"LD_PRELOAD=a.so", "/lib/p/libpinsight-preload.so:a.so"},
        {"LD_PRELOAD=a.so b.so", "/lib/p/libpinsight-preload.so:a.so b.so"},
        {"LD_PRELOAD=a.so:/lib/p/libpinsight-preload.so", "a.so:/lib/p/libpinsight-preload.so"},
        {"LD_PRELOAD=/lib/p/libpinsight-preload.so.1",
         "/lib/p/libpinsight-preload.so:/lib/p/libpinsight-preload.so.1"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        char *base[] = {cases[i].old, NULL};
        char **variables = pinsight_env_build(base, &plain);
        assert_string_equal(find(variables, "LD_PRELOAD"), cases[i].wanted);
        pinsight_env_free(variables);
    }
    struct pinsight_env without = plain;
    char *base[] = {"LD_PRELOAD=a.so", NULL};
    without.preload = NULL;
    char **variables = pinsight_env_build(base, &without);
    assert_string_equal(find(variables, "LD_PRELOAD"), "a.so");
    pinsight_env_free(variables);
}

static void test_a_folder_that_cannot_be_preloaded_is_reached_by_a_link(void **state) {
    char place[] = "/tmp/pinsight test XXXXXX", file[128], path[PATH_MAX], command[128];

    (void)state;
    assert_non_null(mkdtemp(place));
    setenv("XDG_RUNTIME_DIR", "/no-such-place", 1);
    assert_false(pinsight_env_find_preload(place, "libpinsight-preload.so", path));
    snprintf(file, sizeof(file), "%s/libpinsight-preload.so", place);
    fclose(fopen(file, "w"));
    assert_true(pinsight_env_find_preload(place, "libpinsight-preload.so", path));
    assert_null(strpbrk(path, " :"));
    assert_int_equal(access(path, R_OK), 0);
    *strrchr(path, '/') = '\0';
    unlink(path);
    snprintf(command, sizeof(command), "rm -rf '%s'", place);
    assert_int_equal(system(command), 0);
}

static void test_tools_of_runtimes(void **state) {
    char *plain_base[] = {"HOME=/h", NULL};
    char *outer[] = {"TOY_TOOL=/old/libpinsight-toy.so", NULL};
    char *others[] = {"TOY_TOOL=/usr/lib/libother.so", NULL};
    struct pinsight_env env = plain;
    char **variables = pinsight_env_build(plain_base, &env);

    (void)state;
    assert_null(find(variables, "TOY_TOOL"));
    pinsight_env_free(variables);
    env.tools[0] = (struct pinsight_env_tool){"TOY_TOOL", "libpinsight-toy.so", NULL};
    variables = pinsight_env_build(plain_base, &env);
    assert_string_equal(find(variables, "TOY_TOOL"), "/lib/p/libpinsight-toy.so");
    pinsight_env_free(variables);
    variables = pinsight_env_build(outer, &env);
    assert_string_equal(find(variables, "TOY_TOOL"), "/lib/p/libpinsight-toy.so");
    pinsight_env_free(variables);
    variables = pinsight_env_build(others, &env);
    assert_string_equal(find(variables, "TOY_TOOL"), "/usr/lib/libother.so");
    pinsight_env_free(variables);
}

/* What is set for other libraries: not where another tool is in place, nor over the user's. */
static void test_what_goes_with_a_tool(void **state) {
    char *plain_base[] = {"TOY_LEVELS=1", NULL};
    char *users[] = {"TOY_LEVEL=7", NULL};
    char *others[] = {"TOY_TOOL=/usr/lib/libother.so", NULL};
    char *outer[] = {"PINSIGHT_SESSION=s", "PINSIGHT_SET=TOY_LEVEL:TOY_OTHER",
                     "TOY_LEVEL=2",        "TOY_OTHER=1",
                     "TOY_THIRD=3",        NULL};
    const struct pinsight_variable also[] = {{"TOY_LEVEL", "2"}, {"TOY_OTHER", "1"}, {NULL, NULL}};
    struct pinsight_env env = plain;
    char **variables;

    (void)state;
    env.tools[0] = (struct pinsight_env_tool){"TOY_TOOL", "libpinsight-toy.so", also};
    variables = pinsight_env_build(plain_base, &env);
    assert_string_equal(find(variables, "TOY_LEVEL"), "2");
    assert_string_equal(find(variables, "TOY_OTHER"), "1");
    assert_string_equal(find(variables, "PINSIGHT_SET"), "TOY_LEVEL:TOY_OTHER");
    pinsight_env_free(variables);
    variables = pinsight_env_build(users, &env);
    assert_string_equal(find(variables, "TOY_LEVEL"), "7");
    assert_string_equal(find(variables, "PINSIGHT_SET"), "TOY_OTHER");
    pinsight_env_free(variables);
    variables = pinsight_env_build(others, &env);
    assert_null(find(variables, "TOY_LEVEL"));
    assert_null(find(variables, "PINSIGHT_SET"));
    pinsight_env_free(variables);
    env.tools[0].also = NULL; /* the outer run's do not shine through */
    variables = pinsight_env_build(outer, &env);
    assert_null(find(variables, "TOY_LEVEL"));
    assert_null(find(variables, "TOY_OTHER"));
    assert_null(find(variables, "PINSIGHT_SET"));
    assert_string_equal(find(variables, "TOY_THIRD"), "3");
    pinsight_env_free(variables);
}

int main(void) {
    return RUN_TESTS(test_what_is_set, test_tools_of_runtimes, test_what_goes_with_a_tool,
                     test_what_the_user_chose_stays, test_single_variables,
                     test_an_outer_run_does_not_shine_through, test_preloads_are_joined,
                     test_a_folder_that_cannot_be_preloaded_is_reached_by_a_link);
}
