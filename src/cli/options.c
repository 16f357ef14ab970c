/* Prints help, and parses options, from tables of options. */
#include "cli/options.h"

#include "base/memory.h"
#include "base/message.h"
#include "base/ranks.h"
#include "base/words.h"
#include "cli/help.h"
#include "cli/unknown.h"
#include "cli/verbs.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int pinsight_print(const char *text) {
    if (fputs(text, stdout) == EOF || fflush(stdout) == EOF) {
        pinsight_error("the output could not be written: %s", strerror(errno));
        return 1;
    }
    return 0;
}

const struct cli_option *cli_option_at(const struct cli_verb *verb, size_t index) {
    for (size_t i = 0; i < verb->option_count; i++) {
        const struct cli_option *option = &verb->options[i];

        if (!option->list) {
            if (index-- == 0)
                return option;
            continue;
        }
        for (size_t j = 0; (option = verb->options[i].list(j)); j++)
            if (index-- == 0)
                return option;
    }
    return NULL;
}

/* Prints "  -o, --output DIR". Returns the width. */
static int print_option(const struct cli_verb *verb, const struct cli_option *option) {
    int width = option->letter  ? printf("  -%c, --%s", option->letter, option->name)
                : verb->aligned ? printf("      --%s", option->name)
                                : printf("  --%s", option->name);

    return option->value ? width + printf(" %s", option->value) : width;
}

int cli_print_options(const struct cli_verb *verb) {
    const struct cli_option *option;

    cli_help_text(verb->usage);
    for (size_t i = 0; (option = cli_option_at(verb, i)); i++) {
        int width = print_option(verb, option);

        if (width >= (int)verb->column)
            width = printf("\n") - 1;
        cli_help_rest(option->help, (size_t)width, verb->column);
    }
    return pinsight_print("");
}

int cli_print_help(const struct cli_verb *verb) {
    int rc;

    if (verb->print_help)
        return verb->print_help(verb);
    rc = cli_print_options(verb);

    if (rc || !verb->more)
        return rc;
    cli_help_text(verb->more);
    return pinsight_print("");
}

const char *cli_option_word(const struct cli_option *option, size_t index) {
    return option->word_at ? option->word_at(index) : option->words ? option->words[index] : NULL;
}

enum { WORDS_MAX = 32 };

/* Collects an option's words, with NULL after the last one. */
static void words_of(const struct cli_option *option, const char *words[WORDS_MAX]) {
    size_t count = 0;

    while (count < WORDS_MAX - 1 && (words[count] = cli_option_word(option, count)))
        count++;
    words[count] = NULL;
}

int cli_unknown_value(const struct cli_option *option, const char *value) {
    const char *words[WORDS_MAX];
    char name[40];

    words_of(option, words);
    snprintf(name, sizeof(name), "--%s", option->name);
    cli_unknown_word(name, value, words);
    return -1;
}

int cli_take_word(const struct cli_option *option, const char *value, int *choice) {
    const char *words[WORDS_MAX];

    words_of(option, words);
    *choice = pinsight_word_index(value, strlen(value), words);
    return *choice >= 0 ? 0 : cli_unknown_value(option, value);
}

static int take_number(const struct cli_option *option, const char *value, int64_t *number) {
    char *end;

    errno = 0;
    *number = strtoll(value, &end, 10);
    if (value[0] >= '0' && value[0] <= '9' && !*end && !errno && *number <= option->most)
        return 0;
    pinsight_error("--%s takes a whole number from 0 to %" PRId64 ", not \"%s\"", option->name,
                   option->most, value);
    return -1;
}

static int take_percent(const struct cli_option *option, const char *value, double *number) {
    char *end;

    *number = strtod(value, &end);
    if (end != value && *end == '%')
        end++;
    if (end != value && !*end && *number >= 0 && *number <= 100)
        return 0;
    pinsight_error("--%s takes a share from 0 to 100 percent, not \"%s\"", option->name, value);
    return -1;
}

static int take_name(const struct cli_option *option, const char *value, const char **name) {
    int choice;

    if (cli_take_word(option, value, &choice) != 0)
        return -1;
    *name = cli_option_word(option, (size_t)choice);
    return 0;
}

int cli_take_ranks(const struct cli_option *option, const char *value, const char **ranks) {
    *ranks = value;
    if (pinsight_ranks_are(value))
        return 0;
    pinsight_error("--%s takes numbers and ranges such as 0 or 0,4-7, not '%s'", option->name,
                   value);
    return -1;
}

/* Reads the value of an option. Returns 0, or -1 after a message. */
static int take(const struct cli_option *option, const char *value, void *options) {
    void *at = (char *)options + option->at;

    switch (option->kind) {
    case CLI_FLAG:
        *(bool *)at = true;
        return 0;
    case CLI_TEXT:
        *(const char **)at = value;
        return 0;
    case CLI_WORD:
        return cli_take_word(option, value, at);
    case CLI_NAME:
        return take_name(option, value, at);
    case CLI_NUMBER:
        return take_number(option, value, at);
    case CLI_PERCENT:
        return take_percent(option, value, at);
    case CLI_RANKS:
        return cli_take_ranks(option, value, at);
    default:
        return option->take(options, option, value);
    }
}

/* The first value that getopt_long() returns for options without a letter. */
#define FIRST_ID 256

static int id_of(const struct cli_option *option, size_t index) {
    return option->letter ? option->letter : FIRST_ID + (int)index;
}

/* Arguments of getopt_long(). */
struct getopt {
    struct option *longs;
    char *letters;
};

/* Makes the arguments for a command's options. `prefix` is the begin of the letters, such as "+:".
 */
static void make(const struct cli_verb *verb, const char *prefix, struct getopt *getopt) {
    const struct cli_option *option;
    size_t count = 0;

    while (cli_option_at(verb, count))
        count++;
    getopt->longs = pinsight_calloc(count + 1, sizeof(*getopt->longs));
    getopt->letters = pinsight_calloc(strlen(prefix) + 2 * count + 1, 1);
    char *letter = stpcpy(getopt->letters, prefix);

    for (size_t i = 0; (option = cli_option_at(verb, i)); i++) {
        int has_value = option->value ? required_argument : no_argument;

        getopt->longs[i] = (struct option){option->name, has_value, NULL, id_of(option, i)};
        if (option->letter)
            letter += sprintf(letter, "%c%s", option->letter, option->value ? ":" : "");
    }
}

static const struct cli_option *find(const struct cli_verb *verb, int id) {
    const struct cli_option *option;

    for (size_t i = 0; (option = cli_option_at(verb, i)); i++)
        if (id_of(option, i) == id)
            return option;
    return NULL;
}

static bool parse(const struct cli_verb *verb, int argc, char **argv, void *options,
                  void (*argument)(void *options, const char *argument), int *status,
                  const struct getopt *getopt) {
    int id;

    while ((id = getopt_long(argc, argv, getopt->letters, getopt->longs, NULL)) != -1) {
        if (id == 1) {
            argument(options, optarg);
        } else if (id == 'h') {
            *status = cli_print_help(verb);
            return false;
        } else if (id == '?' || id == ':') {
            cli_unknown_option(verb->name, id, argv, getopt->longs);
            return false;
        } else if (take(find(verb, id), optarg, options) != 0) {
            return false;
        }
    }
    return true;
}

bool cli_parse(const struct cli_verb *verb, int argc, char **argv, void *options,
               void (*argument)(void *options, const char *argument), int *status) {
    struct getopt getopt;

    *status = 2;
    opterr = 0;
    optind = 0;
    make(verb, verb->has_command ? "+:" : argument ? "-:" : ":", &getopt);
    bool read = parse(verb, argc, argv, options, argument, status, &getopt);
    PINSIGHT_FREE(getopt.longs, getopt.letters);
    return read;
}
