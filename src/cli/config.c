/* `pinsight config`: explains a configuration file, shows the valid configuration, and writes a
 * file to start from. */
#include "base/message.h"
#include "base/words.h"
#include "cli/config_options.h"
#include "cli/options.h"
#include "cli/verbs.h"
#include "cli/view_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const words[] = {"check", "show", "init", NULL};

#define AT(member) offsetof(struct config_wanted, member)
static const struct cli_option option_table[] = {
    CLI_OPTION('c', "config", "FILE",
               "of show: this file (default: the one that $PINSIGHT_CONFIG names)",
               .kind = CLI_TEXT, .at = AT(path)),
    CLI_OPTION(0, "for", "REGION",
               "of show: the settings of one function or C callable, and which section\n"
               "of the file decides each",
               .kind = CLI_TEXT, .at = AT(region)),
    CLI_OPTION('o', "output", "FILE", "of init: a new file (default: standard output)",
               .kind = CLI_TEXT, .at = AT(output)),
    CLI_HELP,
};

/* The first two options are those of `show`, the third is that of `init`. */
const struct cli_verb cli_config_check = {.name = "config"};
const struct cli_verb cli_config_show = {
    .name = "config", .options = option_table, .option_count = 2};
const struct cli_verb cli_config_init = {
    .name = "config", .options = option_table + 2, .option_count = 1};

const struct cli_verb cli_config = {
    .name = "config",
    .about = "check, show and write configuration files",
    .usage =
        "usage: pinsight config check FILE\n"
        "       pinsight config show [-c FILE] [--for REGION]\n"
        "       pinsight config init [-o FILE]\n"
        "\n"
        "Reads and writes configuration files. They select events, code and threads, and limit how "
        "often\n"
        "and how long they are recorded. `pinsight run -c FILE` uses them.\n"
        "\n"
        "  check                explains FILE, or lists its mistakes\n"
        "  show                 prints the configuration that results from defaults, file and\n"
        "                       environment, with the origin of each value\n"
        "  init                 writes a commented file to start from\n"
        "\n",
    .more = "\n"
            "Examples:\n"
            "  pinsight config init -o pinsight.ini\n"
            "  pinsight config check pinsight.ini\n"
            "  pinsight config show -c pinsight.ini --for Python:solver.py:Solver.step\n"
            "  pinsight config show -c pinsight.ini --for Python:c:numpy.dot\n"
            "  pinsight run -c pinsight.ini -- python3 app.py\n"
            "\n"
            "Exit status: 0 all is well, 1 the file is wrong or cannot be read or written, 2 the "
            "options are\n"
            "wrong.\n",
    CLI_OPTIONS(option_table),
    .column = 23,
    .aligned = true,
    .words = words,
};

static const struct verb {
    const char *name;
    int (*run)(int argc, char **argv);
} verbs[] = {
    {"check", pinsight_cmd_config_check},
    {"show", pinsight_cmd_config_show},
    {"init", pinsight_cmd_config_init},
};

const char *pinsight_config_getenv(const char *name) {
    return getenv(name);
}

/* Enough for the longest value: a file has at most 1 MiB, and a blank is added after each comma. */
#define VALUE_ROOM ((size_t)4 << 20)

/* Returns room for a value, which the first call allocates. Ends the command if there is no
 * memory. */
static char *room(char **text) {
    if (!*text && !(*text = malloc(VALUE_ROOM))) {
        pinsight_error("no memory");
        exit(1);
    }
    return *text;
}

const char *pinsight_config_text_of(const struct pinsight_config *config,
                                    const struct pinsight_config_setting *setting) {
    static char *text;

    return pinsight_config_format(config, setting, room(&text), VALUE_ROOM);
}

const char *pinsight_config_limits_of(const struct pinsight_config *config,
                                      const struct pinsight_config_section *section) {
    static char *text;

    pinsight_config_format_limits(config, section, room(&text), VALUE_ROOM);
    return text;
}

struct pinsight_config *pinsight_config_load(const char *path,
                                             const char *(*environment)(const char *name)) {
    struct pinsight_config_input input = {
        .domains = pinsight_config_domains,
        .domain_count = pinsight_config_domain_count,
        .path = path,
        .environment = environment,
    };
    static struct pinsight_config_errors errors; /* 10 KB; there is one thread */
    char text[PINSIGHT_CONFIG_ERROR_ROOM + 4096];
    struct pinsight_config *config = pinsight_config_read(&input, &errors);

    for (size_t i = 0; i < errors.count; i++)
        pinsight_error("%s", pinsight_config_error_text(&errors, i, text, sizeof text));
    if (errors.omitted)
        pinsight_error("and %zu more", errors.omitted);
    return config;
}

bool pinsight_config_options(const struct cli_verb *verb, char letter, int argc, char **argv,
                             struct config_wanted *wanted, int *status) {
    if (!cli_parse(verb, argc, argv, wanted, NULL, status))
        return false;
    if (optind < argc)
        pinsight_error("config %s takes no '%s'; the file is named with -%c", argv[0], argv[optind],
                       letter);
    *status = 2;
    return optind >= argc;
}

int pinsight_config_flush(void) {
    return fflush(stdout) != 0 || ferror(stdout) ? pinsight_option_write_error() : 0;
}

int pinsight_cmd_config(int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : NULL;

    if (name && (!strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "help")))
        return cli_print_help(&cli_config);
    if (!name) {
        pinsight_error("config does what? check, show or init; `pinsight config --help` has "
                       "examples");
        return 2;
    }
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        if (strcmp(name, verbs[i].name) != 0)
            continue;
        for (int j = 2; j < argc && strcmp(argv[j], "--") != 0; j++) {
            if (!strcmp(argv[j], "--help") || !strcmp(argv[j], "-h"))
                return cli_print_help(&cli_config);
        }
        return verbs[i].run(argc - 1, argv + 1);
    }
    const char *nearest = pinsight_word_meant(name, words);
    if (nearest)
        pinsight_error("config does not know '%s'; did you mean `pinsight config %s`?", name,
                       nearest);
    else
        pinsight_error("config does not know '%s'; it has check, show and init", name);
    return 2;
}
