/* Looks at the terminal and the environment. */
#include "views/kit/screen.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
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

    if (isatty(fileno(out)) && ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col)
        width = size.ws_col;
    else if (columns && atoi(columns) > 0)
        width = (unsigned)atoi(columns);
    return width < LEAST_WIDTH ? LEAST_WIDTH : width;
}

unsigned pinsight_screen_height(FILE *out) {
    struct winsize size;

    if (isatty(fileno(out)) && ioctl(fileno(out), TIOCGWINSZ, &size) == 0)
        return size.ws_row;
    return 0;
}

bool pinsight_screen_ascii(void) {
    /* POSIX.1-2017 section 8.2: the first of these that is set and not empty. */
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const char *value = getenv(names[i]);
        const char *set;

        if (!value || !value[0])
            continue;
        set = strchr(value, '.');
        if (!set)
            return !strcmp(value, "C") || !strcmp(value, "POSIX");
        return strncasecmp(set, ".utf8", 5) != 0 && strncasecmp(set, ".utf-8", 6) != 0;
    }
    return false;
}
