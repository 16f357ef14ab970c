/*
 * `pinsight --rows TABLE SOCKET TRACE [NAME=VALUE...]`: sends a table of a trace to the library
 * that started it (src/datalib). Not for users: the library checks the arguments before.
 */
#include "cli/verbs.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/message.h"
#include "cli/view_signals.h"
#include "reader/ctf/runs.h"
#include "views/data/batch.h"
#include "views/data/data.h"

/* Returns the text after "name=", or NULL. */
static const char *value_of(const char *argument, const char *name) {
    size_t length = strlen(name);

    return !strncmp(argument, name, length) && argument[length] == '=' ? argument + length + 1
                                                                       : NULL;
}

/* Takes one of the filters. Returns whether it is known. */
static bool take(struct pinsight_data_options *options, const char *argument) {
    const char *value;

    if ((value = value_of(argument, "from")) != NULL)
        options->from_ns = strtoll(value, NULL, 10);
    else if ((value = value_of(argument, "to")) != NULL)
        options->to_ns = strtoll(value, NULL, 10);
    else if ((value = value_of(argument, "ranks")) != NULL)
        options->ranks = value;
    else if ((value = value_of(argument, "thread")) != NULL)
        options->thread = strtoll(value, NULL, 10);
    else if ((value = value_of(argument, "process")) != NULL)
        options->process = strtoll(value, NULL, 10);
    else if ((value = value_of(argument, "function")) != NULL)
        options->functions[options->function_count++] = value;
    return value != NULL;
}

static int table_of(const char *name) {
    int table = 0;

    while (table < PINSIGHT_DATA_TABLES && strcmp(pinsight_data_tables[table].name, name) != 0)
        table++;
    return table;
}

/* Sends an error in place of the table. */
static int refuse(const struct pinsight_data_options *options, const char *error) {
    struct pinsight_data_batch batch;

    pinsight_data_batch_make(&batch, &pinsight_data_tables[options->table], options->socket);
    pinsight_data_end(&batch, error);
    pinsight_data_batch_clear(&batch);
    return 1;
}

int pinsight_cmd_rows(int argc, char **argv) {
    struct pinsight_data_options options = {PINSIGHT_DATA_WHOLE};
    char *folder, *problem = NULL;
    bool known;
    int table, rc;

    if (argc < 4 || (table = table_of(argv[1])) == PINSIGHT_DATA_TABLES) {
        pinsight_error("--rows is for the library of pinsight.data");
        return 2;
    }
    options.table = (enum pinsight_data_table_number)table;
    options.socket = atoi(argv[2]);
    options.functions = pinsight_calloc((size_t)argc, sizeof(*options.functions));
    for (int i = 4; i < argc; i++)
        if (!take(&options, argv[i]))
            return refuse(&options, "unknown filter: the library and the command differ; install "
                                    "PInsight again");
    pinsight_view_signals();
    folder = pinsight_runs_choose(argv[3], &known, &problem);
    options.trace = folder;
    rc = folder ? pinsight_data_write(&options) : refuse(&options, problem);
    PINSIGHT_FREE(folder, problem, (void *)options.functions);
    return rc;
}
