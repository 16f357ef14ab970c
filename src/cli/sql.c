/* `pinsight sql`: answers a question in SQL about a trace, by DuckDB in a Python of the user's. */
#include "base/message.h"
#include "cli/options.h"
#include "cli/verbs.h"
#include "cli/view_options.h"
#include "cli/with_python.h"

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
        "waits, tasks, kernels, marks, memory. `describe calls` as a query lists the columns of\n"
        "a table.\n"
        "\n"
        "Example:\n"
        "  pinsight sql trace \"select function, count(*) from calls group by 1\"\n"
        "\n"
        "Exit status: 0 the query was executed, 1 the trace or the query is wrong or there "
        "is no\n"
        "DuckDB, 2 the options are wrong.\n",
    CLI_OPTIONS(option_table),
    .column = 19,
};

int pinsight_cmd_sql(int argc, char **argv) {
    struct sql_wanted wanted = {.format = formats[0]};
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
    if (trace == NULL)
        return 1;
    return cli_with_python(wanted.python, "to run DuckDB", "_sql",
                           (const char *const[]){trace, argv[optind + 1], wanted.format, NULL});
}
