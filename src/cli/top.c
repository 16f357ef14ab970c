/* `pinsight top`: shows the first screen of a program repeatedly while it is recorded. */
#include "base/ascii.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/run_info.h"
#include "cli/options.h"
#include "cli/top_attach.h"
#include "cli/top_keys.h"
#include "cli/verbs.h"
#include "cli/view_options.h"
#include "cli/view_signals.h"
#include "format/folder.h"
#include "views/kit/screen.h"
#include "views/report/summary.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LONGEST_S 3600
/* Reading may take at most this fraction of the time. A long trace takes long to read. */
#define READING_PART 5
/* Without a known runner, a recording is over if no process has recorded for this time, in s. */
#define PATIENCE_S 1

struct top_wanted {
    int64_t seconds;
    const char *trace, *output, *last;
    const char *next; /* the last line of the screen for a temporary trace; or NULL */
};

static const struct cli_option option_table[] = {
    CLI_OPTION('n', "interval", "S", "seconds from one screen to the next (default 1)",
               .kind = CLI_NUMBER, .at = offsetof(struct top_wanted, seconds), .most = LONGEST_S),
    CLI_OPTION(0, "last", "TIME", "of a PID that is not recorded: the part to show (default 10s)",
               .kind = CLI_TEXT, .at = offsetof(struct top_wanted, last)),
    CLI_OPTION('o', "output", "DIR", "of such a PID: keep this part as a trace in DIR",
               .kind = CLI_TEXT, .at = offsetof(struct top_wanted, output)),
    CLI_HELP,
};

const struct cli_verb cli_top = {
    .name = "top",
    .about = "the first screen of a running program, each second",
    .usage =
        "usage: pinsight top [OPTIONS] [TRACE|PID]\n"
        "\n"
        "Shows the time of a program, each second until it ends or Ctrl-C. TRACE is the folder "
        "of\n"
        "`pinsight run`, whose first screen is shown so far. A process that is not recorded is "
        "attached\n"
        "until then, and its last ten seconds are shown. On a terminal, q quits, space freezes the "
        "screen,\n"
        "s sorts the functions in another way, and / finds some of them.\n"
        "\n",
    .more = "\n"
            "Examples:\n"
            "  pinsight run -o trace -- python3 app.py &\n"
            "  pinsight top trace\n"
            "  pinsight top 4711\n"
            "\n"
            "Exit status: 0 the program has ended, 1 the trace cannot be read, or the process not "
            "attached,\n"
            "2 the options are wrong, 130 Ctrl-C.\n",
    CLI_OPTIONS(option_table),
    .column = 19,
};

static double now(void) {
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* What `pinsight top` shows at the moment. */
struct screen {
    const struct top_wanted *wanted;
    const volatile sig_atomic_t *stop;
    struct pinsight_run_info info;
    struct pinsight_report *report; /* of the present screen; NULL before the first */
    struct pinsight_top_keys keys;
};

static struct pinsight_summary_options options_of(const struct screen *screen) {
    const struct pinsight_top_keys *keys = &screen->keys;
    unsigned height = pinsight_screen_height(stdout);

    return (struct pinsight_summary_options){
        .colour = pinsight_screen_colour(stdout),
        .width = pinsight_screen_width(stdout),
        .height = keys->on && height ? height - 1 : height, /* without the line about the keys */
        .command = screen->info.command[0] ? screen->info.command : NULL,
        .pinsight = pinsight_command_word,
        .next = screen->wanted->next ? screen->wanted->next
                : keys->on           ? ""
                                     : NULL,
        .run = screen->info.ended ? &screen->info : NULL,
        .stop = screen->stop,
        .sort = pinsight_top_keys_sort(keys),
        .find = keys->find[0] ? keys->find : NULL,
    };
}

/* Reads the trace for a new screen. Returns 0 or -1. */
static int read_new(struct screen *screen) {
    const struct pinsight_summary_options options = options_of(screen);

    pinsight_report_free(screen->report);
    screen->report = pinsight_summary_read(screen->wanted->trace, stderr, &options);
    return screen->report ? 0 : -1;
}

/* Shows the present screen. Writes it at once, so that it does not flicker. Returns 0 or -1. */
static int show(const struct screen *screen) {
    const struct pinsight_summary_options options = options_of(screen);
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    FILE *out = pinsight_ascii_open(memory);
    int rc = pinsight_summary_write(screen->report, out, &options);

    if (screen->keys.on)
        pinsight_top_keys_print(&screen->keys, out, options.colour);
    pinsight_ascii_close(out, memory);
    fclose(memory);
    if (rc == 0 && !*screen->stop) {
        if (isatty(STDOUT_FILENO))
            fputs("\033[H\033[2J", stdout);
        fwrite(text, 1, size, stdout);
        if (fflush(stdout) != 0 || ferror(stdout)) {
            pinsight_option_write_error();
            rc = -1;
        }
    }
    free(text);
    return rc;
}

/* Returns whether nothing will be recorded any more, although the end of the recording was not
 * noted. `since` is the time of the first look without a process that records, 0 before. */
static bool is_gone(const struct top_wanted *wanted, const struct pinsight_run_info *info,
                    double *since) {
    enum pinsight_runner runner = pinsight_run_info_runner(info);

    if (pinsight_file_is_copy(wanted->trace))
        return true;
    if (runner == PINSIGHT_RUNNER_ALIVE ||
        pinsight_top_is_recorded(wanted->trace, runner == PINSIGHT_RUNNER_GONE)) {
        *since = 0;
        return false;
    }
    if (*since == 0)
        *since = now();
    return runner == PINSIGHT_RUNNER_GONE || now() - *since >= PATIENCE_S;
}

/* Says why no further screen comes. */
static void say_gone(const struct top_wanted *wanted, bool is_run) {
    if (pinsight_file_is_copy(wanted->trace))
        pinsight_note("%s is a copy of a trace whose recording had not ended: no process records "
                      "into it; this is the last screen",
                      wanted->trace);
    else if (is_run)
        pinsight_warning("no process records into %s any more, and its end was not noted: "
                         "`pinsight run` was killed, or an attached process has ended; this is "
                         "the last screen",
                         wanted->trace);
    else
        pinsight_note("no process records into %s any more; this is the last screen",
                      wanted->trace);
}

/* Waits for the next reading, and shows the present screen again after each key. Returns 0 or
 * -1. */
static int wait_with_keys(struct screen *screen, double seconds) {
    double until = now() + seconds;

    while (pinsight_top_keys_wait(&screen->keys, until - now(), screen->stop)) {
        if (screen->keys.has_quit)
            return 0;
        if (show(screen) != 0)
            return -1;
    }
    return 0;
}

/* Shows the screens until the program ends. Returns the exit status. */
static int show_screens(struct screen *screen) {
    const struct top_wanted *wanted = screen->wanted;
    struct pinsight_run_info *info = &screen->info;
    double since = 0;

    for (;;) {
        double begin = now(), taken;
        bool is_run, gone;

        memset(info, 0, sizeof(*info));
        is_run = pinsight_run_info_read(wanted->trace, info);
        /* Looked at before the screen, which therefore has everything. */
        gone = !info->ended && is_gone(wanted, info, &since);
        /* `pinsight run` may have noted the end, and ended, since the file was read. */
        if (gone)
            is_run = pinsight_run_info_read(wanted->trace, info);
        gone = gone && !info->ended;
        if (info->ended || gone)
            pinsight_top_keys_end(&screen->keys);
        if (read_new(screen) != 0 || show(screen) != 0)
            return 1;
        if (*screen->stop)
            return 130;
        if (gone)
            say_gone(wanted, is_run);
        if (info->ended || gone)
            return 0;
        taken = now() - begin;
        if (wait_with_keys(screen, taken * (READING_PART - 1) > (double)wanted->seconds
                                       ? taken * (READING_PART - 1)
                                       : (double)wanted->seconds - taken) != 0)
            return 1;
        if (screen->keys.has_quit)
            return 0;
    }
}

static int show_all(const struct top_wanted *wanted, const volatile sig_atomic_t *stop) {
    struct screen screen = {.wanted = wanted, .stop = stop};
    int rc;

    pinsight_top_keys_start(&screen.keys);
    if (screen.keys.on)
        pinsight_view_signals_stop();
    rc = show_screens(&screen);
    if (screen.keys.on && screen.report)
        putchar('\n');
    pinsight_top_keys_end(&screen.keys);
    pinsight_report_free(screen.report);
    return rc;
}

int pinsight_cmd_top(int argc, char **argv) {
    struct top_wanted wanted = {.seconds = 1, .last = "10s"};
    static struct pinsight_top_attached attached;
    const volatile sig_atomic_t *stop;
    int rc;

    if (!cli_parse(&cli_top, argc, argv, &wanted, NULL, &rc))
        return rc;
    if (argc - optind == 1 && pinsight_top_is_pid(argv[optind])) {
        stop = pinsight_view_signals();
        pinsight_view_signals_stop();
        rc = pinsight_top_attach(argc, argv, wanted.output, wanted.last, &attached);
        if (rc != 0)
            return rc;
        wanted.trace = attached.begun.output;
        wanted.next = attached.ours && !attached.kept
                          ? "Ctrl-C lets the process go; pinsight top -o DIR PID keeps the trace"
                          : NULL;
        rc = show_all(&wanted, stop);
        pinsight_top_detach(&attached);
        return rc;
    }
    if (pinsight_option_trace("top", argc, argv, &wanted.trace) != 0)
        return 2;
    return show_all(&wanted, pinsight_view_signals());
}
