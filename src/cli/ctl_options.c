/* The command line of `pinsight ctl`; see ctl_options.h. */
#include "cli/ctl_options.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/ctl.h"
#include "base/message.h"
#include "base/pairs.h"
#include "base/paths.h"
#include "base/words.h"
#include "cli/options.h"
#include "cli/unknown.h"
#include "config/config.h"

enum {
    WAIT_MS = 10000,
    WAIT_MS_MAX = 600000, /* the longest wait of a process */
};

static const char *const action_words[] = {"status", "reload", "mode", "introspect",
                                           "resume", "stop",   "dump", NULL};
static const char *const mode_words[] = {"OFF", "STANDBY", "MONITORING", "TRACING", NULL};

/* Values of the options of `introspect`. */
struct introspection {
    const char *pause, *after, *any; /* `any` is the option that was given last */
    char script[PATH_MAX];
    int64_t pause_ms; /* in ms; -1 without limit */
};

struct ctl_wanted {
    struct pinsight_ctl_options *options;
    struct introspection how;
};

/* Reads seconds with decimals, or -1, as ms. Returns false for any other text. */
static bool read_seconds(const char *text, int64_t *ms) {
    char *end;

    if (strcmp(text, "-1") == 0) {
        *ms = -1;
        return true;
    }
    double seconds = *text >= '0' && *text <= '9' && text[strspn(text, "0123456789.")] == '\0'
                         ? strtod(text, &end)
                         : -1;
    if (seconds < 0 || *end != '\0' || seconds > 1e9) {
        return false;
    }
    *ms = (int64_t)(seconds * 1000);
    return true;
}

static int take_ranks(void *wanted, const struct cli_option *option, const char *ranks) {
    return cli_take_ranks(option, ranks, &((struct ctl_wanted *)wanted)->options->ranks);
}

static int take_wait(void *wanted, const struct cli_option *option, const char *value) {
    if (read_seconds(value, &((struct ctl_wanted *)wanted)->options->wait_ms)) {
        return 0;
    }
    pinsight_error("--%s takes seconds from 0, or -1 for no limit, not '%s'", option->name, value);
    return -1;
}

static int take_output(void *wanted, const struct cli_option *option, const char *value) {
    (void)option;
    ((struct ctl_wanted *)wanted)->options->output = value;
    return 0;
}

static int take_pause(void *wanted, const struct cli_option *option, const char *value) {
    struct introspection *how = &((struct ctl_wanted *)wanted)->how;

    how->any = "--pause";
    how->pause = value;
    if (read_seconds(value, &how->pause_ms)) {
        return 0;
    }
    pinsight_error("--%s takes seconds from 0, or -1 for as long as the script takes, not '%s'",
                   option->name, value);
    return -1;
}

/* Makes the path of the script absolute, because the controlled program has another current
 * folder. */
static int take_script(void *wanted, const struct cli_option *option, const char *typed) {
    struct introspection *how = &((struct ctl_wanted *)wanted)->how;
    char folder[PATH_MAX];

    how->any = "--script";
    if (*typed == '/') {
        snprintf(how->script, sizeof(how->script), "%s", typed);
    } else if (getcwd(folder, sizeof(folder)) == NULL ||
               !pinsight_path_join(how->script, folder, typed)) {
        pinsight_error("--%s %s: the path is too long, or this folder has none", option->name,
                       typed);
        return -1;
    }
    if (*typed == '\0' || access(how->script, X_OK) != 0) {
        pinsight_error("--%s %s: cannot be executed: %s", option->name, typed, strerror(errno));
        return -1;
    }
    return 0;
}

static int take_after(void *wanted, const struct cli_option *option, const char *value) {
    struct introspection *how = &((struct ctl_wanted *)wanted)->how;
    int mode;

    how->any = "--after";
    if (cli_take_word(option, value, &mode) != 0) {
        return -1;
    }
    how->after = mode_words[mode];
    return 0;
}

static const struct cli_option option_table[] = {
    CLI_OPTION(0, "rank", "LIST", "only these MPI ranks, such as 0 or 0,4-7", .kind = CLI_TAKE,
               .take = take_ranks),
    CLI_OPTION('o', "output", "DIR",
               "of dump: the new folder (default: beside the trace, TRACE-dump-1)",
               .kind = CLI_TAKE, .take = take_output),
    CLI_OPTION(0, "wait", "SECONDS", "for an answer, and for an order to be in effect (default 10)",
               .kind = CLI_TAKE, .take = take_wait),
    CLI_OPTION(0, "pause", "SECONDS",
               "of introspect: longest pause of the program; 0 (default) does not\n"
               "pause it, -1 pauses it until the script has ended",
               .kind = CLI_TAKE, .take = take_pause),
    CLI_OPTION(0, "script", "FILE", "of introspect: is run as FILE CHUNK PID CONFIGURATION",
               .kind = CLI_TAKE, .take = take_script),
    CLI_OPTION(0, "after", "MODE", "of introspect: the mode that follows (default: the one before)",
               .kind = CLI_TAKE, .take = take_after, .words = mode_words),
    CLI_HELP,
};

const struct cli_verb cli_ctl = {
    .name = "ctl",
    .about = "show and change the recording of running programs",
    .usage =
        "usage: pinsight ctl TARGET... ACTION [OPTIONS]\n"
        "\n"
        "Shows the state of traced programs, and changes their recording while they run.\n"
        "TARGET is the number of a process, or a trace folder: all processes of that run on this "
        "host.\n"
        "\n"
        "  status                  modes, configuration, windows; also of a process that is busy\n"
        "  reload                  reads the configuration file again\n"
        "  mode DOMAIN=MODE...     changes modes: OFF, STANDBY, MONITORING or TRACING\n"
        "  introspect              completes a readable chunk of the trace, and starts a script on "
        "it\n"
        "  resume                  ends the pause of an introspection\n"
        "  stop                    stops observing\n"
        "  dump                    copies the recording so far, or the part of a flight recorder\n"
        "\n",
    .more = "\n"
            "Examples:\n"
            "  pinsight ctl 4711 status\n"
            "  pinsight ctl trace mode Python=MONITORING\n"
            "  pinsight ctl trace --rank 0 reload\n"
            "  pinsight ctl 4711 introspect --script ./look.sh --pause 30\n"
            "  pinsight ctl 4711 dump -o last-seconds\n"
            "\n"
            "Exit status: 0 every process carried it out, 1 one did not or does not exist, 2 wrong "
            "options.\n",
    CLI_OPTIONS(option_table),
    .column = 26,
    .aligned = true,
    .words = action_words,
};

/* Adds a word such as "Python=TRACING" to the request, with the known spelling of its parts. */
static bool add_mode(struct pinsight_pairs_writer *request, const char *typed) {
    const char *domains[PINSIGHT_EVENT_KINDS_MAX + 1] = {NULL};
    const char *equals = strchr(typed, '=');
    char part[64];

    for (size_t i = 0; i < pinsight_config_domain_count && i < PINSIGHT_EVENT_KINDS_MAX; i++) {
        domains[i] = pinsight_config_domains[i].name;
    }
    if (equals == NULL) {
        pinsight_error("'%s' is not DOMAIN=MODE; write for example %s=MONITORING", typed,
                       domains[0] != NULL ? domains[0] : "DOMAIN");
        return false;
    }
    snprintf(part, sizeof(part), "%.*s", (int)(equals - typed < 60 ? equals - typed : 60), typed);
    const char *domain = pinsight_word_find(part, strlen(part), domains);
    const char *mode = pinsight_word_find(equals + 1, strlen(equals + 1), mode_words);
    if (domain == NULL) {
        cli_unknown_word("mode", part, domains);
    } else if (mode == NULL) {
        cli_unknown_word("mode", equals + 1, mode_words);
    }
    if (domain == NULL || mode == NULL) {
        return false;
    }
    pinsight_pairs_put(request, "mode", "%s=%s", domain, mode);
    return true;
}

/* Returns the index of the word that is an action, and no number or folder; argc if there is
 * none. */
static int find_action(int argc, char **argv) {
    for (int i = optind; i < argc; i++) {
        if (pinsight_word_find(argv[i], strlen(argv[i]), action_words) != NULL) {
            return i;
        }
    }
    return argc;
}

static bool is_what(const char *word) {
    return word[strspn(word, "0123456789")] == '\0' || strchr(word, '/') != NULL ||
           access(word, F_OK) == 0;
}

static bool report_action(int argc, char **argv) {
    for (int i = optind; i < argc; i++) {
        const char *nearest = is_what(argv[i]) ? NULL : pinsight_word_meant(argv[i], action_words);
        if (nearest != NULL) {
            pinsight_error("ctl does not know '%s'; did you mean '%s'?", argv[i], nearest);
            return false;
        }
    }
    if (optind == argc) {
        pinsight_error("ctl wants a process or a trace folder, and what to do; for example: "
                       "pinsight ctl 4711 status");
    } else {
        pinsight_error("ctl does what? status, reload, mode, introspect, resume, stop or dump; "
                       "`pinsight ctl --help` has examples");
    }
    return false;
}

static bool make_request(struct pinsight_ctl_options *options, const struct introspection *how,
                         int argc, char **argv) {
    struct pinsight_pairs_writer request;
    enum pinsight_ctl_action action = options->action;

    pinsight_pairs_write(&request, options->request, sizeof(options->request));
    snprintf(options->request, sizeof(options->request), "%s\n", action_words[action]);
    request.used = strlen(options->request);
    bool long_wait = options->wait_ms < 0 || options->wait_ms > WAIT_MS_MAX;
    pinsight_pairs_put(&request, "wait", "%d", long_wait ? WAIT_MS_MAX : (int)options->wait_ms);
    if (action == PINSIGHT_CTL_MODE && argc == 0) {
        pinsight_error("mode needs at least one DOMAIN=MODE, such as Python=MONITORING");
        return false;
    }
    if (action != PINSIGHT_CTL_MODE && argc > 0) {
        pinsight_error("'%s' stands after %s, which is the last word; processes and folders "
                       "stand before it",
                       argv[0], action_words[action]);
        return false;
    }
    for (int i = 0; i < argc; i++) {
        if (!add_mode(&request, argv[i])) {
            return false;
        }
    }
    if (options->output != NULL && action != PINSIGHT_CTL_DUMP) {
        pinsight_error("--output is an option of dump, not of %s", action_words[action]);
        return false;
    }
    if (action != PINSIGHT_CTL_INTROSPECT) {
        if (how->any != NULL) {
            pinsight_error("%s is an option of introspect, not of %s", how->any,
                           action_words[action]);
        }
        return how->any == NULL;
    }
    if (how->pause != NULL) {
        pinsight_pairs_put(&request, "pause", "%s", how->pause);
        /* The process answers only after the pause. */
        options->wait_ms =
            how->pause_ms < 0 || options->wait_ms < 0 ? -1 : options->wait_ms + how->pause_ms;
    }
    if (*how->script != '\0') {
        pinsight_pairs_put(&request, "script", "%s", how->script);
    }
    if (how->after != NULL) {
        pinsight_pairs_put(&request, "after", "%s", how->after);
    }
    return true;
}

bool pinsight_ctl_options_read(struct pinsight_ctl_options *options, int argc, char **argv,
                               int *status) {
    struct ctl_wanted wanted = {.options = options};

    memset(options, 0, sizeof(*options));
    options->wait_ms = WAIT_MS;
    if (!cli_parse(&cli_ctl, argc, argv, &wanted, NULL, status)) {
        return false;
    }
    *status = 2;
    int at = find_action(argc, argv);
    if (at == argc) {
        return report_action(argc, argv);
    }
    if (at == optind) {
        pinsight_error("%s of which process? Name its number or a trace folder: pinsight ctl "
                       "4711 %s",
                       argv[at], argv[at]);
        return false;
    }
    const char *action = pinsight_word_find(argv[at], strlen(argv[at]), action_words);
    while (action_words[options->action] != action) {
        options->action++;
    }
    options->whats = argv + optind;
    options->what_count = (size_t)(at - optind);
    return make_request(options, &wanted.how, argc - at - 1, argv + at + 1);
}
