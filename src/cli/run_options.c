/* The options of `pinsight run`. */
#include "cli/run_options.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/size.h"
#include "base/words.h"
#include "cli/complaints.h"
#include "cli/options.h"
#include "describe/words.h"
#include "record/file/ring_head.h"
#include "session/env.h"

#define GIB (UINT64_C(1) << 30)
#define PAGE_SIZE UINT64_C(4096)
#define BUFFER_MAX (UINT64_C(1) << 30)

static const char *const domain_words[] = {PINSIGHT_DOMAIN_WORDS, NULL};
static const char *const event_words[] = {"function", "c_call", "import", NULL};
static const char *const event_choices[] = {"function", "c_call", "import", "none", NULL};
static const char *const name_words[] = {"inline", "registry", NULL};
static const char *const libomp_words[] = {"auto", "no", NULL};
static const char *const mode_words[] = {"OFF", "STANDBY", "MONITORING", "TRACING", NULL};

enum {
    OPTION_RECORDER = 256,
    OPTION_DOMAINS,
    OPTION_EVENTS,
    OPTION_NAMES,
    OPTION_MODE,
    OPTION_LIBOMP,
    OPTION_LOSSLESS,
    OPTION_BUFFER_SIZE,
    OPTION_MAX_SIZE,
    OPTION_RING,
    OPTION_LEAVE_ENVIRONMENTS,
    OPTION_NO_SUMMARY,
};

static const struct cli_option option_table[] = {
    CLI_OPTION('o', "output", "DIR",
               "trace folder, new or empty (default: pinsight-<program>-<pid>)"),
    CLI_OPTION('c', "config", "FILE",
               "what to record, of which code, how often, for how long (default: what\n"
               "$PINSIGHT_CONFIG names); see `pinsight help config`. Options win"),
    CLI_OPTION(0, "recorder", "WHICH",
               "file: the command's processes write the trace themselves; or\n"
               "lttng: by LTTng's daemons (default: " PINSIGHT_RECORDER_DEFAULT ")",
               .id = OPTION_RECORDER, .words = pinsight_session_recorder_names),
    CLI_OPTION(0, "domains", "LIST", "what to trace: " PINSIGHT_DOMAIN_LIST " (default: all)",
               .id = OPTION_DOMAINS, .words = domain_words),
    CLI_OPTION(0, "events", "LIST",
               "of Python: function,c_call (default), import, some of them, or none",
               .id = OPTION_EVENTS, .words = event_choices),
    CLI_OPTION(0, "names", "HOW",
               "inline (default): every event has its names, or\n"
               "registry: smaller and faster; `pinsight dump` puts the names back",
               .id = OPTION_NAMES, .words = name_words),
    CLI_OPTION(0, "mode", "MODE",
               "of the domains: TRACING (default), MONITORING (counts and times only),\n"
               "STANDBY or OFF",
               .id = OPTION_MODE, .words = mode_words),
    CLI_OPTION(0, "libomp", "WHICH",
               "auto (default): LLVM's OpenMP is loaded where the command loads GCC's,\n"
               "which cannot be observed; no: never; or the path of a libomp",
               .id = OPTION_LIBOMP, .words = libomp_words),
    CLI_OPTION(0, "lossless", NULL,
               "wait when a buffer is full, up to 2 s an event, in place of dropping",
               .id = OPTION_LOSSLESS),
    CLI_OPTION(0, "buffer-size", "N",
               "bytes of one of four parts of a processor's buffer, such as 256K or 4M;\n"
               "each process has buffers of its own (default: what suits the machine)",
               .id = OPTION_BUFFER_SIZE),
    CLI_OPTION(0, "max-size", "N",
               "largest trace of each process (default 2G; 0: no limit); after that\n"
               "the process goes on in MONITORING",
               .id = OPTION_MAX_SIZE),
    CLI_OPTION(0, "ring", "LIMIT",
               "a flight recorder: keep the last part alone of what each process\n"
               "records, such as 64M or 30s; it is there however the process ends",
               .id = OPTION_RING),
    CLI_OPTION(0, "leave-environments", NULL,
               "a child that is given an environment of its own (`env -i`) has nothing\n"
               "of the run's put into it, and is not recorded",
               .id = OPTION_LEAVE_ENVIRONMENTS),
    CLI_OPTION(0, "no-summary", NULL, "no summary at the end", .id = OPTION_NO_SUMMARY),
    CLI_OPTION('q', "quiet", NULL, "say errors only"),
    CLI_HELP,
};

const struct cli_verb cli_run = {
    .name = "run",
    .about = "run a command, trace every Python in it, print where its time went",
    .usage = "usage: pinsight run [OPTIONS] [--] COMMAND [ARGUMENT...]\n"
             "\n"
             "Runs a command, traces every Python in it, and prints a summary on stderr.\n"
             "The command's input, output, signals and exit status are its own.\n"
             "\n",
    .more =
        "\n"
        "Examples:\n"
        "  pinsight run -- python3 app.py --size 1000\n"
        "  pinsight run -o trace --events function -- ./train.sh\n"
        "  pinsight config init -o pinsight.ini && pinsight run -c pinsight.ini -- python3 app.py\n"
        "  mpirun -n 4 pinsight run -o trace -- python3 solver.py   one trace for each node\n"
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

struct option_reading {
    struct pinsight_run_options *options;
    char *complaint;
    size_t complaint_room;
    char *note;
    size_t note_room;
    const char *recorder, *buffer_size, *max_size; /* as typed, NULL: not given */
};

static bool complain_word(const struct option_reading *reading, const char *option,
                          const char *typed, const char *const *words) {
    pinsight_complaint_word(reading->complaint, reading->complaint_room, option, typed, words);
    return false;
}

static bool take_word(const struct option_reading *reading, const char *option, const char *typed,
                      const char *const *words, const char **word) {
    *word = pinsight_word_find(typed, strlen(typed), words);
    return *word != NULL || complain_word(reading, option, typed, words);
}

/* A list of words with commas, each at most once in the result. */
static bool take_list(const struct option_reading *reading, const char *option, const char *typed,
                      const char *const *words, const char *const *choices, char *list,
                      size_t room) {
    list[0] = '\0';
    for (const char *at = typed;;) {
        size_t length = strcspn(at, ",");
        const char *word = pinsight_word_find(at, length, words);
        if (word == NULL) {
            char part[64];
            snprintf(part, sizeof(part), "%.*s", (int)(length < 63 ? length : 63), at);
            if (*part == '\0') {
                snprintf(reading->complaint, reading->complaint_room,
                         "%s has an empty word in '%s'; separate words with one comma", option,
                         typed);
                return false;
            }
            word = pinsight_word_find(at, length, choices);
            if (word != NULL) {
                snprintf(reading->complaint, reading->complaint_room,
                         "%s takes '%s' alone, not in a list: '%s'", option, word, typed);
                return false;
            }
            return complain_word(reading, option, part, choices);
        }
        if (strstr(list, word) == NULL) {
            size_t used = strlen(list);
            snprintf(list + used, room - used, "%s%s", used > 0 ? "," : "", word);
        }
        if (at[length] == '\0') {
            return true;
        }
        at += length + 1;
    }
}

static bool take_size(const struct option_reading *reading, const char *option, const char *typed,
                      uint64_t *size) {
    if (pinsight_size_parse(typed, size)) {
        return true;
    }
    snprintf(reading->complaint, reading->complaint_room,
             "%s cannot read '%s' as a size; write a number of bytes, or one with K, M or G, such "
             "as 256K",
             option, typed);
    return false;
}

static bool take_buffer_size(struct option_reading *reading, const char *typed) {
    uint64_t *size = &reading->options->buffer_size;

    if (!take_size(reading, "--buffer-size", typed, size)) {
        return false;
    }
    if (*size == 0 || *size > BUFFER_MAX) {
        snprintf(
            reading->complaint, reading->complaint_room,
            "--buffer-size %s is out of range; take 4K to 1G (each processor has four of them)",
            typed);
        return false;
    }
    reading->buffer_size = typed;
    return true;
}

__attribute__((format(printf, 2, 3))) static void add_note(const struct option_reading *reading,
                                                           const char *format, ...) {
    size_t used = strlen(reading->note);
    va_list arguments;

    if (used > 0) {
        snprintf(reading->note + used, reading->note_room - used, ". ");
        used = strlen(reading->note);
    }
    va_start(arguments, format);
    vsnprintf(reading->note + used, reading->note_room - used, format, arguments);
    va_end(arguments);
}

/* A recorder takes powers of two of at least a page, or no size at all. */
static void settle_buffer_size(const struct option_reading *reading) {
    const struct pinsight_session_recorder *recorder = reading->options->recorder;
    uint64_t *size = &reading->options->buffer_size;
    char text[32];

    if (recorder->no_buffer_size != NULL) {
        add_note(reading, "--buffer-size has no effect: %s", recorder->no_buffer_size);
        return;
    }
    uint64_t taken = pinsight_size_power_of_two(*size < PAGE_SIZE ? PAGE_SIZE : *size);
    if (taken != *size) {
        add_note(reading,
                 "--buffer-size %s is taken as %s: %s's buffers are powers of two of at least 4K",
                 reading->buffer_size, pinsight_size_format(taken, text, sizeof(text)),
                 recorder->title);
        *size = taken;
    }
}

/* How much is kept of each process. A ring bounds the trace by itself. */
static bool settle_ring(const struct option_reading *reading) {
    struct pinsight_run_options *options = reading->options;
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
    } else if (reading->max_size != NULL) {
        wrong = "--max-size ends the recording where a ring goes on with the last part; leave out "
                "one of them";
    }
    if (wrong != NULL) {
        snprintf(reading->complaint, reading->complaint_room, "%s cannot be '%s': %s", name,
                 options->ring, wrong);
        return false;
    }
    options->max_size = 0;
    return true;
}

/* Which recorder it is, and what that makes of the other options. */
static bool settle_recorder(const struct option_reading *reading) {
    const char *variable = getenv(PINSIGHT_RECORDER_VARIABLE);
    struct pinsight_run_options *options = reading->options;

    options->recorder =
        pinsight_session_recorder_find(reading->recorder != NULL ? reading->recorder : variable);
    if (options->recorder == NULL) {
        return complain_word(reading, PINSIGHT_RECORDER_VARIABLE, variable,
                             pinsight_session_recorder_names);
    }
    if (!settle_ring(reading)) {
        return false;
    }
    if (reading->buffer_size != NULL) {
        settle_buffer_size(reading);
    }
    if (options->names != NULL && options->recorder->no_inline_names != NULL &&
        strcmp(options->names, name_words[0]) == 0) {
        add_note(reading, "--names inline has no effect: %s", options->recorder->no_inline_names);
    }
    return true;
}

/* A word, or a path: that has a slash, or is a file. */
static bool take_libomp(const struct option_reading *reading, const char *typed) {
    const char *word = pinsight_word_find(typed, strlen(typed), libomp_words);

    if (word == NULL && strchr(typed, '/') == NULL && access(typed, F_OK) != 0) {
        snprintf(reading->complaint, reading->complaint_room,
                 "--libomp does not know '%s'; it takes auto, no or the path of a libomp", typed);
        return false;
    }
    reading->options->libomp = word != NULL ? word : typed;
    return true;
}

static bool take(struct option_reading *reading, int option, const char *value, char **argv,
                 const struct option *long_options) {
    struct pinsight_run_options *options = reading->options;

    switch (option) {
    case 'o':
        if (*value == '\0') {
            snprintf(reading->complaint, reading->complaint_room,
                     "--output needs the name of a folder, and was given an empty one");
            return false;
        }
        options->output = value;
        return true;
    case 'c':
        if (*value == '\0') {
            snprintf(reading->complaint, reading->complaint_room,
                     "--config needs the name of a file, and was given an empty one");
            return false;
        }
        options->config = value;
        return true;
    case 'q':
        options->quiet = true;
        return true;
    case 'h':
        options->help = true;
        return true;
    case OPTION_RECORDER:
        return take_word(reading, "--recorder", value, pinsight_session_recorder_names,
                         &reading->recorder);
    case OPTION_DOMAINS:
        return take_list(reading, "--domains", value, domain_words, domain_words, options->domains,
                         sizeof(options->domains));
    case OPTION_EVENTS:
        if (pinsight_word_find(value, strlen(value), event_choices) == event_choices[3]) {
            strcpy(options->events, "none");
            return true;
        }
        return take_list(reading, "--events", value, event_words, event_choices, options->events,
                         sizeof(options->events));
    case OPTION_NAMES:
        return take_word(reading, "--names", value, name_words, &options->names);
    case OPTION_MODE:
        return take_word(reading, "--mode", value, mode_words, &options->mode);
    case OPTION_LIBOMP:
        return take_libomp(reading, value);
    case OPTION_LOSSLESS:
        options->lossless = true;
        return true;
    case OPTION_BUFFER_SIZE:
        return take_buffer_size(reading, value);
    case OPTION_RING:
        options->ring = value;
        return true;
    case OPTION_MAX_SIZE:
        reading->max_size = value;
        return take_size(reading, "--max-size", value, &options->max_size);
    case OPTION_LEAVE_ENVIRONMENTS:
        options->leave_environments = true;
        return true;
    case OPTION_NO_SUMMARY:
        options->no_summary = true;
        return true;
    default:
        pinsight_complaint_option(reading->complaint, reading->complaint_room, "run", option, argv,
                                  long_options);
        return false;
    }
}

bool pinsight_run_options_read(struct pinsight_run_options *options, int argc, char **argv,
                               char *complaint, size_t complaint_room, char *note,
                               size_t note_room) {
    struct cli_getopt table;
    struct option_reading reading = {options,   complaint, complaint_room, note,
                                     note_room, NULL,      NULL,           NULL};

    memset(options, 0, sizeof(*options));
    options->max_size = 2 * GIB;
    complaint[0] = '\0';
    note[0] = '\0';
    cli_getopt(&cli_run, "+:", &table);
    optind = 0; /* a GNU extension: forget what was read before */
    opterr = 0;
    for (;;) {
        optopt = 0;
        int option = getopt_long(argc, argv, table.letters, table.longs, NULL);
        if (option == -1) {
            break;
        }
        if (!take(&reading, option, optarg, argv, table.longs)) {
            return false;
        }
        if (options->help) {
            return true;
        }
    }
    options->command = argv + optind;
    if (options->command[0] == NULL) {
        snprintf(complaint, complaint_room,
                 "run needs a command; for example: pinsight run -- python3 app.py");
        return false;
    }
    return settle_recorder(&reading);
}
