/* Breaks the lines of help; see help.h. */
#include "cli/help.h"

#include "base/grid.h"
#include "base/memory.h"
#include "views/kit/screen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Lines of prose are not longer on a wide screen. */
#define WIDEST 100
/* Blanks at the begin of a line that continues a remark. */
#define CONTINUES 10

static unsigned width_of_help(void) {
    unsigned width = pinsight_screen_width(stdout);

    return width < WIDEST ? width : WIDEST;
}

void cli_help_rest(const char *text, size_t width, size_t column) {
    char *words = pinsight_strdup(text);

    for (char *at = words; (at = strchr(at, '\n'));)
        *at = ' ';
    printf("%*s", (int)(column > width ? column - width : 0), "");
    pinsight_wrap(stdout, width_of_help(), column, column, words);
    putchar('\n');
    free(words);
}

/* Returns the number of blanks at the begin of a line. */
static size_t blanks(const char *line) {
    return strspn(line, " ");
}

static const char *next_line(const char *line) {
    return line + strcspn(line, "\n") + 1;
}

/* Returns the remark of a line, or NULL without one. `end` is the end of the line. */
static const char *remark_of(const char *line, const char *end) {
    for (const char *at = line + blanks(line); at + 1 < end; at++)
        if (at[0] == ' ' && at[1] == ' ')
            return at + blanks(at);
    return NULL;
}

/* Prints a line that is no part of a paragraph, with the lines that continue it. Returns the line
 * after them. */
static const char *print_kept(const char *line) {
    const char *end = strchr(line, '\n'), *remark = remark_of(line, end), *next = end + 1;
    char *text;

    if (!remark) {
        printf("%.*s\n", (int)(end - line), line);
        return next;
    }
    while (blanks(next) >= CONTINUES)
        next = next_line(next);
    text = pinsight_memdup(remark, (size_t)(next - 1 - remark));
    printf("%.*s", (int)(remark - line), line);
    cli_help_rest(text, (size_t)(remark - line), (size_t)(remark - line));
    free(text);
    return next;
}

static const char *print_paragraph(const char *line) {
    const char *next = line;
    char *text;

    while (*next && *next != '\n' && *next != ' ')
        next = next_line(next);
    text = pinsight_memdup(line, (size_t)(next - 1 - line));
    cli_help_rest(text, 0, 0);
    free(text);
    return next;
}

void cli_help_text(const char *text) {
    while (*text)
        text = *text == ' ' || *text == '\n' || !strncmp(text, "usage:", 6) ? print_kept(text)
                                                                            : print_paragraph(text);
}
