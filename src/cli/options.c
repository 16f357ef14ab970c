/* Help and parsing from tables of options. */
#include "cli/options.h"

#include "base/message.h"
#include "cli/verbs.h"
#include "cli/view_options.h"

#include <stdio.h>
#include <string.h>

/* "  -o, --output DIR"; returns its width. */
static int print_option(const struct cli_verb *verb, const struct cli_option *option) {
    int width = option->letter  ? printf("  -%c, --%s", option->letter, option->name)
                : verb->aligned ? printf("      --%s", option->name)
                                : printf("  --%s", option->name);

    return option->value ? width + printf(" %s", option->value) : width;
}

int cli_print_options(const struct cli_verb *verb) {
    fputs(verb->usage, stdout);
    for (size_t i = 0; i < verb->option_count; i++) {
        int column = (int)verb->column, width = print_option(verb, &verb->options[i]);

        if (width >= column)
            width = printf("\n") - 1;
        for (const char *at = verb->options[i].help; at; width = 0) {
            const char *end = strchr(at, '\n');

            printf("%*s%.*s\n", column - width, "", end ? (int)(end - at) : (int)strlen(at), at);
            at = end ? end + 1 : NULL;
        }
    }
    return pinsight_print("");
}

int cli_print_help(const struct cli_verb *verb) {
    int rc;

    if (verb->print_help)
        return verb->print_help(verb);
    rc = cli_print_options(verb);

    return rc || !verb->more ? rc : pinsight_print(verb->more);
}

/* Takes one option; returns 0, or -1 after a message. */
static int take(const struct cli_option *option, const char *value, void *options) {
    void *at = (char *)options + option->at;
    char name[40];

    snprintf(name, sizeof(name), "--%s", option->name);
    switch (option->kind) {
    case CLI_FLAG:
        *(bool *)at = true;
        return 0;
    case CLI_TEXT:
        *(const char **)at = value;
        return 0;
    case CLI_WORD:
        return pinsight_option_word(name, value, option->words, at);
    case CLI_NUMBER:
        return pinsight_option_number(name, value, option->most, at);
    case CLI_PERCENT:
        return pinsight_option_percent(name, value, at);
    default:
        return option->take(options, option, value);
    }
}

static const struct cli_option *find(const struct cli_verb *verb, int id) {
    for (size_t i = 0; i < verb->option_count; i++)
        if (cli_option_id(verb, i) == id)
            return &verb->options[i];
    return NULL;
}

bool cli_parse(const struct cli_verb *verb, int argc, char **argv, void *options,
               void (*argument)(void *options, const char *argument), int *status) {
    struct cli_getopt getopt;
    int id;

    *status = 2;
    opterr = 0;
    optind = 0;
    cli_getopt(verb, verb->has_command ? "+:" : argument ? "-:" : ":", &getopt);
    while ((id = getopt_long(argc, argv, getopt.letters, getopt.longs, NULL)) != -1) {
        if (id == 1) {
            argument(options, optarg);
        } else if (id == 'h') {
            *status = cli_print_help(verb);
            return false;
        } else if (id == '?' || id == ':') {
            *status = pinsight_option_error(verb->name, id, argv, getopt.longs);
            return false;
        } else if (take(find(verb, id), optarg, options) != 0) {
            return false;
        }
    }
    return true;
}
