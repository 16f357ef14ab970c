/* The command `pinsight`: finds the verb and calls it. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "base/words.h"
#include "cli/help.h"
#include "cli/options.h"
#include "cli/run_script.h"
#include "cli/verbs.h"
#include "pinsight_version.h"

static const char above[] =
    "usage: pinsight VERB [OPTIONS] ...\n"
    "       pinsight app.py [ARGUMENT...]     the same as pinsight run app.py\n"
    "\n"
    "One timeline for Python programs: functions, calls into C, and the "
    "native work that they cause.\n"
    "\n";

static const char below[] = "  help        explain a verb: pinsight help run\n"
                            "\n"
                            "  --version\n"
                            "\n"
                            "For example:\n"
                            "  pinsight run -o trace -- python3 app.py --size 1000\n"
                            "  pinsight report trace --limit 20\n"
                            "  pinsight report trace --tree\n"
                            "  pinsight diff before1 before2 before3 --to after1 after2 after3\n"
                            "  pinsight dump trace | less\n";

/* Returns the entry of a verb, or the last entry, which has no table. */
static const struct cli_entry *find_verb(const char *name) {
    const struct cli_entry *entry = cli_entries;

    while (entry->verb != NULL && strcmp(entry->verb->name, name) != 0) {
        entry++;
    }
    return entry;
}

static int print_overview(void) {
    cli_help_text(above);
    for (size_t i = 0; cli_entries[i].verb != NULL; i++) {
        int width = printf("  %-11s ", cli_entries[i].verb->name);
        cli_help_rest(cli_entries[i].verb->about, (size_t)width, (size_t)width);
    }
    cli_help_text(below);
    return pinsight_print("");
}

static int unknown_command(const char *typed) {
    const char *words[24] = {NULL};
    char list[256];
    size_t count = 0;

    for (const struct cli_entry *entry = cli_entries; entry->verb != NULL; entry++) {
        words[count++] = entry->verb->name;
    }
    words[count++] = "help";
    pinsight_word_list(words, list, sizeof(list));
    words[count++] = "--help";
    words[count] = "--version";
    const char *nearest = pinsight_word_meant(typed, words);

    if (nearest != NULL) {
        pinsight_error("unknown verb '%s'; did you mean `pinsight %s`?", typed, nearest);
    } else {
        pinsight_error("unknown verb '%s'; choose %s. A command is traced with: pinsight "
                       "run -- %s",
                       typed, list, typed);
    }
    return 2;
}

static int help(const char *name) {
    const struct cli_entry *entry;
    char *arguments[] = {(char *)name, "--help", NULL};

    if (name == NULL || strcmp(name, "help") == 0) {
        return print_overview();
    }
    entry = find_verb(name);
    return entry->verb != NULL ? entry->run(2, arguments) : unknown_command(name);
}

/* Stops the preloaded library from adding variables to the environment of children, if this command
 * is part of another run. This command sets the environment of each process that it starts. */
static void leave_environments(void) {
    void (*leave)(void) = (void (*)(void))dlsym(RTLD_DEFAULT, "pinsight_preload_leave");

    if (leave != NULL) {
        leave();
    }
}

int main(int argc, char **argv) {
    leave_environments();
    if (argc > 0) {
        pinsight_set_command_word(argv[0]);
    }
    if (argc < 2) {
        return print_overview();
    }
    const char *name = argv[1];
    if (strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        return help(argv[2]);
    }
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
        return pinsight_print("pinsight " PINSIGHT_VERSION "\n");
    }
    if (strcmp(name, "--completion") == 0) {
        return cli_print_completion(argv[2]);
    }
    if (strcmp(name, "--rows") == 0) {
        return pinsight_cmd_rows(argc - 1, argv + 1);
    }
    const struct cli_entry *entry = find_verb(name);
    if (entry->verb == NULL && pinsight_run_script_is(name)) {
        argv[0] = "run";
        return pinsight_cmd_run(argc, argv);
    }
    return entry->verb != NULL ? entry->run(argc - 1, argv + 1) : unknown_command(name);
}
