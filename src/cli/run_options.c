/* The options of `pinsight run`. */
#include "cli/run_options.h"

#include <getopt.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/message.h"
#include "base/signal_name.h"
#include "base/size.h"
#include "base/words.h"
#include "cli/options.h"
#include "cli/unknown.h"
#include "describe/words.h"
#include "format/ring_head.h"
#include "session/env.h"

#define GIB (UINT64_C(1) << 30)
#define PAGE_SIZE UINT64_C(4096)
#define BUFFER_MAX (UINT64_C(1) << 30)

static const char *const domain_words[] = {PINSIGHT_DOMAIN_WORDS, NULL};
static const char *const event_words[] = {"function", "c_call", "import",    "gc", "gil",
                                          "lock",     "task",   "generator", NULL};
static const char *const event_choices[] = {"function", "c_call", "import",    "gc",   "gil",
                                            "lock",     "task",   "generator", "none", NULL};
static const char *const name_words[] = {"inline", "registry", NULL};
static const char *const mode_words[] = {"OFF", "STANDBY", "MONITORING", "TRACING", NULL};
#define QUICK 2 /* the first two are those of --quick */

/* Values of the options, with the typed text if it is needed. */
struct run_wanted {
    struct pinsight_run_options options;
    const char *recorder, *buffer_size, *max_size; /* as typed; NULL if not given */
    bool quick;
};

/* Reads a list of words with commas. The result has each word at most once. */
static int take_list(const struct cli_option *option, const char *typed, const char *const *words,
                     char *list, size_t room) {
    list[0] = '\0';
    for (const char *at = typed;;) {
        size_t length = strcspn(at, ",");
        const char *word = pinsight_word_find(at, length, words);
        if (word == NULL) {
            char part[64];
            snprintf(part, sizeof(part), "%.*s", (int)(length < 63 ? length : 63), at);
            if (*part == '\0') {
                pinsight_error("--%s has an empty word in '%s'; separate words with one comma",
                               option->name, typed);
                return -1;
            }
            word = pinsight_word_find(at, length, option->words);
            if (word == NULL) {
                return cli_unknown_value(option, part);
            }
            pinsight_error("--%s takes '%s' alone, not in a list: '%s'", option->name, word, typed);
            return -1;
        }
        if (strstr(list, word) == NULL) {
            size_t used = strlen(list);
            snprintf(list + used, room - used, "%s%s", used > 0 ? "," : "", word);
        }
        if (at[length] == '\0') {
            return 0;
        }
        at += length + 1;
    }
}

static int take_domains(void *wanted, const struct cli_option *option, const char *typed) {
    struct pinsight_run_options *options = &((struct run_wanted *)wanted)->options;

    return take_list(option, typed, domain_words, options->domains, sizeof(options->domains));
}

static int take_events(void *wanted, const struct cli_option *option, const char *typed) {
    struct pinsight_run_options *options = &((struct run_wanted *)wanted)->options;

    if (strcasecmp(typed, "none") == 0) {
        strcpy(options->events, "none");
        return 0;
    }
    return take_list(option, typed, event_words, options->events, sizeof(options->events));
}

static int take_path(void *wanted, const struct cli_option *option, const char *typed) {
    if (*typed == '\0') {
        pinsight_error("--%s needs the name of a %s, and was given an empty one", option->name,
                       strcmp(option->value, "DIR") == 0 ? "folder" : "file");
        return -1;
    }
    *(const char **)((char *)wanted + option->at) = typed;
    return 0;
}

static int take_lines(void *wanted, const struct cli_option *option, const char *typed) {
    if (*typed == '\0') {
        pinsight_error("--%s needs the code whose lines are measured, such as "
                       "solver.py:Solver.step, and was given nothing",
                       option->name);
        return -1;
    }
    ((struct run_wanted *)wanted)->options.lines = typed;
    return 0;
}

static int take_size(const struct cli_option *option, const char *typed, uint64_t *size) {
    if (pinsight_size_parse(typed, size)) {
        return 0;
    }
    pinsight_error("--%s cannot read '%s' as a size; write a number of bytes, or one with K, M or "
                   "G, such as 256K",
                   option->name, typed);
    return -1;
}

static int take_max_size(void *options, const struct cli_option *option, const char *typed) {
    struct run_wanted *wanted = options;

    wanted->max_size = typed;
    return take_size(option, typed, &wanted->options.max_size);
}

/* Reads a share, and a size behind a comma. The configuration's parser checks the share. */
static int take_budget(void *options, const struct cli_option *option, const char *typed) {
    struct run_wanted *wanted = options;
    struct pinsight_run_options *run = &wanted->options;
    size_t length = strcspn(typed, ",");

    if (length >= sizeof(run->budget)) {
        pinsight_error("--budget cannot read '%s'; write a percentage such as 10%%", typed);
        return -1;
    }
    memcpy(run->budget, typed, length);
    run->budget[length] = '\0';
    return typed[length] == ',' ? take_max_size(options, option, typed + length + 1) : 0;
}

static int take_buffer_size(void *options, const struct cli_option *option, const char *typed) {
    struct run_wanted *wanted = options;
    uint64_t *size = &wanted->options.buffer_size;

    if (take_size(option, typed, size) != 0) {
        return -1;
    }
    if (*size == 0 || *size > BUFFER_MAX) {
        pinsight_error(
            "--buffer-size %s is out of range; take 4K to 1G (each processor has four of them)",
            typed);
        return -1;
    }
    wanted->buffer_size = typed;
    return 0;
}

#define AT(member) offsetof(struct run_wanted, options.member)
static const struct cli_option option_table[] = {
    CLI_OPTION('o', "output", "DIR",
               "trace folder, new or empty (default: pinsight-<program>-<number>)",
               .kind = CLI_TAKE, .take = take_path, .at = AT(output)),
    CLI_OPTION(0, "force", NULL, "with -o: a trace that is in the folder already is removed",
               .at = AT(force)),
    CLI_OPTION('c', "config", "FILE",
               "a configuration: events, code, how often, how long (default: the file of\n"
               "$PINSIGHT_CONFIG); see `pinsight help config`. Options override it",
               .kind = CLI_TAKE, .take = take_path, .at = AT(config)),
    CLI_OPTION(0, "recorder", "WHICH",
               "file: the command's processes write the trace themselves; or\n"
               "lttng: by LTTng's daemons (default: " PINSIGHT_RECORDER_DEFAULT ")",
               .kind = CLI_NAME, .at = offsetof(struct run_wanted, recorder),
               .words = pinsight_session_recorder_names),
    CLI_OPTION(0, "domains", "LIST", "domains to trace: " PINSIGHT_DOMAIN_LIST " (default: all)",
               .kind = CLI_TAKE, .take = take_domains, .words = domain_words),
    CLI_OPTION(0, "events", "LIST",
               "of Python: function,c_call,import,gc,gil,lock,task (default), generator,\n"
               "some of them, or none",
               .kind = CLI_TAKE, .take = take_events, .words = event_choices),
    CLI_OPTION(0, "names", "HOW",
               "inline (default): every event has its names, or\n"
               "registry: smaller and faster; `pinsight dump` puts the names back",
               .kind = CLI_NAME, .at = AT(names), .words = name_words),
    CLI_OPTION(0, "mode", "MODE",
               "of the domains: TRACING (default), MONITORING (counts and times only),\n"
               "STANDBY or OFF",
               .kind = CLI_NAME, .at = AT(mode), .words = mode_words),
    CLI_OPTION(0, "lines", "LIST",
               "count and time the lines of this Python code (3.12 and later), such as\n"
               "solver.py:Solver.step; wildcards are possible; see `pinsight report --lines`",
               .kind = CLI_TAKE, .take = take_lines),
    CLI_OPTION(0, "budget", "P[,N]",
               "what recording may cost, such as 10%: a share of the program's own\n"
               "processor time (3.12 and later); the most frequent calls are left out.\n"
               "10%,2G also is --max-size 2G",
               .kind = CLI_TAKE, .take = take_budget),
    CLI_OPTION(0, "quick", NULL,
               "a cheap first look, --mode MONITORING: calls are counted and timed by\n"
               "call path, and no call is recorded by itself",
               .at = offsetof(struct run_wanted, quick)),
    CLI_OPTION(0, "lossless", NULL,
               "wait when a buffer is full, up to 2 s an event, in place of dropping",
               .at = AT(lossless)),
    CLI_OPTION(0, "buffer-size", "N",
               "bytes of one of four parts of a processor's buffer, such as 256K or 4M;\n"
               "each process has buffers of its own (default: what suits the machine)",
               .kind = CLI_TAKE, .take = take_buffer_size),
    CLI_OPTION(0, "max-size", "N",
               "largest trace of each process (default 2G, or a tenth of the free space;\n"
               "0: no limit); after that the process goes on in MONITORING",
               .kind = CLI_TAKE, .take = take_max_size),
    CLI_OPTION(0, "ring", "LIMIT",
               "a flight recorder: keep the last part alone of what each process\n"
               "records, such as 64M or 30s; it is there however the process ends",
               .kind = CLI_TEXT, .at = AT(ring)),
    CLI_OPTION(0, "ring-signal", "SIGNAL",
               "a process that gets this signal, such as USR2, dumps the flight recorder\n"
               "and goes on, as `pinsight ctl PID dump` does",
               .kind = CLI_TEXT, .at = AT(ring_signal)),
    CLI_OPTION(0, "leave-environments", NULL,
               "a child that is given an environment of its own (`env -i`) has nothing\n"
               "of the run's put into it, and is not recorded",
               .at = AT(leave_environments)),
    CLI_OPTION(0, "no-summary", NULL, "no summary at the end", .at = AT(no_summary)),
    CLI_QUIET_AND_HELP("say errors only", AT(quiet)),
};

const struct cli_verb cli_run = {
    .name = "run",
    .about = "run a command, trace every Python in it, print a summary",
    .usage = "usage: pinsight run [OPTIONS] [--] COMMAND [ARGUMENT...]\n"
             "\n"
             "Runs a command, traces every Python in it, and prints a summary on stderr.\n"
             "The command's input, output, signals and exit status are its own.\n"
             "\n",
    .more =
        "\n"
        "Examples:\n"
        "  pinsight run -- python3 app.py --size 1000\n"
        "  pinsight run app.py --size 1000       the Python of PATH, or of its first line\n"
        "  pinsight run --quick -- python3 app.py\n"
        "  pinsight run -o trace --events function -- ./train.sh\n"
        "  pinsight config init -o pinsight.ini\n"
        "  pinsight run -c pinsight.ini -- python3 app.py\n"
        "  mpirun -n 4 pinsight run -o trace -- python3 solver.py   one trace per node\n"
        "then\n"
        "  pinsight report trace\n"
        "\n"
        "Exit status: the command's; 2 for wrong options; 126 if the command cannot be executed, "
        "127 if\n"
        "it is not there. A command that a signal ends ends `pinsight run` by the same signal.\n",
    CLI_OPTIONS(option_table),
    .column = 23,
    .aligned = true,
    .has_command = true,
};

/* Messages about values that differ from the typed ones. */
struct run_notes {
    char *text;
    size_t room;
};

__attribute__((format(printf, 2, 3))) static void add_note(const struct run_notes *notes,
                                                           const char *format, ...) {
    size_t used = strlen(notes->text);
    va_list arguments;

    if (used > 0) {
        snprintf(notes->text + used, notes->room - used, ". ");
        used = strlen(notes->text);
    }
    va_start(arguments, format);
    vsnprintf(notes->text + used, notes->room - used, format, arguments);
    va_end(arguments);
}

/* Settles the buffer size. A recorder takes a power of two of at least a page, or no size. */
static void settle_buffer_size(struct run_wanted *wanted, const struct run_notes *notes) {
    const struct pinsight_session_recorder *recorder = wanted->options.recorder;
    uint64_t *size = &wanted->options.buffer_size;
    char text[32];

    if (recorder->no_buffer_size != NULL) {
        add_note(notes, "--buffer-size has no effect: %s", recorder->no_buffer_size);
        return;
    }
    uint64_t taken = pinsight_size_power_of_two(*size < PAGE_SIZE ? PAGE_SIZE : *size);
    if (taken != *size) {
        add_note(
            notes, "--buffer-size %s is taken as %s: %s's buffers are powers of two of at least 4K",
            wanted->buffer_size, pinsight_size_format(taken, text, sizeof(text)), recorder->title);
        *size = taken;
    }
}

/* Settles the kept part of each process. A ring limits the trace by itself. */
static bool settle_ring(struct run_wanted *wanted) {
    struct pinsight_run_options *options = &wanted->options;
    const char *name = options->ring != NULL ? "--ring" : PINSIGHT_RING_VARIABLE;
    struct pinsight_ring_limit limit;
    const char *wrong = NULL;

    if (options->ring == NULL) {
        options->ring = pinsight_env_get(PINSIGHT_RING_VARIABLE);
    }
    if (options->ring == NULL || (*options->ring == '\0' && strcmp(name, "--ring") != 0)) {
        options->ring = NULL;
        return true;
    }
    if (!pinsight_ring_limit_parse(options->ring, &limit)) {
        wrong = "write how much to keep of each process: " PINSIGHT_RING_FORMS;
    } else if (options->recorder->no_ring != NULL) {
        wrong = options->recorder->no_ring;
    } else if (wanted->max_size != NULL) {
        wrong = "--max-size ends the recording where a ring goes on with the last part; leave out "
                "one of them";
    }
    if (wrong != NULL) {
        pinsight_error("%s cannot be '%s': %s", name, options->ring, wrong);
        return false;
    }
    options->max_size = 0;
    return true;
}

static bool settle_ring_signal(struct pinsight_run_options *options) {
    const char *name =
        options->ring_signal != NULL ? "--ring-signal" : PINSIGHT_RING_SIGNAL_VARIABLE;

    if (options->ring_signal == NULL) {
        options->ring_signal = pinsight_env_get(PINSIGHT_RING_SIGNAL_VARIABLE);
        if (options->ring_signal == NULL || *options->ring_signal == '\0' ||
            options->ring == NULL) {
            options->ring_signal = NULL;
            return true;
        }
    }
    if (pinsight_signal_number(options->ring_signal) == 0) {
        pinsight_error("%s cannot be '%s': write one of " PINSIGHT_SIGNAL_NAMES, name,
                       options->ring_signal);
        return false;
    }
    if (options->ring == NULL) {
        pinsight_error("--ring-signal needs a flight recorder: add --ring, such as --ring 30s");
        return false;
    }
    return true;
}

/* Settles the recorder, and its effects on the other options. */
static bool settle_recorder(struct run_wanted *wanted, const struct run_notes *notes) {
    const char *variable = getenv(PINSIGHT_RECORDER_VARIABLE);
    struct pinsight_run_options *options = &wanted->options;

    options->recorder =
        pinsight_session_recorder_find(wanted->recorder != NULL ? wanted->recorder : variable);
    if (options->recorder == NULL) {
        cli_unknown_word(PINSIGHT_RECORDER_VARIABLE, variable, pinsight_session_recorder_names);
        return false;
    }
    if (!settle_ring(wanted) || !settle_ring_signal(options)) {
        return false;
    }
    if (wanted->buffer_size != NULL) {
        settle_buffer_size(wanted, notes);
    }
    if (options->names != NULL && options->recorder->no_inline_names != NULL &&
        strcmp(options->names, name_words[0]) == 0) {
        add_note(notes, "--names inline has no effect: %s", options->recorder->no_inline_names);
    }
    return true;
}

static bool settle_quick(struct run_wanted *wanted) {
    const char **mode = &wanted->options.mode;

    if (!wanted->quick) {
        return true;
    }
    if (*mode != NULL && strcmp(*mode, mode_words[QUICK]) != 0) {
        pinsight_error("--quick is --mode %s; leave it out, or leave out --mode %s",
                       mode_words[QUICK], *mode);
        return false;
    }
    *mode = mode_words[QUICK];
    return true;
}

/* Returns whether the mode records events, which a budget limits. */
static bool settle_budget(const struct pinsight_run_options *options) {
    if (options->budget[0] != '\0' && options->mode != NULL &&
        strcmp(options->mode, "TRACING") != 0) {
        pinsight_error("--budget limits what TRACING costs, and has no use with %s; leave it out",
                       options->mode);
        return false;
    }
    return true;
}

bool pinsight_run_options_read(struct pinsight_run_options *options, int argc, char **argv,
                               int *status, char *note, size_t note_room) {
    struct run_wanted wanted = {.options.max_size = 2 * GIB};
    struct run_notes notes = {note, note_room};

    note[0] = '\0';
    if (!cli_parse(&cli_run, argc, argv, &wanted, NULL, status)) {
        return false;
    }
    *status = 2;
    wanted.options.command = argv + optind;
    if (wanted.options.command[0] == NULL) {
        pinsight_error("run needs a command; for example: pinsight run -- python3 app.py");
        return false;
    }
    if (!settle_quick(&wanted) || !settle_budget(&wanted.options) ||
        !settle_recorder(&wanted, &notes)) {
        return false;
    }
    wanted.options.limits_size = wanted.max_size == NULL && wanted.options.ring == NULL;
    *options = wanted.options;
    return true;
}
