/* `pinsight view`: writes a trace as a page, and opens it in a browser. */
#include "base/memory.h"
#include "base/message.h"
#include "base/program.h"
#include "base/spawn.h"
#include "cli/exporting.h"
#include "cli/options.h"
#include "cli/verbs.h"
#include "cli/view_options.h"
#include "views/export/formats.h"
#include "views/page/page.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct view_wanted {
    struct pinsight_export_options options;
    char *output; /* owned; NULL if -o names it */
    bool quiet, closed;
};

#define AT(member) offsetof(struct view_wanted, options.member)
static const struct cli_option option_table[] = {
    CLI_OPTION('o', "output", "FILE",
               "the output (default: the trace's name and .html, in the current folder); an\n"
               "existing page is replaced",
               .kind = CLI_TEXT, .at = AT(output)),
    CLI_OPTION(0, "force", NULL, "replace an existing file that is no page of PInsight",
               .at = AT(force)),
    CLI_OPTION(0, "no-open", NULL, "write the page, and open no browser",
               .at = offsetof(struct view_wanted, closed)),
    CLI_SELECT(struct view_wanted, options.thread, options.process),
    CLI_REGION(AT(region)),
    CLI_SOURCES(AT(sources)),
    CLI_QUIET_AND_HELP("no progress, and no message at the end",
                       offsetof(struct view_wanted, quiet)),
};

const struct cli_verb cli_view = {
    .name = "view",
    .about = "a trace as a page, in a browser",
    .usage =
        "usage: pinsight view [OPTIONS] [TRACE]\n"
        "\n"
        "Writes a trace as a page, one file that needs no network and no other file, and opens "
        "it in\n"
        "a browser. TRACE is the folder that `pinsight run` wrote; without it, the newest one "
        "in this\n"
        "folder.\n"
        "\n",
    .more = "\n"
            "Examples:\n"
            "  pinsight view trace\n"
            "  pinsight view trace -o run.html --no-open    a file to send\n"
            "\n"
            "The browser is the first existing one of $BROWSER, or the desktop's (xdg-open). "
            "Without a\n"
            "display, the command writes the page and prints its path.\n"
            "\n"
            "Exit status: 0 the page was written, 1 the trace is damaged or unreadable, or the "
            "page cannot\n"
            "be written, 2 wrong options, 130 Ctrl-C. The page has the part that was read.\n",
    CLI_OPTIONS(option_table),
    .column = 21,
};

/* Finds the first existing program of $BROWSER, words with colons between them. Otherwise finds
 * xdg-open, if there is a display. */
static bool find_browser(char browser[PATH_MAX]) {
    const char *list = getenv("BROWSER");
    const char *display = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");

    while (list && *list) {
        size_t length = strcspn(list, ":");
        char *name = pinsight_memdup(list, length);
        bool is_there;

        name[strcspn(name, " ")] = '\0';
        is_there = *name && pinsight_program_find(name, browser) == 0;
        free(name);
        if (is_there)
            return true;
        list += length + (list[length] == ':');
    }
    return ((display && *display) || (wayland && *wayland)) &&
           pinsight_program_find("xdg-open", browser) == 0;
}

/* Prepares the child that becomes the browser: it survives this command, and prints nothing. */
static void leave(void *data) {
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

    (void)data;
    setsid();
    if (nothing >= 0) {
        dup2(nothing, STDIN_FILENO);
        dup2(nothing, STDOUT_FILENO);
        dup2(nothing, STDERR_FILENO);
    }
}

static bool open_browser(const char *page) {
    char browser[PATH_MAX];
    int error;

    if (!find_browser(browser))
        return false;
    char *words[] = {browser, (char *)page, NULL};
    return pinsight_spawn(execve, words, environ, 0, leave, NULL, &error) > 0;
}

/* Opens the page if that is wanted and possible, and prints its path. */
static void show(void *data, const struct pinsight_export *export) {
    const struct view_wanted *wanted = data;
    char *whole = realpath(wanted->options.output, NULL);
    const char *page = whole ? whole : wanted->options.output;
    bool opened = !wanted->closed && open_browser(page);

    (void)export;
    if (!wanted->quiet)
        pinsight_note("%s%s", page,
                      opened ? ": the browser opens it"
                      : wanted->closed
                          ? ""
                          : ": open it in a browser; none was found here, or no display");
    free(whole);
}

int pinsight_cmd_view(int argc, char **argv) {
    struct view_wanted wanted = {.options = {.thread = -1, .process = -1}};
    int rc;

    if (!cli_parse(&cli_view, argc, argv, &wanted, NULL, &rc))
        return rc;
    if (pinsight_option_trace("view", argc, argv, &wanted.options.trace) != 0)
        return 2;
    if (!wanted.options.output)
        wanted.options.output = wanted.output =
            pinsight_exporting_output(wanted.options.trace, pinsight_export_html.suffix);
    if (!strcmp(wanted.options.output, "-")) {
        pinsight_error("view needs a file that a browser can open; "
                       "`pinsight export --to html -o -` writes to standard output");
        free(wanted.output);
        return 2;
    }
    wanted.options.force |= page_is_one(wanted.options.output);
    rc = pinsight_exporting(&pinsight_export_html, &wanted.options, wanted.quiet, show, &wanted);
    free(wanted.output);
    return rc;
}
