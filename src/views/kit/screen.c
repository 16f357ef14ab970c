/* Reads the terminal's properties and the environment; see screen.h. */
#include "views/kit/screen.h"

#include "base/ascii.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define WIDTH_ELSEWHERE 100
#define LEAST_WIDTH 60

bool pinsight_screen_colour(FILE *out) {
    const char *force = getenv("CLICOLOR_FORCE");
    const char *no = getenv("NO_COLOR");
    const char *term = getenv("TERM");

    if (no && no[0])
        return false;
    if (force && force[0] && strcmp(force, "0") != 0)
        return true;
    return isatty(fileno(out)) && term && strcmp(term, "dumb") != 0;
}

/* Returns the terminal's width, or 0. */
static unsigned terminal_width(FILE *out) {
    struct winsize size;

    out = pinsight_ascii_behind(out);
    return isatty(fileno(out)) && ioctl(fileno(out), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

static unsigned at_least(unsigned width) {
    return width < LEAST_WIDTH ? LEAST_WIDTH : width;
}

unsigned pinsight_screen_width(FILE *out) {
    unsigned width = terminal_width(out);
    const char *columns = getenv("COLUMNS");

    if (!width && columns && atoi(columns) > 0)
        width = (unsigned)atoi(columns);
    return at_least(width ? width : WIDTH_ELSEWHERE);
}

unsigned pinsight_screen_terminal_width(FILE *out) {
    unsigned width = terminal_width(out);

    return width ? at_least(width) : 0;
}

unsigned pinsight_screen_height(FILE *out) {
    struct winsize size;

    out = pinsight_ascii_behind(out);
    if (isatty(fileno(out)) && ioctl(fileno(out), TIOCGWINSZ, &size) == 0)
        return size.ws_row;
    return 0;
}
