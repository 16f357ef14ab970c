/* The command `pinsight`: finds the verb and hands over. */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/verbs.h"
#include "cli/words.h"
#include "pinsight_version.h"
#include "session/program.h"
#include "session/say.h"

static const char overview[] =
    "usage: pinsight VERB [OPTIONS] ...\n"
    "\n"
    "One timeline for Python programs: functions and calls into C, recorded with LTTng-UST.\n"
    "\n"
    "  run      run a command, trace every Python in it, print where its time went\n"
    "  report   tables of a trace: functions, modules, threads, C calls, call tree\n"
    "  diff     two versions of a program side by side: what takes more time, what less\n"
    "  dump     the events of a trace as text, with names\n"
    "  export   a trace in the form of another tool\n"
    "  config   what a configuration file says; a file to start from\n"
    "  ctl      look at a program that is being traced, change what is recorded\n"
    "  doctor   check what PInsight needs, and what would not be seen; how to fix it\n"
    "  help     what a verb does: pinsight help run\n"
    "\n"
    "  --version\n"
    "\n"
    "For example:\n"
    "  pinsight run -o trace -- python3 app.py --size 1000\n"
    "  pinsight report trace --limit 20\n"
    "  pinsight report trace --tree\n"
    "  pinsight diff before1 before2 before3 --to after1 after2 after3\n"
    "  pinsight dump trace | less\n";

static const struct verb {
    const char *name;
    int (*run)(int argc, char **argv);
} verbs[] = {
    {"run", pinsight_cmd_run},   {"report", pinsight_cmd_report}, {"diff", pinsight_cmd_diff},
    {"dump", pinsight_cmd_dump}, {"export", pinsight_cmd_export}, {"config", pinsight_cmd_config},
    {"ctl", pinsight_cmd_ctl},   {"doctor", pinsight_cmd_doctor},
};

static const char *const words[] = {"run", "report", "diff", "dump",   "export",    "config",
                                    "ctl", "doctor", "help", "--help", "--version", NULL};

static const struct verb *find_verb(const char *name) {
    for (size_t i = 0; i < sizeof(verbs) / sizeof(*verbs); i++) {
        if (strcmp(verbs[i].name, name) == 0) {
            return &verbs[i];
        }
    }
    return NULL;
}

static int complain(const char *typed) {
    const char *nearest = pinsight_word_nearest(typed, words);

    if (nearest != NULL) {
        pinsight_complain("unknown verb '%s'; did you mean `pinsight %s`?", typed, nearest);
    } else {
        pinsight_complain(
            "unknown verb '%s'; there are run, report, diff, dump, export, config, ctl, doctor and "
            "help, and a command is traced with: pinsight run -- %s",
            typed, typed);
    }
    return 2;
}

int pinsight_print(const char *text) {
    if (fputs(text, stdout) == EOF || fflush(stdout) == EOF) {
        pinsight_complain("the output could not be written: %s", strerror(errno));
        return 1;
    }
    return 0;
}

static int help(const char *name) {
    const struct verb *verb = name != NULL ? find_verb(name) : NULL;
    char *arguments[] = {(char *)name, "--help", NULL};

    if (name == NULL || strcmp(name, "help") == 0) {
        return pinsight_print(overview);
    }
    return verb != NULL ? verb->run(2, arguments) : complain(name);
}

const char *pinsight_command_word = "pinsight";

/* Does $PATH lead to the file that was typed as a path? */
static void set_command_word(const char *typed) {
    const char *name = strrchr(typed, '/');
    char found[PATH_MAX];
    struct stat a, b;

    if (name == NULL) {
        pinsight_command_word = typed;
        return;
    }
    bool on_path = pinsight_program_find(name + 1, found) == 0 && stat(found, &a) == 0 &&
                   stat(typed, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
    pinsight_command_word = on_path ? name + 1 : typed;
}

int main(int argc, char **argv) {
    if (argc > 0) {
        set_command_word(argv[0]);
    }
    if (argc < 2) {
        return pinsight_print(overview);
    }
    const char *name = argv[1];
    if (strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        return help(argv[2]);
    }
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
        return pinsight_print("pinsight " PINSIGHT_VERSION "\n");
    }
    const struct verb *verb = find_verb(name);
    return verb != NULL ? verb->run(argc - 1, argv + 1) : complain(name);
}
