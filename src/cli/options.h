/* The verbs of `pinsight` and their options as tables. Parsing, --help, the completion of shells
 * (completion.c) and the man pages (tables.c, gen_man.py) read the same tables. */
#ifndef PINSIGHT_CLI_OPTIONS_H
#define PINSIGHT_CLI_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The form of a value. All but the last write to the verb's structure of options. */
enum cli_kind {
    CLI_FLAG,    /* has no value; sets a bool to true */
    CLI_TEXT,    /* a const char * */
    CLI_WORD,    /* one of `words`; an int or enum gets its index */
    CLI_NAME,    /* one of `words`; a const char * gets that word */
    CLI_NUMBER,  /* a whole number from 0 to `most`; an int64_t */
    CLI_PERCENT, /* a share from 0 to 100; a double */
    CLI_RANKS,   /* a list of ranks (base/ranks.h); a const char * */
    CLI_TAKE,    /* `take` reads the value */
};

struct cli_option {
    const char *name;  /* without its dashes */
    char letter;       /* 0 for none */
    const char *value; /* name of the value in texts, such as "N"; NULL if there is no value */
    const char *help;  /* '\n' counts as a blank */
    enum cli_kind kind;
    size_t at; /* offset in the verb's structure */
    int64_t most;
    /* Values of the option, ended by NULL. Completion uses them even if `take` reads the value.
     * word_at() is an alternative: it returns the word of an index, or NULL. */
    const char *const *words;
    const char *(*word_at)(size_t index);
    /* Reads the value. Returns 0, or -1 after a message. `option` is the table's element. */
    int (*take)(void *options, const struct cli_option *option, const char *value);
    /* Stands for several options instead: returns that of an index, or NULL past the last one. */
    const struct cli_option *(*list)(size_t index);
};

struct cli_verb {
    const char *name;
    const char *about;        /* in the list of verbs */
    const char *usage, *more; /* text of --help above and below the options; `more` may be NULL */
    const struct cli_option *options;
    size_t option_count;
    unsigned column;          /* at which the help of an option begins */
    bool aligned;             /* leaves room for a letter before options without one */
    bool has_command;         /* the arguments are a command, and options end at its first word */
    const char *const *words; /* arguments that are words, for completion; NULL for files */
    /* Prints help that has more than `usage` and `more`. */
    int (*print_help)(const struct cli_verb *verb);
};

#define CLI_OPTIONS(list) .options = (list), .option_count = sizeof(list) / sizeof((list)[0])

/* An element of a table. The arguments after the first four are of the form .name = value. */
#define CLI_OPTION(of_letter, of_name, of_value, about, ...)                                       \
    { .letter = of_letter, .name = of_name, .value = of_value, .help = about, __VA_ARGS__ }
/* Options that select events, for structures with these members. */
#define CLI_SELECT(type, thread, process)                                                          \
    CLI_OPTION(0, "thread", "N", "only the Python thread N, or the thread with OS thread id N",    \
               .kind = CLI_NUMBER, .at = offsetof(type, thread), .most = UINT32_MAX),              \
        CLI_OPTION(0, "process", "PID", "only this process", .kind = CLI_NUMBER,                   \
                   .at = offsetof(type, process), .most = INT32_MAX)
#define CLI_REGION(place)                                                                          \
    CLI_OPTION(0, "region", "NAME", "only the time in which this region of the program ran",       \
               .kind = CLI_TEXT, .at = place)
/* The last options of a verb that has --quiet. */
#define CLI_QUIET_AND_HELP(about, place)                                                           \
    CLI_OPTION('q', "quiet", NULL, about, .at = place), CLI_HELP
#define CLI_HELP CLI_OPTION('h', "help", NULL, "print this help and exit", .kind = CLI_TAKE)

/* Returns the option of an index, or NULL past the last one. */
const struct cli_option *cli_option_at(const struct cli_verb *verb, size_t index);

/* Returns a word of the option, or NULL past the last one. */
const char *cli_option_word(const struct cli_option *option, size_t index);

/* Reports a value that is none of the option's words. Returns -1. */
int cli_unknown_value(const struct cli_option *option, const char *value);

/* Sets *choice to the index of a value among the option's words. Returns 0, or -1 after a message.
 */
int cli_take_word(const struct cli_option *option, const char *value, int *choice);

/* Print the usage with the options, and the whole help. Return an exit status. */
int cli_print_options(const struct cli_verb *verb);
int cli_print_help(const struct cli_verb *verb);

/* Sets *ranks to a list of ranks. Returns 0, or -1 after a message. */
int cli_take_ranks(const struct cli_option *option, const char *value, const char **ranks);

/* Reads the options of a command line into the verb's structure. Sets optind to the first argument.
 * Options may stand among arguments, for which `argument` is called in turn; NULL keeps the
 * arguments. Returns true, or false with the exit status after help or a message. */
bool cli_parse(const struct cli_verb *verb, int argc, char **argv, void *options,
               void (*argument)(void *options, const char *argument), int *status);

/* All verbs. The last entry has no table. */
struct cli_entry {
    const struct cli_verb *verb;
    int (*run)(int argc, char **argv); /* argv[0] is the verb's name; returns the exit status */
};
extern const struct cli_entry cli_entries[];
extern const struct cli_verb cli_run, cli_report, cli_top, cli_compare, cli_diff, cli_dump,
    cli_export, cli_sql, cli_store, cli_view, cli_config, cli_ctl, cli_doctor, cli_attach,
    cli_detach, cli_dump_stacks, cli_pack;

/* Prints the completion script for bash, zsh or fish. Returns the exit status. */
int cli_print_completion(const char *shell);

#endif
