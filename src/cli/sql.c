/* `pinsight sql`: answers a question in SQL about a trace, by DuckDB in a Python of the user's. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/message.h"
#include "base/paths.h"
#include "base/program.h"
#include "cli/options.h"
#include "cli/verbs.h"
#include "cli/view_options.h"

static const char *const formats[] = {"table", "csv", "json", NULL};

struct sql_wanted {
    const char *format;
    const char *python;
};

#define AT(member) offsetof(struct sql_wanted, member)
static const struct cli_option option_table[] = {
    CLI_OPTION(0, "format", "FORMAT", "table (default), csv or json", .kind = CLI_NAME,
               .at = AT(format), .words = formats),
    CLI_OPTION(0, "python", "PATH", "a Python that has DuckDB (default: python3 of PATH)",
               .kind = CLI_TEXT, .at = AT(python)),
    CLI_HELP,
};

const struct cli_verb cli_sql = {
    .name = "sql",
    .about = "an answer of DuckDB from a trace's tables",
    .usage = "usage: pinsight sql [OPTIONS] TRACE QUERY\n"
             "\n"
             "Runs a query of SQL over the tables of a trace, and prints the answer. DuckDB "
             "executes the\n"
             "query, in a Python that has it (pip install duckdb). TRACE is the folder that "
             "`pinsight run`\n"
             "wrote.\n"
             "\n",
    .more =
        "\n"
        "Tables: functions, calls, threads, processes, messages, context_tree, slices, "
        "lines, regions,\n"
        "waits, tasks, kernels, marks. `describe calls` as a query lists the columns of a table.\n"
        "\n"
        "Example:\n"
        "  pinsight sql trace \"select function, count(*) from calls group by 1 order by 2 "
        "desc limit 9\"\n"
        "\n"
        "Exit status: 0 the query was executed, 1 the trace or the query is wrong or there "
        "is no\n"
        "DuckDB, 2 the options are wrong.\n",
    CLI_OPTIONS(option_table),
    .column = 19,
};

/* The program that Python runs. The first argument is the folder with the package, or "" if the
 * Python itself has it. The path of modules then has no present folder, whose files could have the
 * names of modules. */
static const char program[] =
    "import sys\n"
    "sys.path[0:1] = [sys.argv[1]] if sys.argv[1] else []\n"
    "try:\n"
    "    from pinsight._sql import main\n"
    "except ImportError as problem:\n"
    "    sys.exit('pinsight: %s has no package pinsight (%s); name the Python that PInsight was "
    "installed into: --python PATH' % (sys.executable, problem))\n"
    "sys.exit(main(*sys.argv[2:]))\n";

/* Finds the Python. Returns false after a message. */
static bool find_python(const struct sql_wanted *wanted, char python[PATH_MAX]) {
    const char *name = wanted->python != NULL ? wanted->python : "python3";
    int error = pinsight_program_find(name, python);

    if (error != 0 && wanted->python != NULL)
        pinsight_error("%s cannot be run: %s; --python needs the path of a Python", name,
                       strerror(error));
    else if (error != 0)
        pinsight_error("there is no python3 on PATH to run DuckDB; name one: --python PATH");
    return error == 0;
}

int pinsight_cmd_sql(int argc, char **argv) {
    struct sql_wanted wanted = {.format = formats[0]};
    char python[PATH_MAX], libdir[PATH_MAX];
    char *packages, *init;
    const char *trace;
    int rc;

    if (!cli_parse(&cli_sql, argc, argv, &wanted, NULL, &rc))
        return rc;
    if (argc - optind != 2) {
        pinsight_error("sql needs a trace and a query: pinsight sql TRACE \"select ...\"; "
                       "`pinsight sql --help` has an example");
        return 2;
    }
    trace = pinsight_trace_chosen(argv[optind]);
    if (trace == NULL || !find_python(&wanted, python))
        return 1;
    if (pinsight_path_libdir(libdir))
        setenv("PINSIGHT_LIBDIR", libdir, 1); /* the package finds this command by it */
    packages = pinsight_format("%s/python", libdir);
    init = pinsight_format("%s/pinsight/__init__.py", packages);
    char *const words[] = {python,
                           "-B",
                           "-c",
                           (char *)program,
                           access(init, R_OK) == 0 ? packages : "",
                           (char *)trace,
                           argv[optind + 1],
                           (char *)wanted.format,
                           NULL};
    execv(python, words);
    pinsight_error("%s cannot be run: %s", python, strerror(errno));
    PINSIGHT_FREE(packages, init);
    return 1;
}
