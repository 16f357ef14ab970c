/* The verbs of `pinsight` and their options as data: parsing, --help, the completion of shells
 * (completion.c) and the man pages (man.c) read the same tables. */
#ifndef PINSIGHT_CLI_OPTIONS_H
#define PINSIGHT_CLI_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How a value is taken. All but the last write into the verb's structure of options. */
enum cli_kind {
    CLI_FLAG,    /* no value: a bool becomes true */
    CLI_TEXT,    /* const char * */
    CLI_WORD,    /* one of words: an int or enum becomes its index */
    CLI_NAME,    /* one of words: const char * becomes that word */
    CLI_NUMBER,  /* a whole number from 0 to most: int64_t */
    CLI_PERCENT, /* a share from 0 to 100: double */
    CLI_RANKS,   /* a list of ranks (base/ranks.h): const char * */
    CLI_TAKE,    /* a function takes it */
};

struct cli_option {
    const char *name;  /* without its dashes */
    char letter;       /* 0 for none */
    const char *value; /* what stands for the value in texts: "N"; NULL where it takes none */
    const char *help;  /* '\n' begins another line */
    enum cli_kind kind;
    size_t at; /* offset in the verb's structure */
    int64_t most;
    /* Values that the option takes, ended by NULL; for completion also where a function takes them.
     * word_at is the same as a function: the word of an index, or NULL. */
    const char *const *words;
    const char *(*word_at)(size_t index);
    /* Returns 0, or -1 after a message. option is this. */
    int (*take)(void *options, const struct cli_option *option, const char *value);
    /* In place of all this: the element stands for these options, NULL past the last one. */
    const struct cli_option *(*list)(size_t index);
};

struct cli_verb {
    const char *name;
    const char *about;        /* in the list of verbs */
    const char *usage, *more; /* what --help says above the options, and below; more may be NULL */
    const struct cli_option *options;
    size_t option_count;
    unsigned column;          /* at which the help of an option begins */
    bool aligned;             /* options without a letter have room for one */
    bool has_command;         /* the arguments are a command, options end at its first word */
    const char *const *words; /* arguments that are words, for completion; NULL for files */
    int (*print_help)(const struct cli_verb *verb); /* where help has more than usage and more */
};

#define CLI_OPTIONS(list) .options = (list), .option_count = sizeof(list) / sizeof((list)[0])

/* An element of a table: what follows the four is .name = value. */
#define CLI_OPTION(of_letter, of_name, of_value, about, ...)                                       \
    { .letter = of_letter, .name = of_name, .value = of_value, .help = about, __VA_ARGS__ }
/* Whose events are looked at, by verbs that have these members. */
#define CLI_SELECT(type, thread, process)                                                          \
    CLI_OPTION(0, "thread", "N", "only the Python thread N, or the thread with OS thread id N",    \
               .kind = CLI_NUMBER, .at = offsetof(type, thread), .most = UINT32_MAX),              \
        CLI_OPTION(0, "process", "PID", "only this process", .kind = CLI_NUMBER,                   \
                   .at = offsetof(type, process), .most = INT32_MAX)
/* The last options of a verb that can be told to be quiet. */
#define CLI_QUIET_AND_HELP(about, place)                                                           \
    CLI_OPTION('q', "quiet", NULL, about, .at = place), CLI_HELP
#define CLI_HELP CLI_OPTION('h', "help", NULL, "print this help and exit", .kind = CLI_TAKE)

/* The option of an index, or NULL past the last one. */
const struct cli_option *cli_option_at(const struct cli_verb *verb, size_t index);

/* A word that the option takes, or NULL past the last one. */
const char *cli_option_word(const struct cli_option *option, size_t index);

/* Says that a value is none of the option's words; returns -1. */
int cli_unknown_value(const struct cli_option *option, const char *value);

/* Sets *choice to the index of a value among the option's words. Returns 0, or -1 after a message.
 */
int cli_take_word(const struct cli_option *option, const char *value, int *choice);

/* Prints what stands above the options, and these; and all. Return an exit status. */
int cli_print_options(const struct cli_verb *verb);
int cli_print_help(const struct cli_verb *verb);

/* Sets *ranks to a list of ranks. Returns 0, or -1 after a message. */
int cli_take_ranks(const struct cli_option *option, const char *value, const char **ranks);

/* Reads the options of a command line into the verb's structure; optind is then the first argument.
 * Options may stand among arguments, which `argument` takes in turn (NULL: they are left). Returns
 * true; or false with the exit status where all is done: help was printed, or a message. */
bool cli_parse(const struct cli_verb *verb, int argc, char **argv, void *options,
               void (*argument)(void *options, const char *argument), int *status);

/* All verbs, ended by one without a table. */
struct cli_entry {
    const struct cli_verb *verb;
    int (*run)(int argc, char **argv); /* argv[0] is the name; returns the exit status */
};
extern const struct cli_entry cli_entries[];
extern const struct cli_verb cli_run, cli_report, cli_top, cli_compare, cli_diff, cli_dump,
    cli_export, cli_view, cli_config, cli_ctl, cli_doctor, cli_attach, cli_detach, cli_dump_stacks;

/* Prints the completion script of bash, zsh or fish; returns the exit status. */
int cli_print_completion(const char *shell);

#endif
