/* `pinsight config`: what a configuration file says, what is in force, a file to start from. */
#include "cli/config_options.h"
#include "cli/verbs.h"
#include "cli/view_options.h"
#include "cli/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: pinsight config check FILE\n"
    "       pinsight config show [-c FILE] [--for REGION]\n"
    "       pinsight config init [-o FILE]\n"
    "\n"
    "Reads and writes configuration files: what to record, of which code, how often, for how "
    "long.\n"
    "`pinsight run -c FILE` records by them.\n"
    "\n"
    "  check                says what FILE means, or everything that is wrong with it\n"
    "  show                 prints the configuration that results from defaults, file and\n"
    "                       environment, and where each value comes from\n"
    "  init                 writes a commented file to start from\n"
    "\n"
    "  -c, --config FILE    of show: this file (default: the one that $PINSIGHT_CONFIG names)\n"
    "      --for REGION     of show: the settings of one function or C callable, and which "
    "section\n"
    "                       of the file decides each\n"
    "  -o, --output FILE    of init: a new file (default: standard output)\n"
    "  -h, --help           this text\n"
    "\n"
    "Examples:\n"
    "  pinsight config init -o pinsight.ini\n"
    "  pinsight config check pinsight.ini\n"
    "  pinsight config show -c pinsight.ini --for Python:solver.py:Solver.step\n"
    "  pinsight config show -c pinsight.ini --for Python:c:numpy.dot\n"
    "  pinsight run -c pinsight.ini -- python3 app.py\n"
    "\n"
    "Exit status: 0 all is well, 1 the file is wrong or cannot be read or written, 2 the options "
    "are\n"
    "wrong.\n";

static const struct verb {
    const char *name;
    int (*run)(int argc, char **argv);
} verbs[] = {
    {"check", pinsight_cmd_config_check},
    {"show", pinsight_cmd_config_show},
    {"init", pinsight_cmd_config_init},
};

static const char *const words[] = {"check", "show", "init", NULL};

const char *pinsight_config_getenv(const char *name) {
    return getenv(name);
}

struct pinsight_config *pinsight_config_load(const char *path,
                                             const char *(*environment)(const char *name)) {
    struct pinsight_config_input input = {
        .domains = pinsight_config_domains,
        .domain_count = pinsight_config_domain_count,
        .path = path,
        .environment = environment,
    };
    static struct pinsight_config_errors errors; /* 10 KB, and one thread */
    char text[PINSIGHT_CONFIG_ERROR_ROOM + 4096];
    struct pinsight_config *config = pinsight_config_read(&input, &errors);

    for (size_t i = 0; i < errors.count; i++)
        fprintf(stderr, "pinsight: %s\n",
                pinsight_config_error_text(&errors, i, text, sizeof text));
    if (errors.left_out)
        fprintf(stderr, "pinsight: and %zu more\n", errors.left_out);
    return config;
}

int pinsight_config_flush(void) {
    return fflush(stdout) != 0 || ferror(stdout) ? pinsight_option_write_error() : 0;
}

int pinsight_cmd_config(int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : NULL;

    if (name && (!strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "help")))
        return pinsight_print(help);
    if (!name) {
        fputs("pinsight: config does what? check, show or init; `pinsight config --help` has "
              "examples\n",
              stderr);
        return 2;
    }
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        if (strcmp(name, verbs[i].name) != 0)
            continue;
        for (int j = 2; j < argc && strcmp(argv[j], "--") != 0; j++) {
            if (!strcmp(argv[j], "--help") || !strcmp(argv[j], "-h"))
                return pinsight_print(help);
        }
        return verbs[i].run(argc - 1, argv + 1);
    }
    const char *nearest = pinsight_word_nearest(name, words);
    if (nearest)
        fprintf(stderr, "pinsight: config does not know '%s'; did you mean `pinsight config %s`?\n",
                name, nearest);
    else
        fprintf(stderr, "pinsight: config does not know '%s'; it has check, show and init\n", name);
    return 2;
}
