/* `pinsight store`: keeps what runs say in one file of SQLite, and finds the run that was slower.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/message.h"
#include "base/words.h"
#include "cli/options.h"
#include "cli/store.h"
#include "cli/verbs.h"
#include "cli/view_options.h"
#include "cli/with_python.h"

#define DEFAULT_FILE "pinsight-store.db"
#define RUN_LIST "0123456789,-" /* the characters of a list of runs */

static const char *const actions[] = {"add", "list", "trend", "diff", NULL};
enum { ADD, LIST, TREND, DIFF };
static const char *const formats[] = {"table", "csv", "json", NULL};
static const char *const metrics[] = {"self", "total", "calls", "mean", NULL};

struct store_wanted {
    const char *file, *commit, *host, *by, *format, *python;
    double fail_above;   /* in percent; negative for no limit */
    const char **params; /* each NAME=VALUE; the array is owned */
    size_t param_count, param_capacity;
};

static int take_param(void *options, const struct cli_option *option, const char *value) {
    struct store_wanted *wanted = options;

    if (!strchr(value, '=') || value[0] == '=') {
        pinsight_error("--%s needs NAME=VALUE, and '%s' has no %s", option->name, value,
                       value[0] == '=' ? "name" : "'='");
        return -1;
    }
    *PINSIGHT_ADD(wanted->params, wanted->param_count, wanted->param_capacity) = value;
    return 0;
}

#define AT(member) offsetof(struct store_wanted, member)
static const struct cli_option option_table[] = {
    CLI_OPTION(0, "file", "FILE", "the store (default: " DEFAULT_FILE ")", .kind = CLI_TEXT,
               .at = AT(file)),
    CLI_OPTION(0, "commit", "ID", "of add: the commit that ran (default: git's, in this folder)",
               .kind = CLI_TEXT, .at = AT(commit)),
    CLI_OPTION(0, "param", "NAME=VALUE",
               "of add: a parameter of the run; of list and trend: only the\n"
               "runs with it; may be repeated",
               .kind = CLI_TAKE, .take = take_param),
    CLI_OPTION(0, "host", "NAME", "of list and trend: only the runs on this host", .kind = CLI_TEXT,
               .at = AT(host)),
    CLI_OPTION(0, "by", "WORD",
               "of trend and diff: self time (self, default), total time\n"
               "(total), calls, or self time of a call (mean)",
               .kind = CLI_NAME, .at = AT(by), .words = metrics),
    CLI_OPTION(0, "fail-above", "P",
               "of diff: exit with status 3 if the second runs take P percent\n"
               "more time than the first ones, beyond noise",
               .kind = CLI_PERCENT, .at = AT(fail_above)),
    CLI_OPTION(0, "format", "FORMAT", "table (default), csv or json", .kind = CLI_NAME,
               .at = AT(format), .words = formats),
    CLI_OPTION(0, "python", "PATH", "a Python with sqlite3 (default: python3 of PATH)",
               .kind = CLI_TEXT, .at = AT(python)),
    CLI_HELP,
};

const struct cli_verb cli_store = {
    .name = "store",
    .about = "many runs in one file, and the run that was slower",
    .usage =
        "usage: pinsight store add [OPTIONS] TRACE...\n"
        "       pinsight store list [OPTIONS]\n"
        "       pinsight store trend [OPTIONS] FUNCTION\n"
        "       pinsight store diff [OPTIONS] RUNS RUNS\n"
        "\n"
        "Keeps runs in one file of SQLite, without their events: functions, calling contexts, "
        "findings,\n"
        "commit, host, versions and parameters.\n"
        "\n"
        "  add                  adds a trace of `pinsight run` as the next run\n"
        "  list                 lists the runs\n"
        "  trend                finds the run from which on a function takes more or less time\n"
        "  diff                 lists functions with more or less time: RUNS is like 7 or 1-5,9, "
        "or a\n"
        "                       trace\n"
        "\n",
    .more = "\n"
            "Examples:\n"
            "  pinsight store add --param size=1000 trace\n"
            "  pinsight store trend Solver.step\n"
            "  pinsight store diff 110-119 120-129\n"
            "\n"
            "Exit status: 0 all is well, 1 a trace or the store cannot be read or written, 2 the "
            "options\n"
            "are wrong, 3 more time than --fail-above allows.\n",
    CLI_OPTIONS(option_table),
    .column = 23,
    .words = actions,
};

/* Returns the index of the action, or -1 after a message. */
static int action_of(const char *typed) {
    int action = typed ? pinsight_word_index(typed, strlen(typed), actions) : -1;
    const char *nearest = typed ? pinsight_word_meant(typed, actions) : NULL;

    if (action >= 0)
        return action;
    if (!typed)
        pinsight_error("store does what? add, list, trend or diff; `pinsight store --help` has "
                       "examples");
    else if (nearest)
        pinsight_error("store does not know '%s'; did you mean `pinsight store %s`?", typed,
                       nearest);
    else
        pinsight_error("store does not know '%s'; it has add, list, trend and diff", typed);
    return -1;
}

/* Checks that the action has its arguments and no options of others. Returns false after a message.
 */
static bool fits(int action, const struct store_wanted *wanted, int count) {
    static const char *const needs[] = {
        [ADD] = "needs a trace: pinsight store add TRACE",
        [LIST] = "takes no arguments; `pinsight store trend FUNCTION` is about a function",
        [TREND] = "needs one function: pinsight store trend FUNCTION",
        [DIFF] = "needs two lists of runs: pinsight store diff 1-5 6-10"};
    const char *wrong = NULL;

    if (action == ADD ? count < 1 : count != (action == LIST ? 0 : action == TREND ? 1 : 2)) {
        pinsight_error("store %s %s", actions[action], needs[action]);
        return false;
    }
    if (wanted->commit && action != ADD)
        wrong = "commit";
    else if (wanted->host && action != LIST && action != TREND)
        wrong = "host";
    else if (wanted->param_count && action == DIFF)
        wrong = "param";
    else if (wanted->by && action != TREND && action != DIFF)
        wrong = "by";
    else if (wanted->fail_above >= 0 && action != DIFF)
        wrong = "fail-above";
    else if (wanted->format && action == ADD)
        wrong = "format";
    if (wrong)
        pinsight_error("store %s has no option --%s; `pinsight store --help` lists them",
                       actions[action], wrong);
    if (!wrong && wanted->fail_above >= 0 && wanted->by && strcmp(wanted->by, metrics[0]) != 0) {
        pinsight_error("--fail-above is for self time, which adds up, and not for --by %s",
                       wanted->by);
        return false;
    }
    return !wrong;
}

/* Runs the action in Python, by the arguments of main() in pinsight/_store.py. */
static int run(int action, const struct store_wanted *wanted, const char *const *arguments,
               size_t count) {
    const char **words = pinsight_calloc(9 + wanted->param_count + count, sizeof(*words));
    char *above = wanted->fail_above >= 0 ? pinsight_format("%.17g", wanted->fail_above) : NULL;
    size_t word = 0;
    int rc = 1;

    words[word++] = actions[action];
    words[word++] = wanted->file ? wanted->file : DEFAULT_FILE;
    words[word++] = wanted->commit ? wanted->commit : "";
    words[word++] = wanted->host ? wanted->host : "";
    words[word++] = wanted->by ? wanted->by : metrics[0];
    words[word++] = wanted->format ? wanted->format : formats[0];
    words[word++] = above ? above : "";
    for (size_t i = 0; i < wanted->param_count; i++)
        words[word++] = wanted->params[i];
    words[word++] = "--";
    memcpy(words + word, arguments, count * sizeof(*words));
    rc = cli_with_python(wanted->python, "for the store", "_store", words);
    PINSIGHT_FREE((void *)words, above);
    return rc;
}

/* Runs the action with the words of the command line after it. */
static int run_typed(int action, const struct store_wanted *wanted, char **typed, int count) {
    const char **words = pinsight_calloc((size_t)count + 1, sizeof(*words));
    size_t word = 0;
    int rc = 1;

    for (int i = 0; i < count; i++) {
        bool is_trace = action == ADD || (action == DIFF && typed[i][strspn(typed[i], RUN_LIST)]);

        if (action == DIFF && i == 1)
            words[word++] = CLI_STORE_TO;
        words[word] = is_trace ? pinsight_trace_chosen(typed[i]) : typed[i];
        if (!words[word++])
            goto end;
    }
    rc = run(action, wanted, words, word);
end:
    free((void *)words);
    return rc;
}

int cli_store_diff(const char *file, const char *format, double fail_above,
                   const char *const *words, size_t count) {
    const struct store_wanted wanted = {.file = file, .format = format, .fail_above = fail_above};

    return run(DIFF, &wanted, words, count);
}

int pinsight_cmd_store(int argc, char **argv) {
    struct store_wanted wanted = {.fail_above = -1};
    int action, count, rc;

    if (!cli_parse(&cli_store, argc, argv, &wanted, NULL, &rc))
        return rc;
    action = action_of(argv[optind]);
    count = argc - optind - 1;
    rc = 2;
    if (action >= 0 && fits(action, &wanted, count))
        rc = run_typed(action, &wanted, argv + optind + 1, count);
    PINSIGHT_FREE((void *)wanted.params);
    return rc;
}
