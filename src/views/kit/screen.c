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

unsigned pinsight_screen_width(FILE *out) {
    struct winsize size;
    const char *columns = getenv("COLUMNS");
    unsigned width = WIDTH_ELSEWHERE;

    out = pinsight_ascii_behind(out);
    if (isatty(fileno(out)) && ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col)
        width = size.ws_col;
    else if (columns && atoi(columns) > 0)
        width = (unsigned)atoi(columns);
    return width < LEAST_WIDTH ? LEAST_WIDTH : width;
}

unsigned pinsight_screen_height(FILE *out) {
    struct winsize size;

    out = pinsight_ascii_behind(out);
    if (isatty(fileno(out)) && ioctl(fileno(out), TIOCGWINSZ, &size) == 0)
        return size.ws_row;
    return 0;
}
